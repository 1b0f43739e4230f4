"""The skeleton that all networks of the paper share.

Each hidden layer is linear -> plus bilinear -> gated nonlinearity; the last layer is linear. Networks differ in what kind of linear
layer they have, whether the gates have a soft path, and what prior they add to the loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps import TensorMap, linear_parameters
from softsym.native import HiddenLayer, run_hidden_layer
from softsym.nn import functional
from softsym.nn.bilinear import Bilinear
from softsym.nn.gating import Gated, gated_rep
from softsym.nn.linear import baked, weights_of
from softsym.nn.prior import HasPrior
from softsym.reps import Rep, hidden_rep
from softsym.reps import rep as read_rep

LARGEST, BYTES = 2_000_000_000, 16
"""Weights of the largest network that is made, and what each takes: itself, its gradient and two moments, in single precision."""


class Block(nn.Module):
    """A hidden layer: linear, plus bilinear, gated."""

    def __init__(self, linear: nn.Module, bilinear: Bilinear, gated: Gated) -> None:
        super().__init__()
        self.linear, self.bilinear, self.gated = linear, bilinear, gated
        self._layer = HiddenLayer(bilinear.plan, gated.plan, functional.hidden_layer)

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., n_in) to (..., width)."""
        x = self.linear(x)
        flat = x.reshape(-1, x.shape[-1])
        out = run_hidden_layer(self._layer, flat, self.gated.weight, *self.bilinear.weights)
        return out.reshape(*x.shape[:-1], self.gated.size)


class Network(nn.Module, HasPrior):
    """Base of the equivariant networks; concrete ones only choose their linear layers.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        hidden: Representation of each hidden layer.
        group: The largest group: it decides gates and bilinear layers.
        linears: One linear layer for each (input, output) of :func:`routes`.
        soft_gates: Whether gates have a soft path.
        generator: Source of the initial bilinear weights.
    """

    def __init__(
        self,
        rep_in: Rep,
        rep_out: Rep,
        hidden: Sequence[Rep],
        group: Group,
        linears: Sequence[nn.Module],
        *,
        soft_gates: bool,
        generator: torch.Generator | None,
    ) -> None:
        super().__init__()
        self.rep_in, self.rep_out, self.hidden, self.group = rep_in, rep_out, tuple(hidden), group
        self.size_in, self.size_out = rep_in.size(group), rep_out.size(group)
        self.blocks = nn.ModuleList(
            Block(
                linear,
                Bilinear(gated_rep(rep, group), group, generator),
                Gated(rep, group, soft=soft_gates),
            )
            for rep, linear in zip(hidden, linears[:-1], strict=True)
        )
        self.last = linears[-1]

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., size of rep_in) to (..., size of rep_out)."""
        check_width(x, self.size_in, self.rep_in, self.group)
        for block in self.blocks:
            x = block(x)
        out: Tensor = self.last(x)
        return out

    def prior(self) -> Tensor:
        """What the model itself adds to the loss: here the decay of the soft gates, |w|^2."""
        gates = [block.gated.soft for block in self.blocks if block.gated.soft is not None]  # type: ignore[union-attr]
        zero = next(self.parameters()).new_zeros(())
        return torch.cat(gates).square().sum() if gates else zero  # type: ignore[arg-type]

    def linear_maps(self) -> dict[str, tuple[Tensor, TensorMap]]:
        """The weight and bias that each linear layer adds up to, whatever it is built of, and what they are, by name."""
        names = [*(f"blocks.{k}.linear" for k in range(len(self.blocks))), "last"]
        maps: dict[str, tuple[Tensor, TensorMap]] = {}
        for name, ends in zip(names, routes(self.rep_in, self.rep_out, self.hidden, self.group), strict=True):
            parameters, values = linear_parameters(name, *ends), weights_of(self.get_submodule(name))
            maps |= {key: (value, parameters[key]) for key, value in zip(parameters, values, strict=True)}
        return maps

    def bake(self) -> Network:
        """A network of ordinary linear layers that computes the same function, for fast inference."""
        import copy

        plain = copy.deepcopy(self)
        for block in plain.blocks:
            block.linear = baked(block.linear)  # type: ignore[arg-type]
        plain.last = baked(plain.last)
        return plain

    def extra_repr(self) -> str:
        """Shown by print(network)."""
        return f"{self.rep_in} -> {self.rep_out}, {self.group.name}, {count_parameters(self):,} parameters"


def read_hidden(hidden: Rep | str | Sequence[Rep | str] | None) -> Rep | list[Rep] | None:
    """A hidden representation, a list of them, or None."""
    if hidden is None or isinstance(hidden, Rep):
        return hidden
    return read_rep(hidden) if isinstance(hidden, str) else [read_rep(item) for item in hidden]


def hidden_reps(
    width: int, layers: int, group: Group, hidden: Rep | Sequence[Rep] | None, *, round_up: bool = False
) -> list[Rep]:
    """The hidden representations of a network: proposed by width, or given (one for all layers, or one for each)."""
    if layers < 2:
        raise InputError(f"a network needs at least 2 linear layers, got layers={layers}")
    if hidden is None:
        check_memory(width, layers)
        return [hidden_rep(width, group, round_up=round_up, duals=not round_up)] * (layers - 1)
    if isinstance(hidden, Rep):
        return [hidden] * (layers - 1)
    if len(hidden) != layers - 1:
        raise InputError(
            f"{layers} linear layers have {layers - 1} hidden representations, got {len(hidden)}"
        )
    return list(hidden)


def routes(rep_in: Rep, rep_out: Rep, hidden: Sequence[Rep], group: Group) -> list[tuple[Rep, Rep]]:
    """(input, output) representation of each linear layer; hidden layers also produce gates."""
    sources = [rep_in, *hidden]
    targets = [*(gated_rep(rep, group) for rep in hidden), rep_out]
    return list(zip(sources, targets, strict=True))


def seeded(seed: int | torch.Generator) -> torch.Generator:
    """A generator from a seed."""
    return seed if isinstance(seed, torch.Generator) else torch.Generator().manual_seed(seed)


def count_parameters(module: nn.Module) -> int:
    """Number of trainable numbers."""
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


def check_memory(width: int, layers: int) -> None:
    """Refuses a network whose weights would fill the memory, before anything is allocated.

    Example:
        >>> check_memory(384, 4)
        >>> check_memory(1_000_000, 4)
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: 4 layers of width 1,000,000 have about 2e+12 weights, which take 32,000 GB to train; ...
    """
    between = max(1, layers - 2)
    if between * width**2 > LARGEST:
        raise InputError(
            f"{layers} layers of width {width:,} have about {between * width**2:.0e} weights, which take "
            f"{between * width**2 * BYTES / 1e9:,.0f} GB to train; pass a width of at most {math.isqrt(LARGEST // between):,}"
        )


def check_width(x: Tensor, size: int, rep: Rep, group: Group) -> None:
    """Refuses an input of the wrong width."""
    if x.shape[-1] != size:
        raise InputError(f"{rep} under {group.name} has size {size}, got an input of shape {tuple(x.shape)}")
