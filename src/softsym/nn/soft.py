"""Unconstrained networks: SoftMLP, the PER network, and MLP, linear layers and swish.

A SoftMLP has ordinary linear layers with soft gates and the bilinear layers of the largest group, and is free to break any symmetry; an
:class:`~softsym.EquivarianceRegularizer` pulls its weights towards each candidate group's equivariant space.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.maps import TensorMap
from softsym.nn.bilinear import Bilinear
from softsym.nn.gate import Gated
from softsym.nn.linear import free_linear, soften
from softsym.nn.network import (
    Groups,
    HasPrior,
    Hidden,
    Network,
    as_generator,
    check_memory,
    check_width,
    hidden_reps,
    largest_group,
)
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.spaces import equivariant_maps, invariants

SMALL_BILINEAR = 0.3
"""Times the usual bilinear weights, in the equivariant start: products of vectors are small then, compared to the vectors."""


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
        groups: Groups,
        width: int = 384,
        layers: int = 4,
        *,
        largest: Group | str | None = None,
        hidden: Hidden = None,
        init: str = "standard",
        round_up: bool = False,
        seed: int | torch.Generator = 0,
    ) -> None:
        candidates, G = largest_group(groups, largest)

        def make_linear(source: Rep, target: Rep, generator: torch.Generator) -> nn.Linear:
            layer = free_linear(source.size(G), target.size(G), generator)
            if init != "standard":
                layer.weight.data = soften(layer.weight.data, equivariant_maps(source, target, G), init)
                layer.bias.data = soften(layer.bias.data, invariants(target, G), init)
            return layer

        reps = hidden_reps(width, layers, G, hidden, round_up=round_up)
        super().__init__(rep_in, rep_out, G, reps, make_linear, soft_gates=True, seed=seed)
        self.candidates = tuple(candidates)
        if init == "equivariant":
            self._start_equivariant()

    @torch.no_grad()
    def _start_equivariant(self) -> None:
        """Closes the soft path of the gates for good, and lets products of tensors begin small."""
        for block in self.modules():
            if isinstance(block, Gated) and block.soft is not None:
                block.soft.zero_().requires_grad_(False)
            elif isinstance(block, Bilinear):
                for weight in block.parameters():
                    weight.mul_(SMALL_BILINEAR)

    def representations(self) -> dict[str, TensorMap]:
        """Which map every linear weight and bias is: what a regularizer needs to know."""
        return {name: tensor_map for name, (_, tensor_map) in self.linear_maps().items()}


class MLP(nn.Module, HasPrior):
    """An unconstrained network of linear layers and swish.

    Args:
        rep_in: Representation of the input; only its size matters.
        rep_out: Representation of the output; only its size matters.
        group: The group that gives the sizes.
        width: Size of the hidden layers.
        layers: Number of linear layers.
        seed: Seed or generator of the initial weights.

    Example:
        >>> import softsym as ss, torch
        >>> ss.nn.MLP("5S + 5V", "T(2)", "O(3)", width=32)(torch.zeros(8, 20)).shape
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
        seed: int | torch.Generator = 0,
    ) -> None:
        super().__init__()
        if layers < 2 or width < 1:
            raise InputError(f"an MLP needs layers >= 2 and width >= 1, got layers={layers}, width={width}")
        self.rep_in, self.rep_out, self.group = read_rep(rep_in), read_rep(rep_out), read_group(group)
        check_memory(width, layers)
        sizes = [self.rep_in.size(self.group), *[width] * (layers - 1), self.rep_out.size(self.group)]
        generator = as_generator(seed)
        self.layers = nn.ModuleList(free_linear(a, b, generator) for a, b in itertools.pairwise(sizes))
        self.size_in = sizes[0]

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., size of rep_in) to (..., size of rep_out)."""
        check_width(x, self.size_in, self.rep_in, self.group)
        for layer in self.layers[:-1]:
            x = nn.functional.silu(layer(x))
        out: Tensor = self.layers[-1](x)
        return out

    def prior(self) -> Tensor:
        """Zero: an MLP has no prior."""
        return self.layers[0].weight.new_zeros(())  # type: ignore[operator]

    def bake(self) -> MLP:
        """The network itself: its layers are ordinary ones already."""
        return self
