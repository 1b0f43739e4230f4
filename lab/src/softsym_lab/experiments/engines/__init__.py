"""Engines that execute runs: on this machine or on Ray."""
