"""Tracing a module while it runs: type inference for the representation on every axis of every tensor."""
