r"""Convolutions, pooling and padding: a kernel lives in :math:`\rho_{out} \otimes \rho_{in}' \otimes \pi`.

Here :math:`\pi` is the action on the k (x k (x k)) offsets of the kernel: a permutation where groups act on pixels, trivial where they act
on channels only. A transposed convolution has its first two axes exchanged. A convolution in g separate groups of channels maps each of g
equal parts of its input to one of g equal parts of its output; if every channel is a group of its own, the kernel is diagonal, and
equivariant if the group only permutes channels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from torch import Tensor, nn

from softsym.groups import Group
from softsym.maps.tensor_map import Axis, TensorMap, incoming, outgoing, weight_and_bias
from softsym.maps.trace.tracer import Call, Output, Rule, Tracer
from softsym.maps.trace.unify import (
    Layout,
    TracedAxis,
    TraceError,
    channel_axis,
    free_axis,
    new_variable,
    split_evenly,
    tensor_product,
)
from softsym.reps import Grid, Rep, Scalar
from softsym.reps.rep import equal_part

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


def offset_axis(kernel: tuple[int, ...], acts_on_pixels: bool) -> Axis:
    """The axis of the offsets of a kernel."""
    return incoming(Grid(*kernel) if acts_on_pixels else math.prod(kernel) * Scalar, shape=kernel)


def kernel_map(
    offsets: Axis, rep_in: Rep, rep_out: Rep, group: Group, *, parts: int = 1, is_transposed: bool = False
) -> TensorMap:
    """The map of a kernel with ``parts`` separate groups of channels."""
    n_in, n_out = rep_in.size(group), rep_out.size(group)
    if parts == n_in > 1:  # a diagonal: the output channel determines the input channel
        copies = outgoing((n_out // n_in) * Scalar)
        axes = (outgoing(rep_in), copies) if is_transposed else (outgoing(rep_out), outgoing(Scalar))
        return TensorMap((*axes, offsets))
    source, target = (equal_part(rep, parts, group) for rep in (rep_in, rep_out))
    if is_transposed:
        return TensorMap((incoming(source, copies=parts), outgoing(target), offsets))
    return TensorMap((outgoing(target, copies=parts), incoming(source), offsets))


def read_conv(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of the parameters of a convolution; groups act on pixels if they act on a space of its dimension."""
    kernel, options = tuple(module.kernel_size), {"parts": module.groups, "is_transposed": module.transposed}
    offsets = offset_axis(kernel, groups[0].dim == len(kernel))
    return weight_and_bias(module, kernel_map(offsets, rep_in, rep_out, groups[0], **options), rep_out)


def _trace_conv(tracer: Tracer, call: Call) -> Output:
    is_transposed = "transpose" in call.name
    x, weight, bias = call.get(0, "input"), call.get(1, "weight"), call.get(2, "bias")
    stride, padding = call.get(3, "stride", 1), call.get(4, "padding", 0)
    dilation = call.get(7 if is_transposed else 5, "dilation", 1)
    parts = call.get(6, "groups", 1)
    kernel = tuple(weight.shape[2:])
    dims = len(kernel)
    layout = _as_image(tracer, tracer.layout(x), dims)
    source, n_out = layout[-1 - dims].channels(), call.out.shape[-1 - dims]
    offsets = offset_axis(kernel, tracer.acts_on_pixels)
    read = partial(kernel_map, offsets, group=tracer.group, parts=parts, is_transposed=is_transposed)
    if parts == layout[-1 - dims].size > 1:
        tracer.mark_pointwise(source, "a kernel for each channel")
        times = n_out // parts
        target = source if times == 1 else tensor_product(source, times * Scalar, times)
    else:
        target = new_variable(n_out)
        if parts > 1:
            split_evenly(source, parts, tracer.group)
            split_evenly(target, parts, tracer.group)
        (target,) = tracer.reuse(weight, target)
    tracer.use(weight, read, source, target)
    tracer.use(bias, TensorMap.vector, target)
    if tracer.acts_on_pixels and not is_transposed and padding != "same":
        _check_windows(tracer, layout, kernel, stride, 0 if padding == "valid" else padding, dilation)
    pixels = _resize(layout[-dims:], call.out.shape[-dims:])
    return (*layout[: -1 - dims], channel_axis(target), *pixels)


def _as_image(tracer: Tracer, layout: Layout, dims: int) -> Layout:
    """Makes the last open axes pixel axes if groups act on pixels, else free."""
    for k, axis in enumerate(layout[-dims:]):
        if axis.role == "open":
            is_pixel = tracer.acts_on_pixels
            axis.assign(TracedAxis(axis.size, "pixel", None, k) if is_pixel else free_axis(axis.size))
        if axis.role == "channel" or (tracer.acts_on_pixels and axis.role != "pixel"):
            raise TraceError(f"convolves along a {axis.role} axis")
    return layout


def _resize(layout: Layout, shape: Sequence[int]) -> Layout:
    """Axes with the roles of ``layout`` and the sizes of ``shape``."""
    return tuple(
        axis if axis.size == n else TracedAxis(n, axis.role, axis.term, axis.pixel, axis.sign)
        for axis, n in zip(layout, shape, strict=True)
    )


def _trace_pool(tracer: Tracer, call: Call) -> Output:
    """Pooling and resampling: channels stay, the number of pixels changes."""
    layout = tracer.layout(call.args[0])
    shape = call.out.shape if isinstance(call.out, Tensor) else call.out[0].shape
    if "max" in call.name:
        tracer.mark_all_pointwise(layout, call.name)
    kernel = call.get(1, "kernel_size")
    if "adaptive" not in call.name and call.name != "interpolate":
        stride, padding = call.get(2, "stride") or kernel, call.get(3, "padding", 0)
        _check_windows(tracer, layout, kernel, stride, padding, 1)
    pooled = _resize(layout, shape)
    return [pooled, pooled]


def _check_windows(tracer: Tracer, layout: Layout, kernel: Any, stride: Any, padding: Any, dilation: Any) -> None:
    """Notes where windows do not cover an image symmetrically, so that its reflection is covered differently."""
    options = (kernel, stride, padding, dilation)
    for k, axis in enumerate(axis for axis in layout if axis.role == "pixel"):
        size, step, pad, gap = (each if isinstance(each, int) else each[k] for each in options)
        left = (axis.size + 2 * pad - gap * (size - 1) - 1) % step
        if left:
            why = f"windows of {size} in steps of {step} leave {left} of {axis.size} pixels out on one side"
            tracer.grids.append((tracer.where, why))
            return


def _trace_pad(tracer: Tracer, call: Call) -> Output:
    """Padding of images and sequences."""
    layout, sizes = tracer.layout(call.args[0]), list(call.args[1])
    for k, (before, after) in enumerate(zip(sizes[::2], sizes[1::2], strict=True)):
        axis = layout[-1 - k]
        if axis.term is not None and (before or after):
            raise TraceError("adds channels")
        if axis.role == "pixel" and before != after:
            tracer.grids.append((tracer.where, f"pads {before} pixels on one side and {after} on the other"))
    return _resize(layout, call.out.shape)


POOLS = [f"{kind}_pool{d}d" for kind in ("avg", "max", "adaptive_avg", "adaptive_max", "lp") for d in (1, 2, 3)]
RULES: dict[str, Rule] = {
    **dict.fromkeys([f"conv{t}{d}d" for t in ("", "_transpose") for d in (1, 2, 3)], _trace_conv),
    **dict.fromkeys([*POOLS, "interpolate", "upsample"], _trace_pool),
    "pad": _trace_pad,
}
