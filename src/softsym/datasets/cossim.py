r"""CosSim: the mean pairwise cosine similarity of three particles, with perturbations that break a symmetry of two.

The similarity is invariant to rotations and to scaling. With :math:`n` the mean norm and :math:`r` a ratio of coordinates,

.. math:: n = \tfrac13 \sum_i |x_i|, \qquad r = \frac{\sum_i |x_i^x|}{\sum_i (|x_i^y| + |x_i^z|)},

subtracting n leaves it invariant to rotations only, subtracting r to scaling only, and n - r to neither.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import normalize

from softsym.datasets.builtin import Synthetic
from softsym.datasets.parse import Arguments
from softsym.groups import Group, group
from softsym.reps import Rep, rep

PARTICLES = 3


def mean_norm(x: Tensor) -> Tensor:
    """The mean norm n of particles (..., 3, 3)."""
    return x.norm(dim=-1).mean(-1)


def axis_ratio(x: Tensor) -> Tensor:
    """The ratio r of x-coordinates to the others, of particles (..., 3, 3)."""
    return x[..., 0].abs().sum(-1) / x[..., 1:].abs().sum((-2, -1))


def first_particle_ratio(x: Tensor) -> Tensor:
    """What the published code has in place of r: the L1 norm of the first particle over that of the two others."""
    size = x.abs().sum(-1)
    return size[..., 0] / size[..., 1:].sum(-1)


VARIANTS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[float, float]]] = {
    "SO(3)+S(3)": (lambda x: x.new_zeros(()), (0.0, 0.0)),
    "SO(3)": (lambda x: -mean_norm(x), (0.0, 0.259)),
    "S(3)": (lambda x: -axis_ratio(x), (0.335, 0.0)),
    "soft": (lambda x: -mean_norm(x) + axis_ratio(x), (0.226, 0.412)),
    "S(3)-code": (lambda x: -first_particle_ratio(x), (0.113, 0.0)),
    "soft-code": (lambda x: -mean_norm(x) + first_particle_ratio(x), (0.080, 0.410)),
}
"""Perturbation, and the equivariance errors it causes under SO(3) and under Scaling(3)."""
ALIASES = {
    **dict.fromkeys(("both", "SO(3),S(3)", "SO(3), S(3)", "S(3)+SO(3)", "SO(3)+Scaling(3)"), "SO(3)+S(3)"),
    "Scaling(3)": "S(3)",
}


@dataclass(frozen=True)
class CosSim(Synthetic):
    """Positions of three particles to a scalar.

    Args:
        variant: Which perturbation, a key of :data:`VARIANTS`.

    Example:
        >>> CosSim("SO(3)+S(3)").target(torch.tensor([1.0, 0, 0, 2, 0, 0, 0, 0, 3])).item()
        0.3333333432674408
    """

    variant: str = "SO(3)+S(3)"
    rep_in: ClassVar[Rep] = rep("3V")
    rep_out: ClassVar[Rep] = rep("S")
    groups: ClassVar[tuple[Group, ...]] = (group("SO(3)"), group("Scaling(3)"))
    largest: ClassVar[Group] = group("SO(3) | Scaling(3)")

    def __post_init__(self) -> None:
        Arguments(self.name, "cossim", self.variant, {}).choose("", VARIANTS)

    @staticmethod
    def variants() -> tuple[str, ...]:
        """Names of all perturbations."""
        return tuple(VARIANTS)

    @staticmethod
    def read(arguments: Arguments) -> CosSim:
        """Reads the task from its text."""
        arguments.only()
        return CosSim(arguments.choose("SO(3)+S(3)", VARIANTS, ALIASES))

    @property
    def name(self) -> str:
        """``cossim:`` and the variant."""
        return f"cossim:{self.variant}"

    def inputs(self, n: int, generator: torch.Generator) -> Tensor:
        """Standard normal, shape (n, 9)."""
        return torch.randn(n, 3 * PARTICLES, generator=generator, dtype=torch.float64)

    def truth(self, x: Tensor) -> Tensor:
        """Mean cosine similarity and perturbation, from (..., 9) to (..., 1)."""
        particles = x.unflatten(-1, (PARTICLES, 3))
        one, two, three = normalize(particles, dim=-1).unbind(-2)
        similarity = ((one * two).sum(-1) + (one * three).sum(-1) + (two * three).sum(-1)) / 3
        return (similarity + VARIANTS[self.variant][0](particles))[..., None]

    @property
    def breaking(self) -> Mapping[Group, float]:
        """As measured on many samples; rotations are Haar, scales between 1/e and e."""
        return dict(zip(self.groups, VARIANTS[self.variant][1], strict=True))
