"""Carrying out runs: on this machine or on Ray."""
