r"""Normalisation layers, and other layers that scale numbers one by one.

A shift is a vector of :math:`\rho`. A scale is a diagonal map: it commutes with a group that permutes the numbers iff it is an invariant
vector of the permutations, and one scale for each number breaks a group that does more than permute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps.families.conv import offset_axis
from softsym.maps.tensor_map import TensorMap, outgoing
from softsym.maps.trace.tracer import Call, Output, Rule, Tracer
from softsym.maps.trace.unify import Layout, Term, TraceError, split_evenly, substitute
from softsym.reps import Rep

BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
INSTANCE_NORMS = (nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d)
NORMS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, *BATCH_NORMS, *INSTANCE_NORMS)


def non_permuting(rep: Rep, groups: Iterable[Group]) -> list[str]:
    """The names of the groups that do more to a representation than permute its coordinates."""
    return [group.name for group in groups if not all(kind.is_permutation(group) for _, kind in rep)]


def read_norm(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of scale and shift of a norm, whose groups may only permute the channels."""
    if rep_in != rep_out:
        raise InputError(f"{layer!r} maps a representation to itself, got {rep_in} and {rep_out}")
    others = non_permuting(rep_in, groups)
    if others and module.weight is not None:
        raise InputError(f"{layer!r} scales each coordinate of {rep_in} by itself, which breaks {', '.join(others)}")
    return {name: TensorMap.vector(rep_in) for name, _ in module.named_parameters()}


def _use_scale_and_shift(tracer: Tracer, scale: Any, shift: Any, term: Term, pixels: Layout = ()) -> None:
    """Records scale and shift, which have an entry for each pixel if the norm goes over pixels."""
    sizes = tuple(axis.size for axis in pixels)
    offsets = (offset_axis(sizes, tracer.acts_on_pixels),) if sizes else ()

    def read_shift(rep: Rep) -> TensorMap:
        return TensorMap((outgoing(rep), *offsets))

    def read_scale(rep: Rep) -> TensorMap:
        others = non_permuting(rep, tracer.groups)
        if others:
            raise TraceError(f"scales each coordinate of {rep} by itself, which breaks {', '.join(others)}")
        return read_shift(rep)

    tracer.use(scale, read_scale, term)
    tracer.use(shift, read_shift, term)


def _trace_layer_norm(tracer: Tracer, call: Call) -> Output:
    layout, count = tracer.layout(call.args[0]), len(call.get(1, "normalized_shape"))
    normed = layout[-count:]
    term = normed[0].channels()
    if any(axis.role == "channel" for axis in normed[1:]):
        raise TraceError("goes over two axes of channels")
    shift = None
    if call.name == "layer_norm":  # the root mean square of rms_norm is invariant to orthogonal groups
        tracer.mark_pointwise(term, "layer_norm", is_norm=True)
        shift = call.get(3, "bias")
    _use_scale_and_shift(tracer, call.get(2, "weight"), shift, term, normed[1:])
    return layout


def _trace_batch_norm(tracer: Tracer, call: Call) -> Output:
    layout = tracer.layout(call.args[0])
    term = layout[1].channels()
    tracer.mark_pointwise(term, call.name, is_norm=True)
    _use_scale_and_shift(tracer, call.get(3, "weight"), call.get(4, "bias"), term)
    for tensor in (call.get(1, "running_mean"), call.get(2, "running_var")):
        name = tracer.buffer(tensor)
        if name and call.name != "instance_norm":
            tracer.buffers[name] = term
    return layout


def _trace_group_norm(tracer: Tracer, call: Call) -> Output:
    layout, parts = tracer.layout(call.args[0]), call.get(1, "num_groups")
    term = layout[1].channels()
    tracer.mark_pointwise(term, "group_norm", is_norm=True)
    if 1 < parts < layout[1].size:
        split_evenly(term, parts, tracer.group)
    _use_scale_and_shift(tracer, call.get(2, "weight"), call.get(3, "bias"), substitute(term))
    return layout


RULES: dict[str, Rule] = {
    **dict.fromkeys(("layer_norm", "rms_norm"), _trace_layer_norm),
    **dict.fromkeys(("batch_norm", "instance_norm"), _trace_batch_norm),
    "group_norm": _trace_group_norm,
}
