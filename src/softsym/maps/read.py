"""Which parameter of a model is which map.

A model says so itself through a ``representations()`` method (:class:`~softsym.nn.SoftMLP` does), or a person says so layer by layer or
parameter by parameter, or it is read off a chain of linear layers, or any other module is watched while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.families import layer_maps
from softsym.maps.infer import Override, infer_reps
from softsym.maps.inputs import check_shapes
from softsym.maps.linear import chain_maps, is_chain
from softsym.maps.proposal import Proposal
from softsym.maps.tensor_map import TensorMap
from softsym.reps import Rep

GivenReps = Mapping[str, Override] | Sequence[Rep | str]


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
) -> Proposal:
    """What each parameter of a model is, by its name, checked against its shape.

    Args:
        model: The model.
        groups: The candidate groups.
        rep_in: Representation of the input; not needed if the model knows it.
        rep_out: Representation of the output; not needed if the model knows it.
        reps: What :func:`~softsym.infer_reps` gave; or the hidden representations of a chain; or {layer name: (rep_in, rep_out)} and
            {parameter name: its map}: together with ``rep_in`` and ``rep_out`` they overrule what is proposed for the rest, without
            them nothing else is regularised.

    Example:
        >>> import softsym as ss, torch
        >>> maps = parameter_maps(torch.nn.Linear(6, 3), [ss.O(3)], "2V", "V")
        >>> {name: str(one) for name, one in maps.items()}
        {'weight': '2V -> V', 'bias': 'V'}
    """
    check_shapes(model)
    proposal = _proposal(model, groups, rep_in, rep_out, reps)
    known = dict(model.named_parameters(remove_duplicate=False))
    for name, one in proposal.items():
        if name not in known:
            raise InputError(
                f"{name!r} is no parameter of the model (a parametrised weight is computed from others, which are left alone)"
            )
        one.check(name, known[name].shape, groups)
    return proposal


def _proposal(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None,
    rep_out: Rep | str | None,
    reps: GivenReps | None,
) -> Proposal:
    if isinstance(reps, Proposal):
        return reps
    if isinstance(reps, Mapping) and rep_in is not None and rep_out is not None:
        return infer_reps(model, rep_in, rep_out, groups, reps)
    if isinstance(reps, Mapping):
        return Proposal(_given(model, reps, groups))
    if isinstance(model, KnowsRepresentations) and reps is None:
        return Proposal(dict(model.representations()))
    if reps is not None or is_chain(model) or rep_in is None or rep_out is None:
        return Proposal(chain_maps(model, groups, rep_in, rep_out, reps))
    return infer_reps(model, rep_in, rep_out, groups)


def layer_of(model: nn.Module, parameter: str) -> str:
    """The name of the layer that holds a parameter; the model itself goes by its class.

    Example:
        >>> import torch
        >>> layer_of(torch.nn.Linear(3, 3), "weight")
        'linear'
    """
    return parameter.rpartition(".")[0] or type(model).__name__.lower()


def _given(model: nn.Module, reps: Mapping[str, Override], groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of chosen layers and parameters, in the order in which they were given."""
    known = dict(model.named_parameters())
    maps: dict[str, TensorMap] = {}
    for name, given in reps.items():
        if isinstance(given, tuple):
            maps |= layer_maps(model, name, *given, groups)
        elif not isinstance(given, TensorMap):
            raise InputError(
                f"`reps` says what {name!r} gives; pass `rep_in` and `rep_out`, too, or (rep_in, rep_out)"
            )
        elif name in known:
            maps[name] = given
        else:
            raise InputError(f"`reps` names {name!r}, which is not among the parameters {list(known)}")
    return maps
