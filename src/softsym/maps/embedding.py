"""Tables and products: an embedding maps one word of a vocabulary to a vector, a bilinear layer two vectors to a third."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap, incoming, outgoing
from softsym.reps import Rep
from softsym.reps.rep import cut


def embedding_parameter(words: Rep | str, rep: Rep | str) -> TensorMap:
    """What the table (words, size) of an embedding is.

    Args:
        words: What groups do to the vocabulary: scalars, if they leave words alone.
        rep: Representation of a word's vector.

    Example:
        >>> embedding_parameter("10S", "S + V").space("O(2)@z").dim
        20
    """
    return TensorMap((incoming(words), outgoing(rep)))


def bilinear_parameters(
    layer: str, first: Rep | str, second: Rep | str, rep_out: Rep | str, *, bias: bool = True
) -> dict[str, TensorMap]:
    """What weight (out, first, second) and bias of a bilinear layer are, by their names in the model.

    Example:
        >>> {name: str(each) for name, each in bilinear_parameters("", "V", "V", "S").items()}
        {'weight': 'V * V -> S', 'bias': 'S'}
    """
    prefix = f"{layer}." if layer else ""
    maps = {f"{prefix}weight": TensorMap((outgoing(rep_out), incoming(first), incoming(second)))}
    if bias:
        maps[f"{prefix}bias"] = TensorMap.vector(rep_out)
    return maps


def read_embedding(
    layer: str, module: nn.Module, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """What the table of an embedding of torch is."""
    if not isinstance(module, nn.Embedding | nn.EmbeddingBag):
        raise InputError(f"{type(module).__name__} is not an embedding of torch")
    return {f"{layer}.weight" if layer else "weight": embedding_parameter(rep_in, rep_out)}


def read_bilinear(
    layer: str, module: nn.Module, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """What the parameters of a bilinear layer of torch are, whose two inputs stand one after the other in ``rep_in``."""
    if not isinstance(module, nn.Bilinear):
        raise InputError(f"{type(module).__name__} is not nn.Bilinear")
    first, second = cut(rep_in, [module.in1_features, module.in2_features], groups[0])
    return bilinear_parameters(layer, first, second, rep_out, bias=module.bias is not None)
