r"""Attention: queries, keys and values have one representation in every head.

A score is the inner product of a query and a key, so it is invariant if each head holds a whole orthogonal representation; the output is a
weighted sum of values. Packed weights are three maps one above the other, :math:`(\rho_q + \rho_q + \rho_v) \otimes \rho'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.tensor_map import TensorMap, incoming, outgoing
from softsym.maps.trace.tracer import Call, Output, Rule, Tracer
from softsym.maps.trace.unify import TracedAxis, TraceError, channel_axis, free_axes, new_variable, unify, unify_axes
from softsym.reps import Rep
from softsym.reps.rep import equal_part


def attention_parameter(
    name: str, heads: int, score: Rep, value: Rep, query_in: Rep, key_in: Rep, value_in: Rep, out: Rep
) -> TensorMap:
    """The map of a parameter of :class:`torch.nn.MultiheadAttention`; score (of queries and keys) and value are those of one head."""
    packed = outgoing(heads * score + heads * score + heads * value)
    if score == value:
        packed = outgoing(score, copies=3 * heads)
    queries, results, scalar = outgoing(score, copies=heads), outgoing(value, copies=heads), outgoing("S")
    axes = {
        "in_proj_weight": (packed, incoming(query_in)),
        "in_proj_bias": (packed,),
        "q_proj_weight": (queries, incoming(query_in)),
        "k_proj_weight": (queries, incoming(key_in)),
        "v_proj_weight": (results, incoming(value_in)),
        "bias_k": (scalar, scalar, queries),
        "bias_v": (scalar, scalar, results),
        "out_proj.weight": (outgoing(out), incoming(value, copies=heads)),
        "out_proj.bias": (outgoing(out),),
    }
    if name not in axes:
        raise InputError(f"{name!r} is not a parameter of nn.MultiheadAttention")
    return TensorMap(axes[name])


def read_attention(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of all parameters of self-attention; ``rep_in`` is as many equal copies as there are heads."""
    head = equal_part(rep_in, module.num_heads, groups[0])
    reps = (head, head, rep_in, rep_in, rep_in, rep_out)
    return {name: attention_parameter(name, module.num_heads, *reps) for name, _ in module.named_parameters()}


def _trace_attention(tracer: Tracer, call: Call) -> Output:
    """Queries, keys and values of every head; scores are inner products, which are invariant to orthogonal groups."""
    query, key, value, size, heads = call.args[:5]
    packed = ("in_proj_weight", "in_proj_bias", "bias_k", "bias_v")
    tensors = {name: call.get(5 + k, name) for k, name in enumerate(packed)}
    tensors |= {name: call.kwargs.get(name) for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")}
    tensors["out_proj.weight"] = call.get(11, "out_proj_weight")
    tensors["out_proj.bias"] = call.get(12, "out_proj_bias")
    sources = [tracer.layout(item)[-1].channels() for item in (query, key, value)]
    if tensors["in_proj_weight"] is not None:
        for other in sources[1:]:
            unify(sources[0], other, tracer.group)
    terms = (new_variable(n) for n in (size // heads, size // heads, size))
    score, mixed, target = tracer.reuse(tensors["out_proj.weight"], *terms)
    tracer.mark_inner_product(score)
    tokens = [tracer.layout(item)[0] for item in (query, key)]
    _check_mask(tokens, call.get(14, "key_padding_mask"), call.get(16, "attn_mask"))
    unify_axes(tokens[1], tracer.layout(value)[0], tracer.group)
    for name, tensor in tensors.items():
        tracer.use(tensor, partial(attention_parameter, name, heads), score, mixed, *sources, target)
    weights: Any = None if call.out[1] is None else free_axes(call.out[1].shape)
    if weights and any(axis.role == "channel" for axis in tokens):
        weights = (*weights[:-2], *tokens)
    return [(*tracer.layout(query)[:-1], channel_axis(target)), weights]


def _trace_dot_product_attention(tracer: Tracer, call: Call) -> Output:
    """Scores contract queries with keys; the output is like the values."""
    names = ("query", "key", "value")
    query, key, value = (tracer.layout(call.get(k, name)) for k, name in enumerate(names))
    _check_mask([query[-2], key[-2]], call.get(3, "attn_mask"), call.get(5, "is_causal"))
    unify_axes(key[-2], value[-2], tracer.group)
    tracer.mark_inner_product(unify_axes(query[-1], key[-1], tracer.group, "in").channels())
    return (*query[:-1], value[-1])


def _check_mask(tokens: Sequence[TracedAxis], *masks: Any) -> None:
    """Refuses masks of tokens that groups permute."""
    if any(axis.role == "channel" for axis in tokens) and any(mask is not None and mask is not False for mask in masks):
        raise TraceError("masks tokens that groups permute")


RULES: dict[str, Rule] = {
    "multi_head_attention_forward": _trace_attention,
    "scaled_dot_product_attention": _trace_dot_product_attention,
}
