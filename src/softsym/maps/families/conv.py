r"""Convolutions, pooling and padding: a kernel lives in :math:`\rho_{out} \otimes \rho_{in}' \otimes \pi`.

Here :math:`\pi` is the action on the k (x k (x k)) offsets of the kernel: a permutation where groups act on pixels, trivial where they act
on channels only. A transposed convolution has its first two axes exchanged. A convolution in g separate groups of channels maps each of g
equal parts of its input to one of g equal parts of its output; if every channel is a group of its own, the kernel is diagonal, and
equivariant if the group only permutes channels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from softsym.groups import Group
from softsym.maps.tensor_map import Axis, TensorMap, incoming, name_parameters, outgoing
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


@dataclass(frozen=True)
class Convolution:
    """The shape of a convolution."""

    kernel: tuple[int, ...]  # sizes of the kernel
    parts: int = 1  # number of separate groups of channels
    is_transposed: bool = False  # whether it is transposed
    acts_on_pixels: bool = True  # whether groups act on pixels

    @property
    def offsets(self) -> Axis:
        """The axis of the kernel's offsets."""
        rep = Grid(*self.kernel) if self.acts_on_pixels else math.prod(self.kernel) * Scalar
        return incoming(rep, shape=self.kernel)

    def weight(self, rep_in: Rep, rep_out: Rep, group: Group) -> TensorMap:
        """The map of the kernel."""
        n_in, n_out = rep_in.size(group), rep_out.size(group)
        if self.parts == n_in > 1:  # a diagonal: the output channel determines the input channel
            copies = outgoing((n_out // n_in) * Scalar)
            axes = (outgoing(rep_in), copies) if self.is_transposed else (outgoing(rep_out), outgoing(Scalar))
            return TensorMap((*axes, self.offsets))
        source, target = (equal_part(rep, self.parts, group) for rep in (rep_in, rep_out))
        if self.is_transposed:
            return TensorMap((incoming(source, copies=self.parts), outgoing(target), self.offsets))
        return TensorMap((outgoing(target, copies=self.parts), incoming(source), self.offsets))


def conv_parameters(
    layer: str, rep_in: Rep, rep_out: Rep, convolution: Convolution, group: Group, *, bias: bool = True
) -> dict[str, TensorMap]:
    """The maps of kernel and bias of a convolution, by their names in the model.

    Example:
        >>> import softsym as ss
        >>> maps = conv_parameters("lift", ss.rep("3S"), ss.rep("V"), Convolution((3, 3)), ss.group("C(4)"))
        >>> {name: str(tensor_map) for name, tensor_map in maps.items()}
        {'lift.weight': '(3S) * Grid(3,3) -> V', 'lift.bias': 'V'}
    """
    vector = TensorMap.vector(rep_out) if bias else None
    return name_parameters(layer, {"weight": convolution.weight(rep_in, rep_out, group), "bias": vector})


def read_conv(layer: str, module: Any, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> dict[str, TensorMap]:
    """The maps of the parameters of a convolution; groups act on pixels if they act on a space of its dimension."""
    kernel = tuple(module.kernel_size)
    convolution = Convolution(kernel, module.groups, module.transposed, groups[0].dim == len(kernel))
    return conv_parameters(layer, rep_in, rep_out, convolution, groups[0], bias=module.bias is not None)


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
    convolution = Convolution(kernel, parts, is_transposed, tracer.acts_on_pixels)
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
    tracer.use(weight, lambda a, b: convolution.weight(a, b, tracer.group), source, target)
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
    pixels = [axis for axis in layout if axis.role == "pixel"]
    for k, axis in enumerate(pixels):
        size, step, pad, gap = (
            each if isinstance(each, int) else each[k] for each in (kernel, stride, padding, dilation)
        )
        left = (axis.size + 2 * pad - gap * (size - 1) - 1) % step
        if left:
            why = f"windows of {size} in steps of {step} leave {left} of {axis.size} pixels out on one side"
            tracer.notes.grids.append((tracer.where, why))
            return


def _trace_pad(tracer: Tracer, call: Call) -> Output:
    """Padding of images and sequences."""
    layout, sizes = tracer.layout(call.args[0]), list(call.args[1])
    for k, (before, after) in enumerate(zip(sizes[::2], sizes[1::2], strict=True)):
        axis = layout[-1 - k]
        if axis.term is not None and (before or after):
            raise TraceError("adds channels")
        if axis.role == "pixel" and before != after:
            why = f"pads {before} pixels on one side and {after} on the other"
            tracer.notes.grids.append((tracer.where, why))
    return _resize(layout, call.out.shape)


POOLS = [f"{kind}_pool{d}d" for kind in ("avg", "max", "adaptive_avg", "adaptive_max", "lp") for d in (1, 2, 3)]
RULES: dict[str, Rule] = {
    **dict.fromkeys([f"conv{t}{d}d" for t in ("", "_transpose") for d in (1, 2, 3)], _trace_conv),
    **dict.fromkeys([*POOLS, "interpolate", "upsample"], _trace_pool),
    "pad": _trace_pad,
}
