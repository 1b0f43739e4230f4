"""The map of each parameter of a model, by its name.

A model gives its maps itself through a ``representations()`` method (:class:`~softsym.nn.SoftMLP` does), or the user gives them by layer or
parameter, or they are read off a chain of linear layers with pointwise nonlinearities between them: its ends are given, and the
representations between two layers are given too or proposed by their widths. Any other module is traced (:func:`softsym.infer_reps`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group, join_groups
from softsym.maps.tensor_map import (
    GivenReps,
    KnowsRepresentations,
    Override,
    Proposal,
    TensorMap,
    check_initialized,
    linear_parameters,
)
from softsym.reps import Rep, hidden_rep

ACTIVATIONS = (nn.ReLU, nn.LeakyReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.ELU, nn.Softplus, nn.Mish)
CHAINED = (nn.Linear, nn.Flatten, nn.Identity, nn.Dropout, *ACTIVATIONS)  # the modules of a chain


def parameter_maps(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None = None,
    rep_out: Rep | str | None = None,
    reps: GivenReps | None = None,
    **options: Any,
) -> Proposal:
    """The map of each parameter of a model, by its name, checked against its shape.

    Args:
        model: The model.
        groups: The candidate groups.
        rep_in: Representation of the input; not needed if the model knows it.
        rep_out: Representation of the output; not needed if the model knows it.
        reps: A proposal of :func:`~softsym.infer_reps`; or the hidden representations of a chain; or {layer name: (rep_in, rep_out)} and
            {parameter name: its map}: together with ``rep_in`` and ``rep_out`` they override the proposal for these layers, without
            them nothing else is regularised.
        options: Others of :func:`~softsym.infer_reps`, such as ``example``.

    Example:
        >>> import softsym as ss, torch
        >>> maps = parameter_maps(torch.nn.Linear(6, 3), [ss.O(3)], "2V", "V")
        >>> {name: str(tensor_map) for name, tensor_map in maps.items()}
        {'weight': '2V -> V', 'bias': 'V'}
    """
    check_initialized(model)
    named, hidden = (reps, None) if isinstance(reps, Mapping) else (None, reps)
    if isinstance(reps, Proposal):
        proposal = reps
    elif isinstance(model, KnowsRepresentations) and reps is None:
        proposal = Proposal(dict(model.representations()))
    elif rep_in is None or rep_out is None or hidden is not None or (named is None and is_chain(model)):
        if named is None:
            proposal = Proposal(chain_maps(model, groups, rep_in, rep_out, hidden))
        else:
            proposal = Proposal(_read_given(model, named, groups))
    else:
        from softsym.maps.infer import infer_reps  # with all layer families, which the other ways do not need

        proposal = infer_reps(model, rep_in, rep_out, groups, named, **options)
    parameters = dict(model.named_parameters(remove_duplicate=False))
    for name, tensor_map in proposal.items():
        if name not in parameters:
            raise InputError(
                f"{name!r} is no parameter of the model (a parametrised weight is computed from others, which are left alone)"
            )
        tensor_map.check(name, parameters[name].shape, groups)
    return proposal


def _read_given(model: nn.Module, reps: Mapping[str, Override], groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of chosen layers and parameters, in the order in which they were given."""
    from softsym.maps.families import layer_maps

    parameters = dict(model.named_parameters())
    maps: dict[str, TensorMap] = {}
    for name, given in reps.items():
        if isinstance(given, tuple):
            maps |= layer_maps(model, name, *given, groups)
        elif not isinstance(given, TensorMap):
            raise InputError(f"`reps` says what {name!r} gives; pass `rep_in` and `rep_out`, too, or (rep_in, rep_out)")
        elif name in parameters:
            maps[name] = given
        else:
            raise InputError(f"`reps` names {name!r}, which is not among the parameters {list(parameters)}")
    return maps


def chain_maps(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None,
    rep_out: Rep | str | None,
    hidden: Sequence[Rep | str] | None,
) -> dict[str, TensorMap]:
    """The maps of the parameters of a linear layer or of a chain of them."""
    if not is_chain(model):
        raise InputError(
            f"{type(model).__name__} is no chain of linear layers, which a list of hidden representations is for; pass `rep_in` and "
            "`rep_out`, and reps={'module name': representation, ...} for representations of your choice"
        )
    layers = model.named_children() if isinstance(model, nn.Sequential) else [("", model)]
    linears = [(name, layer) for name, layer in layers if isinstance(layer, nn.Linear)]
    if rep_in is None or rep_out is None:
        raise InputError("pass `rep_in` and `rep_out`: this model does not know its representations")
    if hidden is None:
        largest = join_groups(groups)
        hidden = [hidden_rep(linear.out_features, largest) for _, linear in linears[:-1]]
    count = len(linears)
    if len(hidden) != count - 1:
        raise InputError(f"{count} linear layers have {count - 1} hidden representations, got {len(hidden)}")
    maps: dict[str, TensorMap] = {}
    for (name, linear), ends in zip(linears, itertools.pairwise([rep_in, *hidden, rep_out]), strict=True):
        maps |= linear_parameters(name, *ends, bias=linear.bias is not None)
    return maps


def is_chain(model: nn.Module) -> bool:
    """Whether a model is a linear layer, or linear layers in a row with pointwise nonlinearities between them.

    Layers that are used twice, are frozen or have weights that are computed from others are not in a chain.
    """
    layers = list(model) if isinstance(model, nn.Sequential) else [model]
    linears = [layer for layer in layers if isinstance(layer, nn.Linear)]
    if not linears or not all(isinstance(layer, CHAINED) for layer in layers):
        return False
    own = [p for layer in linears for p in layer._parameters.values() if p is not None]
    are_trained = all("weight" in layer._parameters for layer in linears) and all(p.requires_grad for p in own)
    return are_trained and len(set(map(id, own))) == len(own)


def layer_of(model: nn.Module, parameter: str) -> str:
    """The name of the layer that holds a parameter; for the model itself, its class."""
    return parameter.rpartition(".")[0] or type(model).__name__.lower()
