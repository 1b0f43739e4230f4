r"""Linear and bilinear layers, and embeddings.

A weight is a map :math:`\rho_{in} \to \rho_{out}`, a bias a vector of :math:`\rho_{out}`; a bilinear layer has two input axes, the table of
an embedding maps the tokens of a vocabulary to vectors. A chain of linear layers with pointwise nonlinearities between them is read as a
whole: its ends are given, and the representations between two layers are given too or proposed by their widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group, join_groups
from softsym.maps.tensor_map import TensorMap, incoming, name_parameters, outgoing
from softsym.maps.trace.tracer import Call, Output, Rule, Tracer
from softsym.maps.trace.unify import channel_axis, free_axis, new_variable, open_axes, unify
from softsym.reps import Rep, Scalar, hidden_rep
from softsym.reps import rep as read_rep
from softsym.reps.rep import cut

ACTIVATIONS = (nn.ReLU, nn.LeakyReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.ELU, nn.Softplus, nn.Mish)
CHAINED = (nn.Linear, nn.Flatten, nn.Identity, nn.Dropout, *ACTIVATIONS)
"""The modules of a chain."""


def linear_parameters(
    layer: str, rep_in: Rep | str, rep_out: Rep | str, *, bias: bool = True
) -> dict[str, TensorMap]:
    """The maps of weight and bias of a linear layer, by their names in the model.

    Args:
        layer: The layer's name; empty if it is the model itself.
        rep_in: Representation of its input.
        rep_out: Representation of its output.
        bias: Whether it has one.

    Example:
        >>> {name: str(tensor_map) for name, tensor_map in linear_parameters("last", "2V", "V").items()}
        {'last.weight': '2V -> V', 'last.bias': 'V'}
    """
    vector = TensorMap.vector(rep_out) if bias else None
    return name_parameters(layer, {"weight": TensorMap.linear(rep_in, rep_out), "bias": vector})


def embedding_parameter(tokens: Rep | str, rep: Rep | str) -> TensorMap:
    """The map of the table (tokens, size) of an embedding.

    Args:
        tokens: Representation of the vocabulary: scalars, if groups do not act on it.
        rep: Representation of a token's vector.

    Example:
        >>> embedding_parameter("10S", "S + V").space("O(2)@z").dim
        20
    """
    return TensorMap((incoming(tokens), outgoing(rep)))


def read_linear(
    layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """The maps of the parameters of a linear layer."""
    return linear_parameters(layer, rep_in, rep_out, bias=module.bias is not None)


def read_bilinear(
    layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """The maps of the parameters of a bilinear layer; ``rep_in`` is the direct sum of its two inputs."""
    first, second = cut(rep_in, [module.in1_features, module.in2_features], groups[0])
    weight = TensorMap((outgoing(rep_out), incoming(first), incoming(second)))
    bias = None if module.bias is None else TensorMap.vector(rep_out)
    return name_parameters(layer, {"weight": weight, "bias": bias})


def read_embedding(
    layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]
) -> dict[str, TensorMap]:
    """The map of the table of an embedding."""
    return name_parameters(layer, {"weight": embedding_parameter(rep_in, rep_out)})


def chain_maps(
    model: nn.Module,
    groups: Sequence[Group],
    rep_in: Rep | str | None,
    rep_out: Rep | str | None,
    hidden: Sequence[Rep | str] | None,
) -> dict[str, TensorMap]:
    """The maps of the parameters of a linear layer or of a chain of them.

    Args:
        model: The layer or chain.
        groups: The candidate groups, for which hidden representations are proposed.
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        hidden: Representations between the layers; None to have them proposed.
    """
    linears = _linear_layers(model)
    if rep_in is None or rep_out is None:
        raise InputError("pass `rep_in` and `rep_out`: this model does not know its representations")
    if hidden is None:
        largest = join_groups(groups)
        between = [hidden_rep(linear.out_features, largest) for _, linear in linears[:-1]]
    else:
        between = [read_rep(item) for item in hidden]
    if len(between) != len(linears) - 1:
        raise InputError(
            f"{len(linears)} linear layers have {len(linears) - 1} hidden representations, got {len(between)}"
        )
    reps = [read_rep(rep_in), *between, read_rep(rep_out)]
    maps: dict[str, TensorMap] = {}
    for (name, linear), source, target in zip(linears, reps[:-1], reps[1:], strict=True):
        maps |= linear_parameters(name, source, target, bias=linear.bias is not None)
    return maps


def is_chain(model: nn.Module) -> bool:
    """Whether a model is a linear layer, or linear layers in a row with pointwise nonlinearities between them.

    Layers that are used twice, are frozen or have weights that are computed from others are not in a chain.

    Example:
        >>> is_chain(nn.Sequential(nn.Linear(3, 4), nn.ReLU())), is_chain(nn.Sequential(nn.Conv2d(3, 4, 3)))
        (True, False)
    """
    layers = list(model) if isinstance(model, nn.Sequential) else [model]
    linears = [layer for layer in layers if isinstance(layer, nn.Linear)]
    if not linears or not all(isinstance(layer, CHAINED) for layer in layers):
        return False
    own = [p for layer in linears for p in layer._parameters.values() if p is not None]
    are_trained = all("weight" in layer._parameters for layer in linears) and all(
        p.requires_grad for p in own
    )
    return are_trained and len(set(map(id, own))) == len(own)


def _linear_layers(model: nn.Module) -> list[tuple[str, nn.Linear]]:
    """The linear layers of a chain by name."""
    if not is_chain(model):
        raise InputError(
            f"{type(model).__name__} is no chain of linear layers, which a list of hidden representations is for; pass `rep_in` and "
            "`rep_out`, and reps={'module name': representation, ...} for representations of your choice"
        )
    if isinstance(model, nn.Linear):
        return [("", model)]
    return [(name, module) for name, module in model.named_children() if isinstance(module, nn.Linear)]


def _trace_linear(tracer: Tracer, call: Call) -> Output:
    x, weight, bias = call.get(0, "input"), call.get(1, "weight"), call.get(2, "bias")
    layout = tracer.layout(x)
    source = layout[-1].channels(call.where)
    (target,) = tracer.reuse(weight, new_variable(weight.shape[0], call.where))
    if tracer.parameter(weight) in tracer.tables:  # a weight tied to an embedding takes what the table holds
        unify(source, tracer.tables[str(tracer.parameter(weight))], tracer.group)
    tracer.use(weight, TensorMap.linear, source, target)
    tracer.use(bias, TensorMap.vector, target)
    return (*layout[:-1], channel_axis(target))


def _trace_bilinear(tracer: Tracer, call: Call) -> Output:
    names = ("input1", "input2", "weight", "bias")
    first, second, weight, bias = (call.get(k, name) for k, name in enumerate(names))
    a, b = (tracer.layout(item)[-1].channels(call.where) for item in (first, second))
    (target,) = tracer.reuse(weight, new_variable(weight.shape[0], call.where))

    def read(a: Rep, b: Rep, out: Rep) -> TensorMap:
        return TensorMap((outgoing(out), incoming(a), incoming(b)))

    tracer.use(weight, read, a, b, target)
    tracer.use(bias, TensorMap.vector, target)
    return (*tracer.layout(first)[:-1], channel_axis(target))


def _trace_embedding(tracer: Tracer, call: Call) -> Output:
    tokens, table = call.get(0, "input"), call.get(1, "weight")
    target = tracer.tables.setdefault(str(tracer.parameter(table)), new_variable(table.shape[1], call.where))
    vocabulary = tracer.vocabularies.get(table.shape[0], table.shape[0] * Scalar)
    tracer.use(table, lambda rep: embedding_parameter(vocabulary, rep), target)
    axes = tracer.layout(tokens) if tracer.is_traced(tokens) else open_axes(tuple(tokens.shape))
    for axis in axes:
        if axis.role == "open":
            axis.assign(free_axis(axis.size))
    return (*axes, channel_axis(target))


RULES: dict[str, Rule] = {
    "linear": _trace_linear,
    "bilinear": _trace_bilinear,
    "embedding": _trace_embedding,
}
