"""MLP: the unconstrained multilayer perceptron, linear layers and swish."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.nn.linear import free_linear
from softsym.nn.network import HasPrior, as_generator, check_memory, check_width
from softsym.reps import Rep
from softsym.reps import rep as read_rep


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
