"""Gaussian processes with symmetries: equivariant features, inducing rows, one regression engine."""
