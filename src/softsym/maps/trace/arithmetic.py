"""Rules of arithmetic: functions of single numbers, sums, products, reductions over axes, contractions."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from softsym.maps.trace.tracer import Call, Output, Rule, Tracer
from softsym.maps.trace.unify import (
    Layout,
    TracedAxis,
    TraceError,
    free_axis,
    pad_left,
    unify_axes,
)

POINTWISE = (
    "relu relu6 gelu silu tanh sigmoid elu leaky_relu softplus mish hardtanh hardswish hardsigmoid selu celu softsign logsigmoid "
    "exp log log1p expm1 abs sqrt rsqrt square pow __pow__ sin cos erf clamp clamp_min clamp_max threshold rrelu softshrink "
    "hardshrink tanhshrink reciprocal sign masked_fill tril triu softmax log_softmax"
)
NONLINEAR_REDUCTIONS = ("max", "min", "amax", "amin", "std", "var", "norm", "logsumexp", "prod", "median")


def _pointwise(tracer: Tracer, call: Call) -> Output:
    layout = tracer.layout(call.args[0])
    tracer.mark_all_pointwise(layout, call.name)
    return layout


def _glu(tracer: Tracer, call: Call) -> Output:
    raise TraceError("gates one half of the channels by the other")


def _prelu(tracer: Tracer, call: Call) -> Output:
    layout, slope = tracer.layout(call.args[0]), call.args[1]
    channels = layout[1 if len(layout) > 1 else 0]
    tracer.mark_all_pointwise(layout, "prelu")
    if slope.numel() > 1:
        unify_axes(channels, tracer.layout(slope)[0], tracer.group)
    elif tracer.parameter(slope):
        tracer.layout(slope)[0].assign(free_axis(1))
    return layout


def _add(tracer: Tracer, call: Call) -> Output:
    """Sums and differences: both summands carry the same representation."""
    if all(isinstance(item, Tensor) for item in call.args[:2]):
        return _broadcast(tracer, call, "add")
    layout = tracer.layout(_first_tensor(call))
    number = call.args[1] if isinstance(call.args[0], Tensor) else call.args[0]
    if number != 0:
        tracer.mark_all_pointwise(layout, "adding a number")
    return layout


def _multiply(tracer: Tracer, call: Call) -> Output:
    """Products and quotients: elementwise of two tensors, or with one number for all."""
    if all(isinstance(item, Tensor) for item in call.args[:2]):
        return _broadcast(tracer, call, "multiply")
    layout = tracer.layout(_first_tensor(call))
    is_quotient = call.name in ("div", "truediv", "__rtruediv__", "__rdiv__")
    if is_quotient and not isinstance(call.args[0], Tensor):
        tracer.mark_all_pointwise(layout, "dividing by it")
    return layout


def _maximum(tracer: Tracer, call: Call) -> Output:
    layout = _broadcast(tracer, call, "max")
    tracer.mark_all_pointwise(layout, call.name)
    return layout


def _first_tensor(call: Call) -> Any:
    return next(item for item in call.args if isinstance(item, Tensor))


def _broadcast(tracer: Tracer, call: Call, how: str) -> Layout:
    """Unifies the axes of two tensors from the last one on."""
    a, b = (tracer.layout(item) for item in call.args[:2])
    length = max(len(a), len(b))
    axes: list[TracedAxis] = []
    for first, second in zip(pad_left(a, length), pad_left(b, length), strict=True):
        if first.size == 1 or second.size == 1:
            axes.append(_broadcast_axis(tracer, first, second, how))
        else:
            axes.append(unify_axes(first, second, tracer.group))
            if how != "add" and axes[-1].term is not None:
                tracer.mark_pointwise(axes[-1].channels(), "an elementwise product")
    return tuple(axes)


def _broadcast_axis(tracer: Tracer, first: TracedAxis, second: TracedAxis, how: str) -> TracedAxis:
    """An axis of one number meets an axis of many."""
    single, many = (first, second) if first.size == 1 else (second, first)
    if single.role == "open":
        single.assign(free_axis(1))
    if many.size > 1 and many.term is not None and how != "multiply":
        tracer.mark_pointwise(many.term, "adding one number to all")
    return many if many.size > 1 or many.role != "free" else single


def _reduce(tracer: Tracer, call: Call) -> Output:
    """Means, sums and maxima over free axes, or over all axes of an image."""
    layout = tracer.layout(call.args[0])
    place = call.get(1, "dim", call.kwargs.get("axis"))
    if place is None or isinstance(place, Tensor):
        raise TraceError("takes all numbers together")
    reduced = {k % len(layout) for k in ([place] if isinstance(place, int) else place)}
    pixels = {k for k, axis in enumerate(layout) if axis.role == "pixel" and axis.size > 1}
    if pixels & reduced and pixels - reduced:
        raise TraceError("goes over some, not all, axes of an image")
    if any(layout[k].role == "channel" and layout[k].size > 1 for k in reduced):
        raise TraceError("goes over channels")
    remaining = tuple(axis for k, axis in enumerate(layout) if k not in reduced)
    if call.name in NONLINEAR_REDUCTIONS:
        tracer.mark_all_pointwise(remaining, call.name)
    if bool(call.kwargs.get("keepdim", len(call.args) > 2 and call.args[2])):
        remaining = tuple(free_axis(1) if k in reduced else axis for k, axis in enumerate(layout))
    return [remaining, remaining]


def contract(tracer: Tracer, layouts: list[Layout], letters: list[str], out: str) -> Layout:
    """The axes of a product in einsum notation: one string of letters for each factor, and ``out`` for the product.

    An axis of both factors that the product does not have is contracted, so both sides carry duals of each other.
    """
    axes: dict[str, TracedAxis] = {}
    for layout, names in zip(layouts, letters, strict=True):
        for axis, letter in zip(layout, names, strict=True):
            other = axes.get(letter)
            if other is None or (other.size == 1 < axis.size):
                axes[letter] = axis
            elif axis.size == other.size:
                axes[letter] = unify_axes(other, axis, tracer.group, "out" if letter in out else "in")
                if letter in out and axes[letter].term is not None:
                    tracer.mark_pointwise(axes[letter].channels(), "an elementwise product")
    for letter, axis in axes.items():
        if letter not in out and sum(letter in names for names in letters) == 1 and axis.size > 1:
            raise TraceError("adds up an axis of one factor")
        if axis.role == "open":  # an output axis that only a parameter has
            axis.channels()
    return tuple(axes[letter] for letter in out)


def _matmul(tracer: Tracer, call: Call) -> Output:
    a, b = (tracer.layout(item) for item in call.args[:2])
    if min(len(a), len(b)) < 2:
        raise TraceError("multiplies a single vector")
    batch = "abcdefgh"[: max(len(a), len(b)) - 2]
    first, second = batch[len(batch) - len(a) + 2 :] + "xy", batch[len(batch) - len(b) + 2 :] + "yz"
    return contract(tracer, [a, b], [first, second], batch + "xz")


def _einsum(tracer: Tracer, call: Call) -> Output:
    equation, operands = call.args[0], call.args[1:]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    if not isinstance(equation, str) or "->" not in equation or "." in equation:
        raise TraceError("is written without '->' or with dots")
    factors, out = equation.replace(" ", "").split("->")
    return contract(tracer, [tracer.layout(operand) for operand in operands], factors.split(","), out)


def _addmm(tracer: Tracer, call: Call) -> Output:
    bias, a, b = (tracer.layout(item) for item in call.args[:3])
    product = contract(tracer, [a, b], ["xy", "yz"], "xz")
    unify_axes(product[-1], bias[-1], tracer.group)
    if len(bias) > 1 and bias[0].role == "open":
        bias[0].assign(free_axis(bias[0].size))
    return product


RULES: dict[str, Rule] = {
    **dict.fromkeys(POINTWISE.split(), _pointwise),
    **dict.fromkeys(["add", "sub", "rsub", "__radd__", "__rsub__", "__add__", "__iadd__", "subtract"], _add),
    **dict.fromkeys(
        ["mul", "div", "true_divide", "multiply", "truediv", "__rmul__", "__rtruediv__", "__imul__"],
        _multiply,
    ),
    **dict.fromkeys(("maximum", "minimum"), _maximum),
    **dict.fromkeys(
        ["mean", "sum", "amax", "amin", "max", "min", "std", "var", "logsumexp", "prod"], _reduce
    ),
    **dict.fromkeys(("matmul", "bmm", "mm", "__matmul__", "__rmatmul__"), _matmul),
    "addmm": _addmm,
    "einsum": _einsum,
    "glu": _glu,
    "neg": lambda tracer, call: tracer.layout(call.args[0]),
    "prelu": _prelu,
}
"""The rule of each function, by its name."""
