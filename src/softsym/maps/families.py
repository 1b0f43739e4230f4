"""The layers of torch by family, each with its reader: what the parameters of a named layer are, given what it takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.attention import read_attention
from softsym.maps.conv import CONVOLUTIONS, read_conv
from softsym.maps.embedding import read_bilinear, read_embedding
from softsym.maps.linear import linear_parameters
from softsym.maps.norm import NORMS, read_norm
from softsym.maps.recurrent import read_recurrent
from softsym.maps.tensor_map import TensorMap
from softsym.reps import Rep
from softsym.reps import rep as read_rep

Reader = Callable[[str, nn.Module, Rep, Rep, Sequence[Group]], dict[str, TensorMap]]


def _read_linear(
    layer: str, module: nn.Module, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    return linear_parameters(layer, rep_in, rep_out, bias=module.bias is not None)


FAMILIES: tuple[tuple[tuple[type[nn.Module], ...], Reader], ...] = (
    ((nn.Linear,), _read_linear),
    (CONVOLUTIONS, read_conv),
    ((nn.RNNBase,), read_recurrent),
    ((nn.MultiheadAttention,), read_attention),
    (NORMS, read_norm),
    ((nn.Embedding, nn.EmbeddingBag), read_embedding),
    ((nn.Bilinear,), read_bilinear),
)
"""Which layers each reader reads; a new family is a file and a line here."""


def layer_maps(
    model: nn.Module, layer: str, rep_in: Rep | str, rep_out: Rep | str, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """What the parameters of one layer of a model are; refuses what is no layer of a family.

    Args:
        model: The model.
        layer: The layer's name in it.
        rep_in: Representation of what it takes (of channels, for a convolution).
        rep_out: Representation of what it gives.
        groups: The candidate groups.

    Example:
        >>> import softsym as ss
        >>> model = nn.Sequential(nn.Conv1d(1, 2, 3), nn.Flatten())
        >>> {name: str(one) for name, one in layer_maps(model, "0", "S", "Regular(O(1))", [ss.O(1)]).items()}
        {'0.weight': 'S * Grid(3) -> Regular(O(1))', '0.bias': 'Regular(O(1))'}
    """
    modules = dict(model.named_modules())
    for types, read in FAMILIES:
        if isinstance(modules.get(layer), types):
            return read(layer, modules[layer], read_rep(rep_in), read_rep(rep_out), groups)
    every = tuple(one for types, _ in FAMILIES for one in types)
    known = ", ".join(name or "''" for name, module in modules.items() if isinstance(module, every)) or "none"
    raise InputError(f"`reps` names {layer!r}, which is not a layer that can be read (those are: {known})")
