"""Time and memory of fitting a Gaussian process, before it starts."""

from __future__ import annotations

from dataclasses import dataclass

SPEED = 5e9
"""Floating-point operations in a second of one thread, cautiously."""
PROFILE_STEPS, WEIGHING_STEPS = 60, 40
"""Factorisations of a group's profile, and of the search for weights."""


@dataclass(frozen=True)
class Estimate:
    """Time and memory of a fit.

    Args:
        rows: How many rows will be conditioned on.
        seconds: Of one thread, within a factor of a few.
        bytes: Memory of its matrices.

    Example:
        >>> print(Estimate(1000, 2.5, 3e8))
        1,000 rows, about 2 s and 0.30 GB
    """

    rows: int
    seconds: float
    bytes: float

    def __str__(self) -> str:
        return f"{self.rows:,} rows, about {max(1, round(self.seconds)):.0f} s and {self.bytes / 1e9:.2f} GB"


def estimate(rows: int, size: int, groups: int, profiled: int, optimise_weights: int) -> Estimate:
    """From the sizes of the matrices.

    Args:
        rows: How many rows will be conditioned on.
        size: Coordinates of the largest block of the outputs.
        groups: Number of candidates.
        profiled: Size of the matrices of a profile.
        optimise_weights: Size of the matrices of the search for weights.
    """
    profiles = groups * PROFILE_STEPS * profiled**3 / 3
    weights = WEIGHING_STEPS * optimise_weights**3 * (1 + 0.1 * groups) if groups else 0.0
    flops = (rows * size) ** 3 / 3 + profiles + weights
    return Estimate(rows, flops / SPEED, 3 * 8 * (rows * size) ** 2 + 8 * (groups + 4) * profiled**2)
