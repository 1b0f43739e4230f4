"""Closed sets: finite subgroups that stand for a compact group."""

from softsym.groups.quadrature.closed import LIMIT, ClosedSet, closed_set

__all__ = ["LIMIT", "ClosedSet", "closed_set"]
