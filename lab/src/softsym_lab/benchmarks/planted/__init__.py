"""Tasks with planted symmetries, small networks for them, and how the regularizer does beside its rivals there."""
