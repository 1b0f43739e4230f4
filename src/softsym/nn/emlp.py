r"""EMLP: exactly equivariant multilayer perceptron.

Every linear layer is confined to the equivariant space of one group, :math:`\mathrm{vec}\,W = P\,w`.

Reference:
    A Practical Method for Constructing Equivariant Multilayer Perceptrons (Finzi et al., 2021), https://arxiv.org/abs/2104.09459
"""

from __future__ import annotations

import torch

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.nn.linear import EquivariantLinear
from softsym.nn.network import Hidden, Network, hidden_reps
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
