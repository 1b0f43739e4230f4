"""Made-up vehicles on hilly roads, for when there are no records.

A vehicle drives an arc at a changing speed, on a road whose grade changes; it is seen five times a second with a little noise. World
coordinates are kilometres from their origin and hundreds of metres above it, while a window heights centimetres. Windows are kept by
the rule for real ones: less than 5 m along x and y, more than 5 cm along z, between the first and last past point.
"""

from __future__ import annotations

import torch
from torch import Tensor

from softsym_lab.tasks.motion.waymo import HONEST

INTERVAL = 0.2
NOISE = (0.01, 0.01, 0.003)
"""Standard deviation of what a detector adds along each axis, in metres."""


def simulate(n: int, generator: torch.Generator) -> Tensor:
    """Draws n windows that pass the selection, shape (n, 12, 3), float64, in metres.

    Args:
        n: How many.
        generator: Source of everything random.
    """
    kept = [torch.empty(0, HONEST.past + HONEST.future, 3, dtype=torch.float64)]
    while sum(map(len, kept)) < n:
        windows = drive(max(2 * n, 64), generator)
        kept.append(windows[passes(windows)])
    return torch.cat(kept)[:n]


def passes(windows: Tensor) -> Tensor:
    """Which windows (n, 12, 3) stay near and ascend or descend in their past, shape (n,)."""
    shift = (windows[:, HONEST.past - 1] - windows[:, 0]).abs()
    return (shift[:, :2] < HONEST.max_shift).all(1) & (shift[:, 2] > HONEST.min_ascent)


def drive(n: int, generator: torch.Generator) -> Tensor:
    """Draws n windows, unselected, shape (n, 12, 3)."""

    def normal(mean: float, deviation: float, size: int = 1) -> Tensor:
        return mean + deviation * torch.randn(n, size, generator=generator, dtype=torch.float64)

    time = INTERVAL * torch.arange(HONEST.past + HONEST.future, dtype=torch.float64)
    # Cars do not reverse: the way is the integral of a speed that never falls below zero.
    speed = (normal(4.0, 2.0).abs() + normal(0.0, 0.8) * time).clamp(min=0.0)
    way = torch.cat([torch.zeros(n, 1, dtype=time.dtype), torch.cumsum(speed[:, 1:] * INTERVAL, 1)], 1)
    heading = 2 * torch.pi * torch.rand(n, 1, generator=generator, dtype=torch.float64)
    bend = normal(0.0, 0.03)  # per metre driven
    angle = heading + bend * way / 2  # of the chord; exact up to the square of the arc
    height = normal(0.0, 0.05) * way + normal(0.0, 0.002) * way.square()
    road = torch.stack([way * angle.cos(), way * angle.sin(), height], -1)
    place = torch.cat([normal(0.0, 3000.0, 2), normal(250.0, 120.0)], 1)
    noise = torch.randn(road.shape, generator=generator, dtype=torch.float64) * torch.tensor(NOISE, dtype=torch.float64)
    return place[:, None] + road + noise
