r"""Flight of a ball with quadratic drag in a steady wind.

.. math:: \dot v = g - k\, |v - w|\, (v - w)

Integrated by the classical Runge-Kutta method. Nothing but gravity g and wind w singles out a direction.
"""

from __future__ import annotations

import torch
from torch import Tensor

STEPS = 4
"""Runge-Kutta steps between two points."""


def fly(
    position: Tensor, velocity: Tensor, *, gravity: Tensor, wind: Tensor, drag: float, dt: float, points: int
) -> Tensor:
    """Positions at equal times after a state.

    Args:
        position: Where the ball is, shape (..., 3).
        velocity: How it moves, shape (..., 3).
        gravity: Acceleration g, shape (3,).
        wind: Velocity w of the air, shape (3,).
        drag: Coefficient k, one over a length.
        dt: Time between points.
        points: How many points.

    Returns:
        Positions at dt, 2 dt, ..., shape (..., points, 3).
    """

    def acceleration(v: Tensor) -> Tensor:
        relative = v - wind
        return gravity - drag * relative.norm(dim=-1, keepdim=True) * relative

    h, places = dt / STEPS, []
    for step in range(STEPS * points):
        a1 = acceleration(velocity)
        a2 = acceleration(velocity + h / 2 * a1)
        a3 = acceleration(velocity + h / 2 * a2)
        a4 = acceleration(velocity + h * a3)
        position = position + h * velocity + h * h / 6 * (a1 + a2 + a3)
        velocity = velocity + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        if (step + 1) % STEPS == 0:
            places.append(position)
    return torch.stack(places, dim=-2)


def last_velocity(points: Tensor, dt: float) -> Tensor:
    """Velocity at the last of at least four points (..., n, 3), from the cubic through the last four: exact without drag."""
    one, two, three, last = points[..., -4:, :].unbind(-2)
    return (11 * last - 18 * three + 9 * two - 2 * one) / (6 * dt)
