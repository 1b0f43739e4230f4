r"""Networks with equivariant linear layers: EMLP, and RPP and MixedEMLP, whose layers are sums of two.

An EMLP confines every linear layer to the equivariant space of one group, :math:`\mathrm{vec}\,W = P\,w`. An RPP adds a free layer,
:math:`W = P W_1 + W_2`, with Gaussian priors that make the free part expensive:

.. math:: \frac{|W_1|^2}{2 s_1^2} + \frac{|W_2|^2}{2 s_2^2}, \qquad s_2 \ll s_1 .

In a MixedEMLP W1 is in the joint space of the exact groups and W2 in that of all groups, so the sum is exactly equivariant to the exact
ones; priors on both parts, as in RPP, decide how soft the others are.

References:
    A Practical Method for Constructing Equivariant Multilayer Perceptrons (Finzi et al., 2021), https://arxiv.org/abs/2104.09459 (EMLP);
    Residual Pathway Priors for Soft Equivariance Constraints (Finzi et al., 2021), https://arxiv.org/abs/2112.01388 (RPP);
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356 (MixedEMLP)
"""

from __future__ import annotations

import torch
from torch import Tensor

from softsym.groups import Group, join_groups, read_groups
from softsym.groups import group as read_group
from softsym.nn.linear import EquivariantLinear, SumLinear, free_linear
from softsym.nn.network import Groups, Hidden, Network, hidden_reps, largest_group
from softsym.reps import Rep


class EMLP(Network):
    """Exactly equivariant to one group.

    Args:
        group: The group; all other arguments as for :class:`~softsym.nn.SoftMLP`.

    Example:
        >>> import softsym as ss, torch
        >>> net = ss.nn.EMLP("5S + 5V", "T(2)", "O(3)", width=32)
        >>> net(torch.zeros(8, 20)).shape
        torch.Size([8, 9])
    """

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        group: Group | str,
        width: int = 384,
        layers: int = 4,
        *,
        hidden: Hidden = None,
        seed: int | torch.Generator = 0,
    ) -> None:
        G = read_group(group)

        def make_linear(source: Rep, target: Rep, generator: torch.Generator) -> EquivariantLinear:
            return EquivariantLinear(source, target, G, generator)

        super().__init__(rep_in, rep_out, G, hidden_reps(width, layers, G, hidden), make_linear, seed=seed)


class RPP(Network):
    """Softly equivariant to one group through a residual pathway.

    Args:
        group: The group; arguments that are not listed as for :class:`~softsym.nn.SoftMLP`.
        equivariant_decay: Coefficient of |W1|^2 (1 / 2 s1^2).
        residual_decay: Coefficient of |W2|^2 (1 / 2 s2^2).
    """

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        group: Group | str,
        width: int = 384,
        layers: int = 4,
        *,
        hidden: Hidden = None,
        equivariant_decay: float = 1e-5,
        residual_decay: float = 1.0,
        round_up: bool = False,
        seed: int | torch.Generator = 0,
    ) -> None:
        G = read_group(group)

        def make_linear(source: Rep, target: Rep, generator: torch.Generator) -> SumLinear:
            equivariant = EquivariantLinear(source, target, G, generator)
            return SumLinear(equivariant, free_linear(source.size(G), target.size(G), generator))

        reps = hidden_reps(width, layers, G, hidden, round_up=round_up)
        super().__init__(rep_in, rep_out, G, reps, make_linear, soft_gates=True, seed=seed)
        self.equivariant_decay, self.residual_decay = equivariant_decay, residual_decay

    def prior(self) -> Tensor:
        """The Gaussian priors of both pathways (biases are free) and the decay of the soft gates."""
        return self.pair_prior((self.equivariant_decay, self.residual_decay))


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
            return SumLinear(first, second)

        reps = hidden_reps(width, layers, G, hidden, round_up=round_up)
        super().__init__(rep_in, rep_out, G, reps, make_linear, seed=seed)
        self.joint_decay, self.exact_decay = joint_decay, exact_decay

    def prior(self) -> Tensor:
        """The Gaussian priors of both parts (biases are free)."""
        return self.pair_prior((self.joint_decay, self.exact_decay))
