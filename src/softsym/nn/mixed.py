r"""MixedEMLP: exact for some groups, soft for others.

Each layer is :math:`W_1 + W_2` with W1 in the joint space of the exact groups and W2 in the joint space of all groups, so the sum is
exactly equivariant to the exact ones; priors on both parts, as in RPP, decide how soft the others are.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import torch
from torch import Tensor

from softsym.groups import Group, join_groups, read_groups
from softsym.nn.linear import RESIDUAL_START, EquivariantLinear, SumLinear
from softsym.nn.network import Groups, Hidden, Network, hidden_reps, largest_group
from softsym.reps import Rep


class MixedEMLP(Network):
    """Exactly equivariant to some groups and softly to others.

    Args:
        exact: Groups that hold exactly.
        soft: Groups that hold softly; arguments that are not listed as for :class:`~softsym.nn.SoftMLP`.
        joint_decay: Coefficient of |W2|^2, the part equivariant to all groups.
        exact_decay: Coefficient of |W1|^2, the part equivariant to the exact groups only.
    """

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        exact: Groups,
        soft: Groups = (),
        width: int = 384,
        layers: int = 4,
        *,
        hidden: Hidden = None,
        joint_decay: float = 1e-5,
        exact_decay: float = 1.0,
        largest: Group | str | None = None,
        round_up: bool = False,
        seed: int | torch.Generator = 0,
    ) -> None:
        strict = read_groups(exact)
        every, G = largest_group([*strict, *(read_groups(soft) if soft else [])], largest)
        joint, exact_only = join_groups(every), join_groups(strict)

        def make_linear(source: Rep, target: Rep, generator: torch.Generator) -> SumLinear:
            first = EquivariantLinear(source, target, joint, generator)
            second = EquivariantLinear(source, target, exact_only, generator)
            return SumLinear(first, second, RESIDUAL_START)

        reps = hidden_reps(width, layers, G, hidden, round_up=round_up)
        super().__init__(rep_in, rep_out, G, reps, make_linear, seed=seed)
        self.joint_decay, self.exact_decay = joint_decay, exact_decay

    def prior(self) -> Tensor:
        """The Gaussian priors of both parts (biases are free)."""
        return self.pair_prior((self.joint_decay, self.exact_decay))
