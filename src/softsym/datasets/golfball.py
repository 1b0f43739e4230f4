r"""Golf ball: from where a ball was to where it will be, in wind and gravity of your choice.

Six past positions to six future ones, relative to the mean of the past ones. The truth is a function of the past alone: the state at the
last past point, its velocity taken from the cubic through the last four, integrated by the classical Runge-Kutta method with quadratic
drag in a steady wind w,

.. math:: \dot v = g - k\, |v - w|\, (v - w) .

Gravity g singles out z, wind its own axis, and drag nothing, so physics says which of O(2)@x, O(2)@y, O(2)@z are exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import normalize

from softsym.datasets.builtin import Synthetic
from softsym.datasets.parse import Arguments
from softsym.errors import InputError
from softsym.groups import Group, group
from softsym.reps import Rep, rep

POINTS = 6
PAST, FUTURE = 0.1, 0.4
"""Seconds between past points, close enough to tell the velocity, and between future points, far enough to feel wind and gravity."""
LENGTH = 10.0  # metres in one unit of the data, so that coordinates are of order one
SPEEDS = (10.0, 20.0)  # launch speeds in metres per second
AXES, NUMBERS = ("x", "y", "z"), ("speed", "drag", "gravity")
STEPS = 4  # Runge-Kutta steps between two points


def fly(
    position: Tensor, velocity: Tensor, *, gravity: Tensor, wind: Tensor, drag: float, dt: float, points: int
) -> Tensor:
    """Positions at dt, 2 dt, ... after a state, shape (..., points, 3)."""

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


@dataclass(frozen=True)
class GolfBall(Synthetic):
    """Six past positions to six future ones, in units of ten metres.

    Args:
        wind: Axis along which the wind blows, ``x``, ``y`` or ``z``, or ``none``.
        speed: Speed of the wind in metres per second; it can only be chosen where there is a wind.
        drag: Drag coefficient, per metre.
        gravity: Acceleration downwards, along -z, in metres per second squared.

    Example:
        >>> {str(G): word for G, word in GolfBall("y").expected.items()}
        {'O(2)@x': 'absent', 'O(2)@y': 'absent', 'O(2)@z': 'soft'}
    """

    wind: str = "none"
    speed: float = 5.0
    drag: float = 0.02
    gravity: float = 9.8
    rep_in: ClassVar[Rep] = rep("6V")
    rep_out: ClassVar[Rep] = rep("6V")
    groups: ClassVar[tuple[Group, ...]] = tuple(group(f"O(2)@{axis}") for axis in AXES)
    largest: ClassVar[Group] = group("O(3)")

    def __post_init__(self) -> None:
        if self.wind not in (*AXES, "none"):
            raise InputError(f"golfball: `wind` must be none, x, y or z, got {self.wind!r}")
        for key in NUMBERS:
            value = getattr(self, key)
            if not (math.isfinite(value) and value >= 0):
                raise InputError(f"golfball: `{key}` must not be negative, got {value}")
        if self.drag > 1:
            raise InputError(f"golfball: `drag` must be at most 1 per metre, got {self.drag:g}")
        if self.wind == "none" and self.speed != GolfBall.speed:
            raise InputError("golfball: `speed` is the wind's; choose its axis too, such as wind=x")

    @staticmethod
    def read(arguments: Arguments) -> GolfBall:
        """Reads the task from its text."""
        arguments.no_variant()
        arguments.only("wind", *NUMBERS)
        numbers = {key: arguments.number(key, getattr(GolfBall, key)) for key in NUMBERS}
        return GolfBall(arguments.options.get("wind", "none"), **numbers)

    @property
    def name(self) -> str:
        """``golfball:wind=...`` and whatever else is not the default."""
        values = {key: getattr(self, key) for key in NUMBERS}
        changed = (f",{key}={value!r}" for key, value in values.items() if value != getattr(GolfBall, key))
        return f"golfball:wind={self.wind}{''.join(changed)}"

    def inputs(self, n: int, generator: torch.Generator) -> Tensor:
        """Flights in directions uniform on the sphere, shape (n, 18): the inputs single out no axis."""
        direction = normalize(torch.randn(n, 3, generator=generator, dtype=torch.float64), dim=-1)
        low, high = SPEEDS
        speed = low + (high - low) * torch.rand(n, 1, generator=generator, dtype=torch.float64)
        past = self._fly(torch.zeros_like(direction), speed * direction, PAST)
        return (past - past.mean(-2, keepdim=True)).flatten(-2)

    def truth(self, x: Tensor) -> Tensor:
        """The flight continued, from (..., 18) to (..., 18); computed in float64."""
        past = LENGTH * x.to(torch.float64).unflatten(-1, (POINTS, 3))
        return self._fly(past[..., -1, :], last_velocity(past, PAST), FUTURE).flatten(-2).to(x.dtype)

    @property
    def breaking(self) -> Mapping[Group, float]:
        """What accelerations across each group's axis change in the future, over its size; good to a factor of 1.5 (tested)."""
        usual = sum(SPEEDS) / 2
        push = self.drag * self.speed * (usual + self.speed / 2) if self.wind != "none" else 0.0
        times = [FUTURE * (k + 1) for k in range(POINTS)]
        fall = math.hypot(*(t * t / 2 for t in times))
        flown = usual * math.hypot(*(t + PAST * (POINTS - 1) / 2 for t in times))
        size = math.hypot(flown, self.gravity * fall, push * fall)
        broken = {}
        for axis, candidate in zip(AXES, self.groups, strict=True):
            across = math.hypot(self.gravity * (axis != "z"), push * (axis != self.wind))
            broken[candidate] = 4 / math.pi * across * fall / (2 * size)  # |a - R a| is 4 |a| / pi on average
        return broken

    def _fly(self, position: Tensor, velocity: Tensor, dt: float) -> Tensor:
        wind = position.new_tensor([self.speed * (self.wind == axis) for axis in AXES])
        gravity = position.new_tensor([0.0, 0.0, -self.gravity])
        path = fly(position, velocity, gravity=gravity, wind=wind, drag=self.drag, dt=dt, points=POINTS)
        return path / LENGTH
