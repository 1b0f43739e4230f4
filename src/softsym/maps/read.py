"""Which parameter of a model is which map.

A model says so itself through a ``representations()`` method (:class:`~softsym.nn.SoftMLP` does), or a person says so layer by layer or
parameter by parameter, or it is read off a single linear layer or a chain of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.linear import chain_maps, layer_maps
from softsym.maps.tensor_map import TensorMap
from softsym.reps import Rep

GivenReps = Mapping[str, tuple[Rep | str, Rep | str] | TensorMap] | Sequence[Rep | str]


@runtime_checkable
class KnowsRepresentations(Protocol):
    """A model that says what its parameters are."""

    def representations(self) -> Mapping[str, TensorMap]:
        """What each named parameter is; those left out are left alone."""


def parameter_maps(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None = None,
    rep_out: Rep | str | None = None,
    reps: GivenReps | None = None,
) -> dict[str, TensorMap]:
    """What each parameter of a model is, by its name, checked against its shape.

    Args:
        model: The model.
        groups: The candidate groups.
        rep_in: Representation of the input; not needed if the model knows it.
        rep_out: Representation of the output; not needed if the model knows it.
        reps: {layer name: (rep_in, rep_out)} for chosen linear layers and {parameter name: its map} for chosen parameters, or the hidden
            representations of a chain.

    Example:
        >>> import softsym as ss, torch
        >>> maps = parameter_maps(torch.nn.Linear(6, 3), [ss.O(3)], "2V", "V")
        >>> {name: str(one) for name, one in maps.items()}
        {'weight': '2V -> V', 'bias': 'V'}
    """
    if isinstance(reps, Mapping):
        maps = _given(model, reps)
    elif isinstance(model, KnowsRepresentations) and reps is None:
        maps = dict(model.representations())
    else:
        maps = chain_maps(model, groups, rep_in, rep_out, reps)
    for name, one in maps.items():
        one.check(name, model.get_parameter(name).shape, groups)
    return maps


def layer_of(model: nn.Module, parameter: str) -> str:
    """The name of the layer that holds a parameter; the model itself goes by its class.

    Example:
        >>> import torch
        >>> layer_of(torch.nn.Linear(3, 3), "weight")
        'linear'
    """
    return parameter.rpartition(".")[0] or type(model).__name__.lower()


def _given(
    model: nn.Module, reps: Mapping[str, tuple[Rep | str, Rep | str] | TensorMap]
) -> dict[str, TensorMap]:
    """The maps of chosen layers and parameters, in the order in which they were given."""
    known = dict(model.named_parameters())
    maps: dict[str, TensorMap] = {}
    for name, given in reps.items():
        if not isinstance(given, TensorMap):
            maps |= layer_maps(model, name, *given)
        elif name in known:
            maps[name] = given
        else:
            raise InputError(f"`reps` names {name!r}, which is not among the parameters {list(known)}")
    return maps
