"""The ladder of models, simplest first: the mean, equivariant least squares, Gaussian processes; networks come on top of it."""
