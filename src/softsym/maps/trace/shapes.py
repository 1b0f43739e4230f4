"""What functions that rearrange numbers do to axes."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from softsym.maps.trace.layout import Axis, Layout, carrying, free, match
from softsym.maps.trace.recorder import Answer, Call, Handler, Recorder
from softsym.maps.trace.reshape import reshaped
from softsym.maps.trace.slots import Content, DisagreementError, sliced


def _same(rec: Recorder, call: Call) -> Answer:
    return rec.layout(call.args[0])


def _reshape(rec: Recorder, call: Call) -> Answer:
    return reshaped(rec.layout(call.args[0]), tuple(call.out.shape), rec.group)


def _permute(rec: Recorder, call: Call) -> Answer:
    layout = rec.layout(call.args[0])
    order = call.args[1:] if isinstance(call.args[1], int) else call.args[1]
    return tuple(layout[k] for k in order)


def _transpose(rec: Recorder, call: Call) -> Answer:
    layout = list(rec.layout(call.args[0]))
    a, b = call.get(1, "dim0"), call.get(2, "dim1")
    layout[a], layout[b] = layout[b], layout[a]
    return tuple(layout)


def _turned(rec: Recorder, call: Call) -> Answer:
    layout = rec.layout(call.args[0])
    return (*layout[:-2], layout[-1], layout[-2])


def _expand(rec: Recorder, call: Call) -> Answer:
    """New axes are free; an axis of one becomes free when it is repeated."""
    layout, shape = rec.layout(call.args[0]), call.out.shape
    padded = (*(free(1) for _ in range(len(shape) - len(layout))), *layout)
    return tuple(a if a.size == n else free(n) for a, n in zip(padded, shape, strict=True))


def _repeat(rec: Recorder, call: Call) -> Answer:
    layout, shape = rec.layout(call.args[0]), call.out.shape
    padded = (*(free(1) for _ in range(len(shape) - len(layout))), *layout)
    return tuple(_copies(axis, size) for axis, size in zip(padded, shape, strict=True))


def _copies(axis: Axis, size: int) -> Axis:
    if axis.size == size:
        return axis
    if axis.role == "carries" and axis.size > 1:
        return carrying(axis.carry() * (size // axis.size))
    if axis.role == "free" or axis.size == 1:
        return free(size)
    raise DisagreementError(f"repeats an axis that is {axis.role}")


def _unsqueeze(rec: Recorder, call: Call) -> Answer:
    layout, place = list(rec.layout(call.args[0])), call.get(1, "dim")
    layout.insert(place if place >= 0 else len(layout) + 1 + place, free(1))
    return tuple(layout)


def _squeeze(rec: Recorder, call: Call) -> Answer:
    layout, place = rec.layout(call.args[0]), call.get(1, "dim")
    if place is None:
        return tuple(axis for axis in layout if axis.size != 1)
    gone = {k % len(layout) for k in ([place] if isinstance(place, int) else place)}
    return tuple(axis for k, axis in enumerate(layout) if k not in gone or axis.size != 1)


def _cat(rec: Recorder, call: Call) -> Answer:
    tensors, place = call.get(0, "tensors"), call.get(1, "dim", 0)
    layouts = [rec.layout(tensor) for tensor in tensors]
    place %= len(layouts[0])
    joint = [layout[place] for layout in layouts]
    made = []
    for k, axis in enumerate(layouts[0]):
        for other in layouts[1:]:
            if k != place:
                axis = match(axis, other[k], rec.group)
        made.append(axis)
    if all(axis.role in ("free", "open") for axis in joint) and any(axis.role == "free" for axis in joint):
        for axis in joint:
            axis.become(free(axis.size))
        made[place] = free(call.out.shape[place])
    elif any(axis.role == "pixel" for axis in joint):
        raise DisagreementError("joins images along an axis of theirs")
    else:
        made[place] = carrying(tuple(part for axis in joint for part in axis.carry()))
    return tuple(made)


def _stack(rec: Recorder, call: Call) -> Answer:
    tensors, place = call.get(0, "tensors"), call.get(1, "dim", 0)
    made = list(rec.layout(tensors[0]))
    for tensor in tensors[1:]:
        made = [match(a, b, rec.group) for a, b in zip(made, rec.layout(tensor), strict=True)]
    made.insert(place % (len(made) + 1), free(len(tensors)))
    return tuple(made)


def _pieces(rec: Recorder, call: Call) -> Answer:
    """Consecutive pieces of one axis: chunk, split, tensor_split."""
    layout = rec.layout(call.args[0])
    place = call.get(2, "dim", 0) % len(layout)
    made, start = [], 0
    for piece in call.out:
        stop = start + piece.shape[place]
        made.append((*layout[:place], _part(rec, layout[place], start, stop), *layout[place + 1 :]))
        start = stop
    return made


def _unbind(rec: Recorder, call: Call) -> Answer:
    layout = rec.layout(call.args[0])
    place = call.get(1, "dim", 0) % len(layout)
    if layout[place].role not in ("free", "open"):
        raise DisagreementError(f"takes apart an axis that is {layout[place].role}")
    return [(*layout[:place], *layout[place + 1 :])] * len(call.out)


def _part(rec: Recorder, axis: Axis, start: int, stop: int) -> Axis:
    if stop - start == axis.size:
        return axis
    if axis.role == "pixel":
        raise DisagreementError("cuts an image")
    if axis.role == "free":
        return free(stop - start)
    content: Content = axis.carry()
    return carrying(sliced(content, start, stop, rec.group))


def _getitem(rec: Recorder, call: Call) -> Answer:
    """Indexing by numbers, slices, None and dots; free axes may be indexed by anything."""
    layout, index = list(rec.layout(call.args[0])), call.args[1]
    items = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in [item for item in items if not isinstance(item, Tensor)]:
        place = next(k for k, item in enumerate(items) if item is Ellipsis)
        named = sum(item is not None and item is not Ellipsis for item in items)
        items[place : place + 1] = [slice(None)] * (len(layout) - named)
    made: list[Axis] = []
    for item in items:
        if item is None:
            made.append(free(1))
            continue
        axis = layout.pop(0)
        made.extend(_indexed(rec, axis, item))
    return (*made, *layout)


def _indexed(rec: Recorder, axis: Axis, item: Any) -> list[Axis]:
    if isinstance(item, slice):
        start, stop, step = item.indices(axis.size)
        if step != 1 and axis.role != "free":
            raise DisagreementError(f"takes every {step}th of an axis that is {axis.role}")
        return [_part(rec, axis, start, stop) if step == 1 else free(len(range(start, stop, step)))]
    if isinstance(item, int) and axis.role in ("free", "open"):
        return []
    if isinstance(item, int) and axis.role == "carries":
        place = item % axis.size
        sliced(axis.carry(), place, place + 1, rec.group)  # a single coordinate stands by itself
        return []
    if isinstance(item, Tensor) and axis.role == "free":
        return [free(size) for size in item.shape]
    raise DisagreementError(f"picks places of an axis that is {axis.role}")


def _select(rec: Recorder, call: Call) -> Answer:
    layout = rec.layout(call.args[0])
    place = call.get(1, "dim") % len(layout)
    kept = _indexed(rec, layout[place], call.get(2, "index"))
    return (*layout[:place], *kept, *layout[place + 1 :])


SAME = (
    "contiguous clone detach to float double half type_as dropout dropout1d dropout2d dropout3d feature_dropout alpha_dropout "
    "get_data requires_grad_ cpu pin_memory identity"
)
HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(SAME.split(), _same),
    **dict.fromkeys(("view", "reshape", "flatten", "unflatten", "view_as", "reshape_as"), _reshape),
    "permute": _permute, "transpose": _transpose, "swapaxes": _transpose, "swapdims": _transpose, "t": _turned,
    "get_T": _turned, "get_mT": _turned, "expand": _expand, "expand_as": _expand, "repeat": _repeat, "unsqueeze": _unsqueeze,
    "squeeze": _squeeze, "cat": _cat, "concat": _cat, "concatenate": _cat, "stack": _stack, "chunk": _pieces, "split": _pieces,
    "tensor_split": _pieces, "unbind": _unbind, "__getitem__": _getitem, "select": _select,
    "index_select": _select,
}  # fmt: skip
"""What each function does, by its name."""


def single(layout: Layout) -> Axis | None:
    """The only axis that carries something; None if there are none or several."""
    carried = [axis for axis in layout if axis.role == "carries"]
    return carried[0] if len(carried) == 1 else None
