"""Tasks with planted symmetries, small networks for them, and how the regularizer compares with its baselines there."""
