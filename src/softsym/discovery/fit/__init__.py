"""Training of the networks of an estimator."""
