"""Lie algebras of matrices: the nearest one, its name, its round numbers, its generators in words."""
