r"""Golf ball: from where a ball was to where it will be, in wind and gravity of your choice.

Six past positions to six future ones, a tenth of a second apart, relative to the tee. The truth is a function of the past alone: the
state at the last past point, taken from the parabola through the last three, flown on (:mod:`softsym.tasks.flight`). Gravity
singles out z, wind its own axis, and drag nothing, so physics says which O(2)@x, O(2)@y, O(2)@z are exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import normalize

from softsym.errors import InputError
from softsym.groups import Group, group
from softsym.reps import Rep, rep
from softsym.tasks.arguments import Arguments
from softsym.tasks.flight import fly, last_velocity
from softsym.tasks.synthetic import Synthetic
from softsym.tasks.task import Verdict, verdict

POINTS = 6
INTERVAL = 0.1
"""Seconds between points."""
LENGTH = 10.0
"""Metres in one unit of the data, so that coordinates are of order one."""
SPEEDS = (10.0, 20.0)
"""Launch speeds in metres per second."""
AXES = ("x", "y", "z")


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
        for key in ("speed", "drag", "gravity"):
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
        arguments.only("wind", "speed", "drag", "gravity")
        return GolfBall(
            arguments.options.get("wind", "none"),
            arguments.number("speed", GolfBall.speed),
            arguments.number("drag", GolfBall.drag),
            arguments.number("gravity", GolfBall.gravity),
        )

    @property
    def name(self) -> str:
        """``golfball:wind=...`` and whatever else is not the default."""
        changed = [
            f"{key}={getattr(self, key)!r}"
            for key in ("speed", "drag", "gravity")
            if getattr(self, key) != getattr(GolfBall, key)
        ]
        return ",".join([f"golfball:wind={self.wind}", *changed])

    def inputs(self, n: int, generator: torch.Generator) -> Tensor:
        """Flights from the tee in directions uniform on the sphere, shape (n, 18): the law is tested, not the golfer."""
        direction = normalize(torch.randn(n, 3, generator=generator, dtype=torch.float64), dim=-1)
        low, high = SPEEDS
        speed = low + (high - low) * torch.rand(n, 1, generator=generator, dtype=torch.float64)
        return self._fly(torch.zeros_like(direction), speed * direction).flatten(-2)

    def truth(self, x: Tensor) -> Tensor:
        """The flight continued, from (..., 18) to (..., 18); computed in float64."""
        past = LENGTH * x.to(torch.float64).unflatten(-1, (POINTS, 3))
        return self._fly(past[..., -1, :], last_velocity(past, INTERVAL)).flatten(-2).to(x.dtype)

    @property
    def expected(self) -> Mapping[Group, Verdict]:
        """From the accelerations that single out a direction other than the group's axis, against the flight's speed."""
        return {G: verdict(self.breaking(axis)) for axis, G in zip(AXES, self.groups, strict=True)}

    def breaking(self, axis: str) -> float:
        """About how much of a flight's length depends on directions other than the axis: a T / (2 v); zero only if none does."""
        usual = sum(SPEEDS) / 2
        down = self.gravity if axis != "z" else 0.0
        aside = self.drag * self.speed * 1.5 * usual if self.wind not in (axis, "none") else 0.0
        return (down + aside) * 2 * POINTS * INTERVAL / (2 * usual)

    def _fly(self, position: Tensor, velocity: Tensor) -> Tensor:
        wind = [self.speed * (self.wind == axis) for axis in AXES]
        return (
            fly(
                position,
                velocity,
                gravity=position.new_tensor([0.0, 0.0, -self.gravity]),
                wind=position.new_tensor(wind),
                drag=self.drag,
                dt=INTERVAL,
                points=POINTS,
            )
            / LENGTH
        )
