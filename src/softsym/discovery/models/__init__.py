"""Candidate models without networks, simplest first: the mean, equivariant least squares, Gaussian processes; and baselines."""
