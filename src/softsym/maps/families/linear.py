r"""Linear and bilinear layers, and embeddings.

A weight is a map :math:`\rho_{in} \to \rho_{out}`, a bias a vector of :math:`\rho_{out}`; a bilinear layer has two input axes, the table of
an embedding maps the tokens of a vocabulary to vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap, incoming, outgoing, weight_and_bias
from softsym.maps.trace.tracer import Call, Output, Rule, Tracer
from softsym.maps.trace.unify import channel_axis, free_axis, new_variable, open_axes, unify
from softsym.reps import Rep, Scalar
from softsym.reps.rep import cut


def _table(tokens: Rep, rep: Rep) -> TensorMap:
    """The map of the table (tokens, size) of an embedding."""
    return TensorMap((incoming(tokens), outgoing(rep)))


def _bilinear(first: Rep, second: Rep, out: Rep) -> TensorMap:
    return TensorMap((outgoing(out), incoming(first), incoming(second)))


def read_linear(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of the parameters of a linear layer."""
    return weight_and_bias(module, TensorMap.linear(rep_in, rep_out), rep_out)


def read_bilinear(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of the parameters of a bilinear layer; ``rep_in`` is the direct sum of its two inputs."""
    first, second = cut(rep_in, [module.in1_features, module.in2_features], groups[0])
    return weight_and_bias(module, _bilinear(first, second, rep_out), rep_out)


def read_embedding(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The map of the table of an embedding."""
    return {"weight": _table(rep_in, rep_out)}


def _trace_linear(tracer: Tracer, call: Call) -> Output:
    x, weight, bias = call.get(0, "input"), call.get(1, "weight"), call.get(2, "bias")
    layout = tracer.layout(x)
    source, n_out = layout[-1].channels(), weight.shape[0]
    # a layer along an axis on which no group acts, while one acts on another axis, mixes copies
    is_mixing = layout[-1].role == "free" and any(axis.role in ("channel", "pixel") for axis in layout)
    (target,) = tracer.reuse(weight, new_variable(n_out, n_out * Scalar if is_mixing else None))
    if bias is not None:
        tracer.mark_all_pointwise(layout[:-1], "adding a bias")
    if tracer.parameter(weight) in tracer.tables:  # a weight tied to an embedding takes what the table holds
        unify(source, tracer.tables[str(tracer.parameter(weight))], tracer.group)
    tracer.use(weight, TensorMap.linear, source, target)
    tracer.use(bias, TensorMap.vector, target)
    return (*layout[:-1], free_axis(n_out) if is_mixing else channel_axis(target))


def _trace_bilinear(tracer: Tracer, call: Call) -> Output:
    names = ("input1", "input2", "weight", "bias")
    first, second, weight, bias = (call.get(k, name) for k, name in enumerate(names))
    a, b = (tracer.layout(item)[-1].channels() for item in (first, second))
    (target,) = tracer.reuse(weight, new_variable(weight.shape[0]))
    tracer.use(weight, _bilinear, a, b, target)
    tracer.use(bias, TensorMap.vector, target)
    return (*tracer.layout(first)[:-1], channel_axis(target))


def _trace_embedding(tracer: Tracer, call: Call) -> Output:
    tokens, table = call.get(0, "input"), call.get(1, "weight")
    target = tracer.tables.setdefault(str(tracer.parameter(table)), new_variable(table.shape[1]))
    vocabulary = tracer.vocabularies.get(table.shape[0], table.shape[0] * Scalar)
    tracer.use(table, partial(_table, vocabulary), target)
    axes = tracer.layout(tokens) if tracer.is_traced(tokens) else open_axes(tuple(tokens.shape))
    for axis in axes:
        if axis.role == "open":
            axis.assign(free_axis(axis.size))
    return (*axes, channel_axis(target))


RULES: dict[str, Rule] = {"linear": _trace_linear, "bilinear": _trace_bilinear, "embedding": _trace_embedding}
