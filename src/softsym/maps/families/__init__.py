"""The layers of torch by family: each file has the maps of its parameters, a reader of given layers, and the rules of its trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.families import attention, conv, linear, norm, recurrent
from softsym.maps.tensor_map import TensorMap
from softsym.maps.trace import rules
from softsym.maps.trace.tracer import Rule
from softsym.reps import Rep
from softsym.reps import rep as read_rep

Reader = Callable[[str, Any, Rep, Rep, Sequence[Group]], dict[str, TensorMap]]

FAMILIES: tuple[tuple[tuple[type[nn.Module], ...], Reader], ...] = (
    ((nn.Linear,), linear.read_linear),
    (conv.CONVOLUTIONS, conv.read_conv),
    ((nn.RNNBase,), recurrent.read_recurrent),
    ((nn.MultiheadAttention,), attention.read_attention),
    (norm.NORMS, norm.read_norm),
    ((nn.Embedding, nn.EmbeddingBag), linear.read_embedding),
    ((nn.Bilinear,), linear.read_bilinear),
)
"""The layers that each reader reads; a new family is a file with a line here and its rules below."""

RULES: dict[str, Rule] = {
    name: rule for module in (rules, linear, conv, norm, recurrent, attention) for name, rule in module.RULES.items()
}
"""The trace rules of all torch functions that are understood, by name."""


def layer_maps(
    model: nn.Module, layer: str, rep_in: Rep | str, rep_out: Rep | str, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """The maps of the parameters of one layer of a model; layers of no family are refused."""
    modules = dict(model.named_modules())
    for types, read in FAMILIES:
        if isinstance(modules.get(layer), types):
            maps = read(layer, modules[layer], read_rep(rep_in), read_rep(rep_out), groups)
            return {f"{layer}.{name}" if layer else name: tensor_map for name, tensor_map in maps.items()}
    readable = tuple(layer_type for types, _ in FAMILIES for layer_type in types)
    known = ", ".join(name or "''" for name, module in modules.items() if isinstance(module, readable)) or "none"
    raise InputError(f"`reps` names {layer!r}, which is not a layer that can be read (those are: {known})")
