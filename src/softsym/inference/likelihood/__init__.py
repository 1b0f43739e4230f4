"""How likely data are under a kernel: marginal likelihood, its profile over the violation, mixtures and their weights."""
