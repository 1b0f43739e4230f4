"""What the layers of torch do: linear, bilinear, convolutions, norms, embeddings. Each notes what its parameters are."""

from __future__ import annotations

from typing import Any

from softsym.maps.conv import Convolution
from softsym.maps.embedding import embedding_parameter
from softsym.maps.norm import not_permuting
from softsym.maps.tensor_map import TensorMap, incoming, outgoing
from softsym.maps.trace.elementwise import check_grid
from softsym.maps.trace.layout import Axis, Layout, carrying, free, open_axes
from softsym.maps.trace.recorder import Answer, Call, Handler, Recorder
from softsym.maps.trace.slots import Content, DisagreementError, equal_parts, fresh, resolved, tensored, unify
from softsym.reps import Rep, Scalar


def _linear(rec: Recorder, call: Call) -> Answer:
    x, weight, bias = call.get(0, "input"), call.get(1, "weight"), call.get(2, "bias")
    layout = rec.layout(x)
    source, target = layout[-1].carry(call.where), fresh(weight.shape[0], call.where)
    target = _again(rec, weight, target)
    if rec.parameter(weight) in rec.tables:  # tied to an embedding: what it takes is what the table holds
        unify(source, rec.tables[str(rec.parameter(weight))], rec.group)
    rec.use([weight], lambda a, b: {str(rec.parameter(weight)): TensorMap.linear(a, b)}, source, target)
    _shift(rec, bias, target)
    return (*layout[:-1], carrying(target))


def _shift(rec: Recorder, bias: Any, target: Content) -> None:
    if bias is not None:
        rec.use([bias], lambda b: {str(rec.parameter(bias)): TensorMap.vector(b)}, target)


def _again(rec: Recorder, weight: Any, target: Content) -> Content:
    """The output of a layer that is used a second time carries what it carried before."""
    name = rec.parameter(weight)
    if name is None:
        return target
    return rec.targets.setdefault(name, target)


def _bilinear(rec: Recorder, call: Call) -> Answer:
    first, second, weight, bias = (
        call.get(k, n) for k, n in enumerate(("input1", "input2", "weight", "bias"))
    )
    a, b = (rec.layout(item)[-1].carry(call.where) for item in (first, second))
    target = _again(rec, weight, fresh(weight.shape[0], call.where))

    def read(a: Rep, b: Rep, out: Rep) -> dict[str, TensorMap]:
        return {str(rec.parameter(weight)): TensorMap((outgoing(out), incoming(a), incoming(b)))}

    rec.use([weight], read, a, b, target)
    _shift(rec, bias, target)
    return (*rec.layout(first)[:-1], carrying(target))


def _conv(rec: Recorder, call: Call) -> Answer:
    transposed = "transpose" in call.name
    x, weight, bias = call.get(0, "input"), call.get(1, "weight"), call.get(2, "bias")
    stride, padding = call.get(3, "stride", 1), call.get(4, "padding", 0)
    dilation = call.get(7 if transposed else 5, "dilation", 1)
    parts = call.get(6, "groups", 1)
    kernel = tuple(weight.shape[2:])
    layout = _as_image(rec, rec.layout(x), len(kernel))
    source, n_out = layout[-1 - len(kernel)].carry(call.where), call.out.shape[-1 - len(kernel)]
    details = Convolution(kernel, parts, transposed, rec.moves)
    if parts == layout[-1 - len(kernel)].size > 1:
        rec.pointwise(source, "a kernel for each channel")
        times = n_out // parts
        target = source if times == 1 else tensored(source, times * Scalar, times)
    else:
        target = fresh(n_out, call.where)
        if parts > 1:
            equal_parts(source, parts, rec.group)
            equal_parts(target, parts, rec.group)
        target = _again(rec, weight, target)
    rec.use(
        [weight], lambda a, b: {str(rec.parameter(weight)): details.weight(a, b, rec.group)}, source, target
    )
    _shift(rec, bias, target)
    if rec.moves and not transposed and padding != "same":
        pads = 0 if padding == "valid" else padding
        check_grid(rec, layout, kernel, stride, pads, dilation)
    pixels = tuple(
        Axis(n, axis.role, axis.content, axis.pixel)
        for axis, n in zip(layout[-len(kernel) :], call.out.shape[-len(kernel) :], strict=True)
    )
    return (*layout[: -1 - len(kernel)], carrying(target), *pixels)


