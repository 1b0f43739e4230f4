r"""RPP: residual pathway prior.

An equivariant layer plus a free one, :math:`W = P W_1 + W_2`, with Gaussian priors that make the free part expensive:

.. math:: \frac{|W_1|^2}{2 s_1^2} + \frac{|W_2|^2}{2 s_2^2}, \qquad s_2 \ll s_1 .

Reference:
    Residual Pathway Priors for Soft Equivariance Constraints (Finzi et al., 2021), https://arxiv.org/abs/2112.01388
"""

from __future__ import annotations

import torch
from torch import Tensor

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.nn.linear import RESIDUAL_START, EquivariantLinear, SumLinear, free_linear
from softsym.nn.network import Hidden, Network, hidden_reps
from softsym.reps import Rep


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
            residual = free_linear(source.size(G), target.size(G), generator)
            return SumLinear(equivariant, residual, RESIDUAL_START)

        reps = hidden_reps(width, layers, G, hidden, round_up=round_up)
        super().__init__(rep_in, rep_out, G, reps, make_linear, soft_gates=True, seed=seed)
        self.equivariant_decay, self.residual_decay = equivariant_decay, residual_decay

    def prior(self) -> Tensor:
        """The Gaussian priors of both pathways (biases are free) and the decay of the soft gates."""
        return self.pair_prior((self.equivariant_decay, self.residual_decay))
