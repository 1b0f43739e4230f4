"""What functions of numbers one by one, of two tensors, and over axes do."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from softsym.maps.trace.layout import Axis, Layout, free, match
from softsym.maps.trace.recorder import Answer, Call, Handler, Recorder
from softsym.maps.trace.slots import DisagreementError

POINTWISE = (
    "relu relu6 gelu silu tanh sigmoid elu leaky_relu softplus mish hardtanh hardswish hardsigmoid selu celu softsign logsigmoid "
    "exp log log1p expm1 abs sqrt rsqrt square pow __pow__ sin cos erf clamp clamp_min clamp_max threshold rrelu softshrink "
    "hardshrink tanhshrink reciprocal sign glu masked_fill tril triu"
)


def _pointwise(rec: Recorder, call: Call) -> Answer:
    layout = rec.layout(call.args[0])
    if call.name == "glu":
        raise DisagreementError("gates one half of the channels by the other")
    _mark(rec, layout, call.name)
    return layout


def _mark(rec: Recorder, layout: Layout, what: str) -> None:
    for axis in layout:
        if axis.content is not None:
            rec.pointwise(axis.content, what)


def _softmax(rec: Recorder, call: Call) -> Answer:
    layout = rec.layout(call.args[0])
    _mark(rec, layout, call.name)
    return layout


def _linear_pair(rec: Recorder, call: Call) -> Answer:
    """Sums and differences: what meets is the same."""
    if not all(isinstance(item, Tensor) for item in call.args[:2]):
        layout = rec.layout(_tensor(call))
        number = call.args[1] if isinstance(call.args[0], Tensor) else call.args[0]
        if number != 0:
            _mark(rec, layout, "adding a number")
        return layout
    return _broadcast(rec, call, "add")


def _product(rec: Recorder, call: Call) -> Answer:
    """Products and quotients: of two that carry the same number by number, or with one number for all."""
    if not all(isinstance(item, Tensor) for item in call.args[:2]):
        layout = rec.layout(_tensor(call))
        if call.name in ("div", "truediv", "__rtruediv__", "__rdiv__") and not isinstance(
            call.args[0], Tensor
        ):
            _mark(rec, layout, "dividing by it")
        return layout
    return _broadcast(rec, call, "multiply")


def _tensor(call: Call) -> Any:
    return next(item for item in call.args if isinstance(item, Tensor))


def _broadcast(rec: Recorder, call: Call, how: str) -> Answer:
    """Axes of both are matched from the last one."""
    a, b = (rec.layout(item) for item in call.args[:2])
    length = max(len(a), len(b))
    first, second = ((*(free(1) for _ in range(length - len(each))), *each) for each in (a, b))
    made: list[Axis] = []
    for one, other in zip(first, second, strict=True):
        if one.size == 1 or other.size == 1:
            made.append(_stretched(rec, one, other, how))
        else:
            made.append(match(one, other, rec.group))
            if how != "add" and made[-1].content is not None:
                rec.pointwise(made[-1].carry(), "a product number by number")
    return tuple(made)


def _stretched(rec: Recorder, one: Axis, other: Axis, how: str) -> Axis:
    """One number meets many."""
    single, many = (one, other) if one.size == 1 else (other, one)
    if single.role == "open":
        single.become(free(1))
    if many.size > 1 and many.content is not None and how != "multiply":
        rec.pointwise(many.content, "adding one number to all")
    return many if many.size > 1 or many.role != "free" else single


def _maximum(rec: Recorder, call: Call) -> Answer:
    made = _broadcast(rec, call, "max")
    _mark(rec, made, call.name)  # type: ignore[arg-type]
    return made


def _reduce(rec: Recorder, call: Call) -> Answer:
    """Means, sums and maxima over free axes, or over all axes of an image."""
    layout = rec.layout(call.args[0])
    place = call.get(1, "dim", call.kwargs.get("axis"))
    if place is None or isinstance(place, Tensor):
        raise DisagreementError("takes all numbers together")
    gone = {k % len(layout) for k in ([place] if isinstance(place, int) else place)}
    pixels = {k for k, axis in enumerate(layout) if axis.role == "pixel" and axis.size > 1}
    if pixels & gone and pixels - gone:
        raise DisagreementError("goes over some, not all, axes of an image")
    if any(layout[k].role == "carries" and layout[k].size > 1 for k in gone):
        raise DisagreementError("goes over channels")
    kept = tuple(axis for k, axis in enumerate(layout) if k not in gone)
    if call.name in ("max", "min", "amax", "amin", "std", "var", "norm", "logsumexp", "prod", "median"):
        _mark(rec, kept, call.name)
    if bool(call.kwargs.get("keepdim", len(call.args) > 2 and call.args[2])):
        kept = tuple(free(1) if k in gone else axis for k, axis in enumerate(layout))
    return [kept, kept]


def _pool(rec: Recorder, call: Call) -> Answer:
    """Pooling and resampling: channels stay, pixels change in number."""
    layout, shape = (
        rec.layout(call.args[0]),
        call.out.shape if isinstance(call.out, Tensor) else call.out[0].shape,
    )
    if "max" in call.name:
        _mark(rec, layout, call.name)
    kernel = call.get(1, "kernel_size")
    if "adaptive" not in call.name and call.name != "interpolate":
        stride, padding = call.get(2, "stride") or kernel, call.get(3, "padding", 0)
        check_grid(rec, layout, kernel, stride, padding, 1)
    made = tuple(
        Axis(n, axis.role, axis.content, axis.pixel, axis.sign, axis.name) if axis.size != n else axis
        for axis, n in zip(layout, shape, strict=True)
    )
    return [made, made]


def check_grid(rec: Recorder, layout: Layout, kernel: Any, stride: Any, padding: Any, dilation: Any) -> None:
    """Notes where windows do not cover an image symmetrically, so that its mirror image is covered differently."""
    pixels = [axis for axis in layout if axis.role == "pixel"]
    for k, axis in enumerate(pixels):
        size, step, pad, spread = (
            each if isinstance(each, int) else each[k] for each in (kernel, stride, padding, dilation)
        )
        left = (axis.size + 2 * pad - spread * (size - 1) - 1) % step
        if left:
            rec.notes.grids.append(
                (
                    rec.where,
                    f"windows of {size} in steps of {step} leave {left} of {axis.size} pixels out on one side",
                )
            )
            return


def _pad(rec: Recorder, call: Call) -> Answer:
    """Padding of images and sequences, the same on both sides."""
    layout, sizes = rec.layout(call.args[0]), list(call.args[1])
    for k, (before, after) in enumerate(zip(sizes[::2], sizes[1::2], strict=True)):
        axis = layout[-1 - k]
        if axis.content is not None and (before or after):
            raise DisagreementError("adds channels")
        if axis.role == "pixel" and before != after:
            rec.notes.grids.append((rec.where, f"pads {before} pixels on one side and {after} on the other"))
    return tuple(Axis(n, a.role, a.content, a.pixel) for a, n in zip(layout, call.out.shape, strict=True))


def _prelu(rec: Recorder, call: Call) -> Answer:
    layout, slope = rec.layout(call.args[0]), call.args[1]
    channels = layout[1 if len(layout) > 1 else 0]
    _mark(rec, layout, "prelu")
    if slope.numel() > 1:
        match(channels, rec.layout(slope)[0], rec.group)
    elif rec.parameter(slope):
        rec.layout(slope)[0].become(free(1))
    return layout


POOLS = [
    f"{kind}_pool{d}d" for kind in ("avg", "max", "adaptive_avg", "adaptive_max", "lp") for d in (1, 2, 3)
]
HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(POINTWISE.split(), _pointwise),
    **dict.fromkeys(("softmax", "log_softmax"), _softmax),
    **dict.fromkeys(
        ("add", "sub", "rsub", "__radd__", "__rsub__", "__add__", "__iadd__", "subtract"), _linear_pair
    ),
    **dict.fromkeys(
        ("mul", "div", "true_divide", "multiply", "truediv", "__rmul__", "__rtruediv__", "__imul__"), _product
    ),
    **dict.fromkeys(("maximum", "minimum"), _maximum),
    **dict.fromkeys(
        ("mean", "sum", "amax", "amin", "max", "min", "std", "var", "logsumexp", "prod"), _reduce
    ),
    **dict.fromkeys([*POOLS, "interpolate", "upsample"], _pool),
    "pad": _pad,
    "prelu": _prelu,
    "neg": lambda rec, call: rec.layout(call.args[0]),
}
"""What each function does, by its name."""
