"""Training the networks behind an estimator."""