def _as_image(rec: Recorder, layout: Layout, dims: int) -> Layout:
    """Open axes where pixels must be become pixels if groups move them, else free."""
    for k, axis in enumerate(layout[-dims:]):
        if axis.role == "open":
            axis.become(Axis(axis.size, "pixel", None, k) if rec.moves else free(axis.size))
        if axis.role == "carries" or (rec.moves and axis.role != "pixel"):
            raise DisagreementError(f"convolves along an axis that is {axis.role}")
    return layout


def _vectors(rec: Recorder, scale: Any, shift: Any, content: Content, pixels: Layout = ()) -> None:
    """Scale and shift of a norm."""
    sizes = tuple(axis.size for axis in pixels)

    def read(tensor: Any, diagonal: bool) -> Any:
        def maps(rep: Rep) -> dict[str, TensorMap]:
            others = not_permuting(rep, rec.groups) if diagonal else []
            if others:
                raise DisagreementError(
                    f"scales each coordinate of {rep} by itself, which breaks {', '.join(others)}"
                )
            trail = (incoming(_grid(rec, sizes), shape=sizes),) if sizes else ()
            return {str(rec.parameter(tensor)): TensorMap((outgoing(rep), *trail))}

        return maps

    for tensor, diagonal in ((scale, True), (shift, False)):
        if tensor is not None:
            rec.use([tensor], read(tensor, diagonal), content)


def _grid(rec: Recorder, sizes: tuple[int, ...]) -> Rep:
    return Convolution(sizes, moves=rec.moves).offsets.factor


def _layer_norm(rec: Recorder, call: Call) -> Answer:
    layout, count = rec.layout(call.args[0]), len(call.get(1, "normalized_shape"))
    normed = layout[-count:]
    content = normed[0].carry(call.where)
    if any(axis.role == "carries" for axis in normed[1:]):
        raise DisagreementError("goes over two axes of channels")
    if call.name == "layer_norm":
        rec.pointwise(content, "layer_norm", is_norm=True)
    _vectors(
        rec,
        call.get(2, "weight"),
        call.get(3, "bias") if call.name == "layer_norm" else None,
        content,
        normed[1:],
    )
    return layout


def _batch_norm(rec: Recorder, call: Call) -> Answer:
    layout = rec.layout(call.args[0])
    content = layout[1].carry(call.where)
    rec.pointwise(content, call.name, is_norm=True)
    instance = call.name == "instance_norm"
    _vectors(rec, call.get(3, "weight"), call.get(4, "bias"), content)
    for tensor in (call.get(1, "running_mean"), call.get(2, "running_var")):
        name = rec.buffer(tensor)
        if name and not instance:
            rec.buffers[name] = content
    return layout


def _group_norm(rec: Recorder, call: Call) -> Answer:
    layout, parts = rec.layout(call.args[0]), call.get(1, "num_groups")
    content = layout[1].carry(call.where)
    rec.pointwise(content, "group_norm", is_norm=True)
    if 1 < parts < layout[1].size:
        equal_parts(content, parts, rec.group)
    _vectors(rec, call.get(2, "weight"), call.get(3, "bias"), resolved(content))
    return layout


def _embedding(rec: Recorder, call: Call) -> Answer:
    words, table = call.get(0, "input"), call.get(1, "weight")
    target = rec.tables.setdefault(str(rec.parameter(table)), fresh(table.shape[1], call.where))
    vocabulary = rec.vocabularies.get(table.shape[0], table.shape[0] * Scalar)
    rec.use([table], lambda rep: {str(rec.parameter(table)): embedding_parameter(vocabulary, rep)}, target)
    axes = rec.layout(words) if rec.seen(words) else open_axes(tuple(words.shape))
    for axis in axes:
        if axis.role == "open":
            axis.become(free(axis.size))
    return (*axes, carrying(target))


CONVOLUTIONS = [f"conv{t}{d}d" for t in ("", "_transpose") for d in (1, 2, 3)]
HANDLERS: dict[str, Handler] = {
    "linear": _linear, "bilinear": _bilinear, **dict.fromkeys(CONVOLUTIONS, _conv), "layer_norm": _layer_norm,
    "rms_norm": _layer_norm, "batch_norm": _batch_norm, "instance_norm": _batch_norm, "group_norm": _group_norm,
    "embedding": _embedding,
}  # fmt: skip
"""What each function does, by its name."""
