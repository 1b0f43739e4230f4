"""Kernel fits with derivatives, of inputs or of invariants of an algebra."""
