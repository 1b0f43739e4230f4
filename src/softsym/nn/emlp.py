r"""EMLP: exactly equivariant multilayer perceptron.

Every linear layer is confined to the equivariant space of one group, :math:`\mathrm{vec}\,W = P\,w`.

Reference:
    A Practical Method for Constructing Equivariant Multilayer Perceptrons (Finzi et al., 2021), https://arxiv.org/abs/2104.09459
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.nn.linear import EquivariantLinear
from softsym.nn.network import Network, hidden_reps, read_hidden, routes, seeded
from softsym.reps import Rep
from softsym.reps import rep as read_rep


class EMLP(Network):
    """Exactly equivariant to one group.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        group: The group.
        width: Size of the hidden layers.
        layers: Number of linear layers.
        hidden: Hidden representations, if not proposed by width.
        seed: Seed or generator of the initial weights.

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
        hidden: Rep | str | Sequence[Rep | str] | None = None,
        seed: int | torch.Generator = 0,
    ) -> None:
        source, target, G, generator = read_rep(rep_in), read_rep(rep_out), read_group(group), seeded(seed)
        reps = hidden_reps(width, layers, G, read_hidden(hidden))
        linears = [EquivariantLinear(a, b, G, generator) for a, b in routes(source, target, reps, G)]
        super().__init__(source, target, reps, G, linears, soft_gates=False, generator=generator)
