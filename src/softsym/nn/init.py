r"""Initial weights.

Linear weights are orthogonal, biases uniform in :math:`[0, 1/\sqrt{n_{out}}]`. For networks that are only softly equivariant two more
starts exist, with P the projector of the largest group: *soft* draws from :math:`N(0, s^2 P + \epsilon s^2 I)` and *half-soft* from
:math:`N(0, s^2 P + l\, s^2 (I - P))`, between an exactly equivariant start (l = 0) and a free one (l = 1). *Equivariant* is l = 0: the
network begins with every symmetry and leaves those that the data break.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.spaces import EquivariantSpace

SOFT_EPSILON = 1e-3
HALF_SOFT = 0.5
INITS = ("standard", "soft", "half-soft", "half-soft-code", "equivariant")
SMALL_BILINEAR = 0.3
"""Times the usual bilinear weights, in the equivariant start: products of vectors then begin small beside the vectors."""


def orthogonal(rows: int, columns: int, generator: torch.Generator | None = None) -> Tensor:
    """A random matrix with orthonormal rows or columns, whichever are fewer."""
    weight = torch.empty(rows, columns)
    nn.init.orthogonal_(weight, generator=generator)
    return weight


def bias(size: int, generator: torch.Generator | None = None) -> Tensor:
    """Uniform in [0, 1 / sqrt(size)]."""
    return torch.rand(size, generator=generator) / math.sqrt(size)


@torch.no_grad()
def soften(weight: Tensor, space: EquivariantSpace, init: str) -> Tensor:
    """Turns a standard start into another one by scaling the part of the weight outside the equivariant space.

    Args:
        weight: A standard start, of covariance s^2 I.
        space: The equivariant space of the largest group.
        init: ``standard``, ``soft``, ``half-soft`` (covariance P + 0.5 (I - P), as printed), ``half-soft-code``
            (0.5 P W + 0.5 W, as in the published code: covariance P + 0.25 (I - P)) or ``equivariant`` (P W).
    """
    outside = {
        "standard": 1.0, "soft": SOFT_EPSILON**0.5, "half-soft": HALF_SOFT**0.5, "half-soft-code": 0.5, "equivariant": 0.0,
    }  # fmt: skip
    if init not in outside:
        raise InputError(f"unknown initialisation {init!r}; pass one of {', '.join(INITS)}")
    if init == "standard":
        return weight
    inside: Tensor = space.project(weight)
    return inside + outside[init] * (weight - inside)
