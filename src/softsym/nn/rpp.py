r"""RPP: residual pathway prior.

An equivariant layer plus a free one, :math:`W = P W_1 + W_2`, with Gaussian priors that make the free part expensive:

.. math:: \frac{|W_1|^2}{2 s_1^2} + \frac{|W_2|^2}{2 s_2^2}, \qquad s_2 \ll s_1 .

Reference:
    Residual Pathway Priors for Soft Equivariance Constraints (Finzi et al., 2021), https://arxiv.org/abs/2112.01388
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.nn.linear import EquivariantLinear, SumLinear, free_linear
from softsym.nn.network import Network, hidden_reps, read_hidden, routes, seeded
from softsym.reps import Rep
from softsym.reps import rep as read_rep

RESIDUAL_START = 1e-3


class RPP(Network):
    """Softly equivariant to one group through a residual pathway.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        group: The group.
        width: Size of the hidden layers.
        layers: Number of linear layers.
        hidden: Hidden representations, if not proposed by width.
        equivariant_decay: Coefficient of |W1|^2 (1 / 2 s1^2).
        residual_decay: Coefficient of |W2|^2 (1 / 2 s2^2).
        round_up: Round the width up to whole rounds, as the published code does.
        seed: Seed or generator of the initial weights.
    """

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        group: Group | str,
        width: int = 384,
        layers: int = 4,
        *,
        hidden: Rep | str | Sequence[Rep | str] | None = None,
        equivariant_decay: float = 1e-5,
        residual_decay: float = 1.0,
        round_up: bool = False,
        seed: int | torch.Generator = 0,
    ) -> None:
        source, target, G, generator = read_rep(rep_in), read_rep(rep_out), read_group(group), seeded(seed)
        reps = hidden_reps(width, layers, G, read_hidden(hidden), round_up=round_up)
        linears = [
            SumLinear(EquivariantLinear(a, b, G, generator), _residual(a.size(G), b.size(G), generator))
            for a, b in routes(source, target, reps, G)
        ]
        super().__init__(source, target, reps, G, linears, soft_gates=True, generator=generator)
        self.equivariant_decay, self.residual_decay = equivariant_decay, residual_decay

    def prior(self) -> Tensor:
        """The Gaussian priors of both pathways (biases are free) and the decay of the soft gates."""
        total = super().prior()
        for layer in (*(block.linear for block in self.blocks), self.last):
            pair = cast(SumLinear, layer)
            equivariant = cast(EquivariantLinear, pair.first).weight.free
            total = total + self.equivariant_decay * equivariant.square().sum()
            total = total + self.residual_decay * cast(nn.Linear, pair.second).weight.square().sum()
        return total


def _residual(n_in: int, n_out: int, generator: torch.Generator) -> nn.Linear:
    layer = free_linear(n_in, n_out, generator)
    with torch.no_grad():
        layer.weight.mul_(RESIDUAL_START)
        layer.bias.mul_(RESIDUAL_START)
    return layer
