"""The skeleton that all networks of the paper share.

Each hidden layer is linear -> plus bilinear -> gated nonlinearity; the last layer is linear. Networks differ in what kind of linear
layer they have, whether the gates have a soft path, and what prior they add to the loss.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn

from softsym.arrays import seed_of
from softsym.errors import InputError
from softsym.groups import Group, join_groups, read_groups
from softsym.maps import TensorMap, linear_parameters
from softsym.native import Gates, HiddenLayer, Plan, run_hidden_layer
from softsym.nn.bilinear import Bilinear, bilinear
from softsym.nn.gate import Gated, gate, gated_rep
from softsym.nn.linear import EquivariantLinear, bake_linear, get_weights
from softsym.reps import Rep, hidden_rep
from softsym.reps import rep as read_rep

Groups: TypeAlias = Group | str | Sequence[Group | str]
Hidden: TypeAlias = Rep | str | Sequence[Rep | str] | None
LARGEST, BYTES = 2_000_000_000, 16
"""Weights of the largest network that is made, and what each takes: itself, its gradient and two moments, in single precision."""


class HasPrior(ABC):
    """A network that adds a term of its own to the loss.

    It is declared by inheriting, not found by name: many modules call something else their prior (every variational autoencoder does),
    and nothing of theirs may end up in a loss by accident.
    """

    @abstractmethod
    def prior(self) -> Tensor:
        """The term: a differentiable scalar of the parameters alone."""


def get_prior(model: nn.Module) -> Callable[[], Tensor] | None:
    """The prior that a model declares; None if it declares none."""
    return model.prior if isinstance(model, HasPrior) else None


class Block(nn.Module):
    """A hidden layer: linear, plus bilinear, gated."""

    def __init__(self, linear: nn.Module, bilinear: Bilinear, gated: Gated) -> None:
        super().__init__()
        self.linear, self.bilinear, self.gated = linear, bilinear, gated
        self._layer = HiddenLayer(bilinear.plan, gated.plan, hidden_layer)

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., n_in) to (..., width)."""
        x = self.linear(x)
        flat = x.reshape(-1, x.shape[-1])
        out = run_hidden_layer(self._layer, flat, self.gated.weight, *self.bilinear.weights)
        return out.reshape(*x.shape[:-1], self.gated.size)


def hidden_layer(plan: Plan, gates: Gates, x: Tensor, gate_weight: Tensor, *weights: Tensor) -> Tensor:
    """The bilinear layer and the gates after it: (batch, gates and values) to (batch, values)."""
    return gate(gates, bilinear(plan, x, *weights), gate_weight)


class Network(nn.Module, HasPrior):
    """Base of the equivariant networks; concrete ones only choose their linear layers.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        group: The largest group: it decides gates and bilinear layers.
        hidden: Representation of each hidden layer.
        make_linear: Makes a linear layer of its representations of input and output and a source of initial weights.
        soft_gates: Whether gates have a soft path.
        seed: Seed or generator of the initial weights.
    """

    def __init__(
        self,
        rep_in: Rep | str,
        rep_out: Rep | str,
        group: Group,
        hidden: Sequence[Rep],
        make_linear: Callable[[Rep, Rep, torch.Generator], nn.Module],
        *,
        soft_gates: bool = False,
        seed: int | torch.Generator = 0,
    ) -> None:
        super().__init__()
        self.rep_in, self.rep_out, self.group = read_rep(rep_in), read_rep(rep_out), group
        self.hidden = tuple(hidden)
        self.size_in, self.size_out = self.rep_in.size(group), self.rep_out.size(group)
        generator = as_generator(seed)
        *linears, last = [make_linear(source, target, generator) for source, target in self._layer_reps()]
        self.blocks = nn.ModuleList(
            Block(linear, Bilinear(gated_rep(rep, group), group, generator), Gated(rep, group, soft=soft_gates))
            for rep, linear in zip(self.hidden, linears, strict=True)
        )
        self.last = last

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
        for name, ends in zip(names, self._layer_reps(), strict=True):
            parameters, values = linear_parameters(name, *ends), get_weights(self.get_submodule(name))
            maps |= {key: (value, parameters[key]) for key, value in zip(parameters, values, strict=True)}
        return maps

    def bake(self) -> Network:
        """A network of ordinary linear layers that computes the same function, for fast inference."""
        plain = copy.deepcopy(self)
        for block in plain.blocks:
            block.linear = bake_linear(block.linear)  # type: ignore[arg-type]
        plain.last = bake_linear(plain.last)
        return plain

    def pair_prior(self, decays: tuple[float, float]) -> Tensor:
        """Gaussian priors on the weights of both parts of every :class:`SumLinear` (biases are free), and the decay of soft gates."""
        total = Network.prior(self)
        for pair in (*(block.linear for block in self.blocks), self.last):
            for part, decay in zip((pair.first, pair.second), decays, strict=True):  # type: ignore[union-attr]
                weight = part.weight.free if isinstance(part, EquivariantLinear) else part.weight  # type: ignore[union-attr]
                total = total + decay * weight.square().sum()  # type: ignore[operator]
        return total

    def _layer_reps(self) -> list[tuple[Rep, Rep]]:
        """(input, output) representation of each linear layer; hidden layers also produce gates."""
        targets = [*(gated_rep(rep, self.group) for rep in self.hidden), self.rep_out]
        return list(zip((self.rep_in, *self.hidden), targets, strict=True))

    def extra_repr(self) -> str:
        return f"{self.rep_in} -> {self.rep_out}, {self.group.name}, {count_parameters(self):,} parameters"


def hidden_reps(width: int, layers: int, group: Group, hidden: Hidden = None, *, round_up: bool = False) -> list[Rep]:
    """The hidden representations of a network: proposed by width, or given (one for all layers, or one for each)."""
    if layers < 2:
        raise InputError(f"a network needs at least 2 linear layers, got layers={layers}")
    if hidden is None:
        check_memory(width, layers)
        return [hidden_rep(width, group, round_up=round_up, duals=not round_up)] * (layers - 1)
    if isinstance(hidden, Rep | str):
        return [read_rep(hidden)] * (layers - 1)
    if len(hidden) != layers - 1:
        raise InputError(f"{layers} linear layers have {layers - 1} hidden representations, got {len(hidden)}")
    return [read_rep(rep) for rep in hidden]


def as_generator(seed: int | torch.Generator) -> torch.Generator:
    """A generator from a seed."""
    return seed if isinstance(seed, torch.Generator) else torch.Generator().manual_seed(seed_of(seed, "seed"))


def largest_group(groups: Groups, largest: Group | str | None = None) -> tuple[list[Group], Group]:
    """Candidate groups, and the largest one: if not given, all of them joined."""
    candidates = read_groups(groups)
    return candidates, join_groups(candidates) if largest is None else read_groups([largest, *candidates])[0]


def count_parameters(module: nn.Module) -> int:
    """Number of trainable numbers."""
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


def check_memory(width: int, layers: int) -> None:
    """Refuses a network whose weights would fill the memory, before anything is allocated."""
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
