r"""MixedEMLP: exact for some groups, soft for others.

Each layer is :math:`W_1 + W_2` with W1 in the joint space of the exact groups and W2 in the joint space of all groups, so the sum is
exactly equivariant to the exact ones; priors on both parts, as in RPP, decide how soft the others are.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor

from softsym.groups import Group, join_groups, read_groups
from softsym.nn.linear import EquivariantLinear, SumLinear
from softsym.nn.network import Network, hidden_reps, read_hidden, routes, seeded
from softsym.reps import Rep
from softsym.reps import rep as read_rep


class MixedEMLP(Network):
    """Exactly equivariant to some groups and softly to others.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        exact: Groups that hold exactly.
        soft: Groups that hold softly.
        width: Size of the hidden layers.
        layers: Number of linear layers.
        hidden: Hidden representations, if not proposed by width.
        joint_decay: Coefficient of |W2|^2, the part equivariant to all groups.
        exact_decay: Coefficient of |W1|^2, the part equivariant to the exact groups only.
        largest: Group of the gates and bilinear layers; all groups joined by default.
        round_up: Round the width up to whole rounds, as the published code does.
        seed: Seed or generator of the initial weights.
    """

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        exact: Group | str | Sequence[Group | str],
        soft: Group | str | Sequence[Group | str] = (),
        width: int = 384,
        layers: int = 4,
        *,
        hidden: Rep | str | Sequence[Rep | str] | None = None,
        joint_decay: float = 1e-5,
        exact_decay: float = 1.0,
        largest: Group | str | None = None,
        round_up: bool = False,
        seed: int | torch.Generator = 0,
    ) -> None:
        strict = read_groups(exact)
        every = read_groups([*strict, *(read_groups(soft) if soft else [])])
        G = join_groups(every) if largest is None else read_groups([largest, *every])[0]
        source, target, generator = read_rep(rep_in), read_rep(rep_out), seeded(seed)
        reps = hidden_reps(width, layers, G, read_hidden(hidden), round_up=round_up)
        linears = [
            SumLinear(
                EquivariantLinear(a, b, join_groups(every), generator),
                EquivariantLinear(a, b, join_groups(strict), generator),
            )
            for a, b in routes(source, target, reps, G)
        ]
        for layer in linears:  # the softer path starts small, as in RPP
            for p in layer.second.parameters():
                p.data.mul_(1e-3)
        super().__init__(source, target, reps, G, linears, soft_gates=False, generator=generator)
        self.joint_decay, self.exact_decay = joint_decay, exact_decay

    def prior(self) -> Tensor:
        """The Gaussian priors of both parts (biases are free)."""
        total = super().prior()
        for layer in (*(block.linear for block in self.blocks), self.last):
            pair = cast(SumLinear, layer)
            for part, decay in ((pair.first, self.joint_decay), (pair.second, self.exact_decay)):
                total = total + decay * cast(EquivariantLinear, part).weight.free.square().sum()
        return total
