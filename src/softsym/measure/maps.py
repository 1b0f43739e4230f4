"""The linear maps of a network, each with the representations between which it maps.

All networks of :mod:`softsym.nn` have them, however they build their weights; any other module can be described by naming its
parameters and saying what each one is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.nn import Network, ParameterRep
from softsym.nn.linear import weights_of
from softsym.nn.network import routes
from softsym.reps import Rep
from softsym.spaces import EquivariantSpace, equivariant_maps, invariants

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Described:
    """A weight (n_out, n_in) or a bias (n_out,) and what it is; ``rep_in`` is None for a bias."""

    value: Array
    rep_out: Rep
    rep_in: Rep | None

    def space(self, group: Group) -> EquivariantSpace:
        """The space of its equivariant values."""
        if self.rep_in is None:
            return invariants(self.rep_out, group)
        return equivariant_maps(self.rep_in, self.rep_out, group)


@runtime_checkable
class Describes(Protocol):
    """A module that can say what its parameters are."""

    def representations(self) -> Mapping[str, ParameterRep]:
        """Parameter name to what it is."""


def described(
    model: nn.Module | Mapping[str, ArrayLike | Tensor],
    representations: Mapping[str, ParameterRep] | None = None,
) -> dict[str, Described]:
    """All linear weights and biases of a model by name, in the order of its layers, as float64 arrays.

    Args:
        model: A network of :mod:`softsym.nn`, any module with a ``representations()`` method, any other module, or parameters by name.
        representations: What each parameter is, by name; needed unless the model knows.
    """
    if representations is None and isinstance(model, Network):
        return _of_network(model)
    if representations is None:
        if not isinstance(model, Describes):
            raise InputError(
                f"{type(model).__name__} does not say what its parameters are; "
                "pass `representations`, a dict from parameter name to softsym.nn.ParameterRep"
            )
        representations = model.representations()
    values = dict(model.named_parameters()) if isinstance(model, nn.Module) else dict(model)
    missing = [name for name in representations if name not in values]
    if missing:
        raise InputError(
            f"`representations` names {missing[0]!r}, which is not among the parameters {list(values)}"
        )
    return {
        name: Described(as_array(values[name]), r.rep_out, r.rep_in) for name, r in representations.items()
    }


def as_array(value: ArrayLike | Tensor) -> Array:
    """A float64 copy on the CPU."""
    if isinstance(value, Tensor):
        value = value.detach().cpu().double().numpy()
    return np.array(value, dtype=np.float64)


def _of_network(model: Network) -> dict[str, Described]:
    """Whatever a network's linear layers are built of, what counts is the map they add up to."""
    layers = {f"blocks.{k}.linear": block.linear for k, block in enumerate(model.blocks)} | {
        "last": model.last
    }
    found: dict[str, Described] = {}
    pairs = routes(model.rep_in, model.rep_out, model.hidden, model.group)
    for (name, layer), (rep_in, rep_out) in zip(layers.items(), pairs, strict=True):
        weight, bias = weights_of(layer)  # type: ignore[arg-type]
        found[f"{name}.weight"] = Described(as_array(weight), rep_out, rep_in)
        found[f"{name}.bias"] = Described(as_array(bias), rep_out, None)
    return found
