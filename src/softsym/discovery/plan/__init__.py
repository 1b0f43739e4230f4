"""Plans of fits: parameters and data are validated here, and candidates proposed."""
