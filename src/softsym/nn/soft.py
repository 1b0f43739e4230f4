"""SoftMLP: the PER network, free to break any symmetry.

Ordinary linear layers with soft gates and the bilinear layers of the largest group. Nothing in it is constrained; an
:class:`~softsym.EquivarianceRegularizer` pulls its weights towards each candidate group's equivariant space.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from softsym.groups import Group, join_groups, read_groups
from softsym.maps import TensorMap
from softsym.nn import init as initial
from softsym.nn.bilinear import Bilinear
from softsym.nn.gating import Gated
from softsym.nn.linear import free_linear
from softsym.nn.network import Network, hidden_reps, read_hidden, routes, seeded
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.spaces import equivariant_maps, invariants


class SoftMLP(Network):
    """A free network whose layers have representations.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        groups: Candidate groups.
        width: Size of the hidden layers.
        layers: Number of linear layers.
        largest: Group of the gates and bilinear layers; the candidates joined by default.
        hidden: Hidden representations, if not proposed by width.
        init: ``standard``, ``soft``, ``half-soft`` or ``half-soft-code`` as published; ``equivariant`` starts with every symmetry, and
            without the soft path of the gates, so that linear weights are all that can break one.
        round_up: Round the width up to whole rounds, as the published code does.
        seed: Seed or generator of the initial weights.

    Example:
        >>> import softsym as ss, torch
        >>> net = ss.nn.SoftMLP("5S + 5V", "T(2)", ["O(2)@x", "O(2)@y", "O(2)@z"], width=32)
        >>> net(torch.zeros(8, 20)).shape
        torch.Size([8, 9])
    """

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        groups: Group | str | Sequence[Group | str],
        width: int = 384,
        layers: int = 4,
        *,
        largest: Group | str | None = None,
        hidden: Rep | str | Sequence[Rep | str] | None = None,
        init: str = "standard",
        round_up: bool = False,
        seed: int | torch.Generator = 0,
    ) -> None:
        candidates = read_groups(groups)
        G = join_groups(candidates) if largest is None else read_groups([largest, *candidates])[0]
        source, target, generator = read_rep(rep_in), read_rep(rep_out), seeded(seed)
        reps = hidden_reps(width, layers, G, read_hidden(hidden), round_up=round_up)
        ends = routes(source, target, reps, G)
        linears = [free_linear(a.size(G), b.size(G), generator) for a, b in ends]
        if init != "standard":
            for layer, (a, b) in zip(linears, ends, strict=True):
                layer.weight.data = initial.soften(layer.weight.data, equivariant_maps(a, b, G), init)
                layer.bias.data = initial.soften(layer.bias.data, invariants(b, G), init)
        super().__init__(source, target, reps, G, linears, soft_gates=True, generator=generator)
        self.candidates = tuple(candidates)
        if init == "equivariant":
            self._begin_equivariant()

    @torch.no_grad()
    def _begin_equivariant(self) -> None:
        """Closes the soft path of the gates for good, and lets products of tensors begin small."""
        for block in self.modules():
            if isinstance(block, Gated) and block.soft is not None:
                block.soft.zero_().requires_grad_(False)
            elif isinstance(block, Bilinear):
                for weight in block.parameters():
                    weight.mul_(initial.SMALL_BILINEAR)

    def representations(self) -> dict[str, TensorMap]:
        """Which map every linear weight and bias is: what a regularizer needs to know."""
        return {name: one for name, (_, one) in self.linear_maps().items()}
