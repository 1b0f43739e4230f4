r"""Inertia: from five point masses to their moment of inertia, with a symmetry that can be broken at will.

With masses :math:`m_i` and positions :math:`x_i` the target is

.. math:: I + I D, \qquad I = \sum_i m_i (x_i^\top x_i\, 1 - x_i x_i^\top),

and the diagonal :math:`D` decides the symmetry: rotations and reflections about an axis survive if D is the same along the two other axes.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import softplus

from softsym.datasets.builtin import Synthetic
from softsym.datasets.parse import Arguments
from softsym.groups import Group, group
from softsym.reps import Rep, rep

Diagonal = tuple[float, float, float]
PARTICLES = 5
AXIS_GROUPS: tuple[Group, ...] = tuple(group(f"O(2)@{axis}") for axis in "xyz")


def _study() -> dict[str, Diagonal]:
    """The thirteen data sets of the correlation study; the published code adds where the text subtracts."""
    directions = {"eps1": (1, 0, 0), "eps2": (0, 1, 0), "eps3": (0, 0, 1), "eps4": (-1, 1, 0)}
    scaled = {f"{c}*{name}": (c * x, c * y, c * z) for name, (x, y, z) in directions.items() for c in (0.3, 0.6, 0.9)}
    return {"0": (0.0, 0.0, 0.0), **scaled}


VARIANTS: dict[str, Diagonal] = {
    "O(3)": (0.0, 0.0, 0.0),
    "Ox(2)": (-1.0, 0.0, 0.0),
    "Oy(2)": (0.0, -1.0, 0.0),
    "Oz(2)": (0.0, 0.0, -1.0),
    "soft": (-0.3, 0.3, 0.0),
    "soft-printed": (-0.3, 0.3, -0.3),  # as the text prints it; exactly O(2)@y-equivariant, so not only soft
    **_study(),
}
ALIASES = {f"O(2)@{axis}": f"O{axis}(2)" for axis in "xyz"}


@dataclass(frozen=True)
class Inertia(Synthetic):
    """Masses and positions of five particles to a 3 x 3 matrix, row by row.

    Args:
        variant: Which diagonal D, a key of :data:`VARIANTS`.

    Example:
        >>> task = Inertia("Oz(2)")
        >>> task.target(torch.tensor([1.0, 0, 0, 0, 0, 1, 2, 3] + 12 * [0.0])).tolist()
        [13.0, -2.0, 0.0, -2.0, 10.0, 0.0, -3.0, -6.0, 0.0]
    """

    variant: str = "Oz(2)"
    rep_in: ClassVar[Rep] = rep("5S + 5V")
    rep_out: ClassVar[Rep] = rep("T(2)")
    groups: ClassVar[tuple[Group, ...]] = AXIS_GROUPS
    largest: ClassVar[Group] = group("O(3)")

    def __post_init__(self) -> None:
        Arguments(self.name, "inertia", self.variant, {}).choose("", VARIANTS)

    @staticmethod
    def read(arguments: Arguments) -> Inertia:
        """Reads the task from its text."""
        arguments.only()
        return Inertia(arguments.choose("Oz(2)", VARIANTS, ALIASES))

    @property
    def name(self) -> str:
        """``inertia:`` and the variant."""
        return f"inertia:{self.variant}"

    @property
    def diagonal(self) -> Diagonal:
        """The diagonal of D."""
        return VARIANTS[self.variant]

    def inputs(self, n: int, generator: torch.Generator) -> Tensor:
        """Masses softplus of a standard normal, positions standard normal; shape (n, 20)."""
        x = torch.randn(n, 4 * PARTICLES, generator=generator, dtype=torch.float64)
        x[:, :PARTICLES] = softplus(x[:, :PARTICLES])
        return x

    def truth(self, x: Tensor) -> Tensor:
        """I + I D, from (..., 20) to (..., 9)."""
        masses, positions = x[..., :PARTICLES], x[..., PARTICLES:].unflatten(-1, (PARTICLES, 3))
        moment = (masses * positions.square().sum(-1)).sum(-1)
        one = torch.eye(3, dtype=x.dtype, device=x.device)
        products = torch.einsum("...i,...ij,...ik->...jk", masses, positions, positions)
        inertia = moment[..., None, None] * one - products
        return (inertia + inertia * x.new_tensor(self.diagonal)).flatten(-2)

    @property
    def breaking(self) -> Mapping[Group, float]:
        """How much D differs between the two other axes, over the size of 1 + D; the factor is fitted (tested to 0.02)."""
        size = math.hypot(*(1 + d for d in self.diagonal))
        x, y, z = self.diagonal
        differences = (abs(y - z), abs(x - z), abs(x - y))
        return {G: 0.45 * apart / size for G, apart in zip(self.groups, differences, strict=True)}
