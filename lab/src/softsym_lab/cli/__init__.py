"""Commands of the laboratory: ``softsym train``, ``softsym reproduce`` and ``softsym bench``."""
