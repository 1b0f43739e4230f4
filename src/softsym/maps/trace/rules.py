"""Rules of arithmetic (functions of single numbers, sums, products, reductions, contractions), then of rearrangement (views, slices).

A view matches the axes of both shapes block by block, each block with the same number of entries. Several axes that become one are
flattened; one that becomes several (the heads of attention) is split into equal copies.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from softsym.groups import Group
from softsym.maps.trace.tracer import SUMS, Call, Output, Rule, Tracer
from softsym.maps.trace.unify import (
    Layout,
    Term,
    TracedAxis,
    TraceError,
    channel_axis,
    check_scalar,
    free_axes,
    free_axis,
    new_variable,
    open_axes,
    pad_left,
    slice_term,
    split_evenly,
    tensor_product,
    term_size,
    unify,
    unify_axes,
)
from softsym.reps import Grid, Scalar

POINTWISE = (
    "relu relu6 gelu silu tanh sigmoid elu leaky_relu softplus mish hardtanh hardswish hardsigmoid selu celu softsign logsigmoid "
    "exp log log1p expm1 abs sqrt rsqrt sin cos erf clamp clamp_min clamp_max threshold rrelu softshrink "
    "hardshrink tanhshrink reciprocal sign softmax log_softmax isfinite isnan isinf logical_not"
)


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
        return _broadcast(tracer, "add", *map(tracer.layout, call.args[:2]))
    first, second = call.args[:2]
    x, number = (first, second) if isinstance(first, Tensor) else (second, first)
    layout = tracer.layout(x)
    if number != 0:
        tracer.mark_all_pointwise(layout, "adding a number")
    return layout


def _multiply(tracer: Tracer, call: Call) -> Output:
    """Products and quotients: elementwise of two tensors, or with one number for all."""
    is_quotient = "div" in call.name
    if all(isinstance(item, Tensor) for item in call.args[:2]):
        layout = _broadcast(tracer, "multiply", *map(tracer.layout, call.args[:2]))
        if is_quotient:
            tracer.mark_products(layout)
        return layout
    layout = tracer.layout(next(item for item in call.args if isinstance(item, Tensor)))
    if is_quotient and (call.name.startswith("__r") or not isinstance(call.args[0], Tensor)):
        tracer.mark_all_pointwise(layout, "dividing by it")
    return layout


def _compare(tracer: Tracer, call: Call) -> Output:
    """Functions of two numbers."""
    layouts = [tracer.layout(item) for item in call.args[:2] if isinstance(item, Tensor)]
    layout = _broadcast(tracer, "max", *layouts)
    tracer.mark_all_pointwise(layout, call.name)
    return layout


def _power(tracer: Tracer, call: Call) -> Output:
    """Squares may be added up to a squared norm; other powers are functions of single numbers."""
    exponent = call.get(1, "exponent", 2)
    if isinstance(exponent, Tensor) or exponent != 2:
        return _compare(tracer, call)
    return tuple(map(_product_axis, tracer.layout(call.args[0])))


def _product_axis(axis: TracedAxis) -> TracedAxis:
    """The axis of an elementwise product."""
    return axis if axis.term is None else replace(axis, product="an elementwise product")


def _where(tracer: Tracer, call: Call) -> Output:
    """Numbers of two tensors, or of one and a number, by a condition."""
    condition, *values = call.args if call.name == "where" else (call.args[1], call.args[0], call.args[2])
    layouts = [tracer.layout(item) for item in values if isinstance(item, Tensor) and item.dim()]
    layout = _broadcast(tracer, "multiply", tracer.layout(condition), _broadcast(tracer, "add", *layouts))
    tracer.mark_products(layout)
    if any(not (isinstance(item, Tensor) and item.dim()) and item != 0 for item in values):
        tracer.mark_all_pointwise(layout, call.name)
    return layout


def _broadcast(tracer: Tracer, how: str, a: Layout, b: Layout | None = None) -> Layout:
    """Unifies the axes of two tensors from the last one on."""
    if b is None:
        return a
    length = max(len(a), len(b))
    axes: list[TracedAxis] = []
    for first, second in zip(pad_left(a, length), pad_left(b, length), strict=True):
        if first.size == 1 or second.size == 1:
            axes.append(_broadcast_axis(tracer, first, second, how))
        else:
            axis = unify_axes(first, second, tracer.group)
            axes.append(_product_axis(axis) if how == "multiply" else axis)
    return tuple(axes)


def _broadcast_axis(tracer: Tracer, first: TracedAxis, second: TracedAxis, how: str) -> TracedAxis:
    """An axis of one number meets an axis of many."""
    single, many = (first, second) if first.size == 1 else (second, first)
    if single.role == "open":
        single.assign(free_axis(1))
    if many.size > 1 or how == "multiply":
        check_scalar(single, tracer.group)
    if many.size > 1 and many.term is not None and how != "multiply":
        tracer.mark_pointwise(many.term, "adding one number to all")
    return many if many.size > 1 or many.role != "free" else single


def _reduce(tracer: Tracer, call: Call) -> Output:
    """Means, sums, maxima and norms over any axes, but of an image over all."""
    layout, is_norm = tracer.layout(call.args[0]), "norm" in call.name
    place = call.get(2 if is_norm else 1, "dim", call.kwargs.get("axis"))
    if isinstance(place, Tensor):
        return _compare(tracer, call)
    reduced = _read_places(place, len(layout))
    pixels = {k for k, axis in enumerate(layout) if axis.role == "pixel" and axis.size > 1}
    if pixels & reduced and pixels - reduced:
        raise TraceError("goes over some, not all, axes of an image")
    is_euclidean = is_norm and call.get(1, "ord", call.kwargs.get("p")) in (None, 2, "fro")
    for axis in (layout[k] for k in reduced):
        if axis.role == "open":
            axis.assign(free_axis(axis.size))
        elif axis.term is not None and (is_euclidean or (axis.product and call.name in SUMS)):
            tracer.mark_inner_product(axis.term)
        elif axis.term is not None:
            tracer.mark_pointwise(axis.term, call.name)
    remaining = tuple(axis for k, axis in enumerate(layout) if k not in reduced)
    tracer.mark_products(remaining)
    if call.name not in SUMS:
        tracer.mark_all_pointwise(remaining, call.name)
    if (call.out if isinstance(call.out, Tensor) else call.out[0]).dim() == len(layout):
        remaining = tuple(free_axis(1) if k in reduced else axis for k, axis in enumerate(layout))
    return [remaining, remaining]


def _normalize(tracer: Tracer, call: Call) -> Output:
    """Division by the norm along one axis."""
    args = (call.args[0], call.get(1, "p", 2), call.get(2, "dim", 1))
    _reduce(tracer, replace(call, name="norm", args=args, kwargs={}))
    return tracer.layout(call.args[0])


def _cdist(tracer: Tracer, call: Call) -> Output:
    """Distances, which are functions of inner products."""
    batch = "abcdefgh"[: call.out.dim() - 2]
    layouts = [tracer.layout(item) for item in call.args[:2]]
    return contract(tracer, layouts, [f"{batch}xy", f"{batch}zy"], f"{batch}xz")


def _read_places(place: Any, length: int) -> set[int]:
    """The axes that an argument ``dim`` names; None are all."""
    places = range(length) if place is None else [place] if isinstance(place, int) else place
    return {k % length for k in places}


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
                is_map = "open" in (axis.role, other.role) or "in" in (axis.sign, other.sign)
                axes[letter] = unify_axes(other, axis, tracer.group, "out" if letter in out else "in")
                if letter not in out and not is_map and axes[letter].term is not None:
                    tracer.mark_inner_product(axes[letter].channels())
                if letter in out and axes[letter].term is not None:
                    tracer.mark_pointwise(axes[letter].channels(), "an elementwise product")
    for letter, axis in axes.items():
        if letter not in out and sum(letter in names for names in letters) == 1 and axis.size > 1:
            raise TraceError("adds up an axis of one factor")
        if axis.role == "open" and axis.is_constant:
            axis.assign(free_axis(axis.size))
        elif axis.role == "open":  # an output axis that only a parameter has
            axis.channels()
    return tuple(axes[letter] for letter in out)


def _matmul(tracer: Tracer, call: Call) -> Output:
    a, b = (tracer.layout(item) for item in call.args[:2])
    batch = "abcdefgh"[: max(len(a), len(b), 2) - 2]
    first, second = batch[len(batch) - len(a) + 2 :] + "xy", batch[len(batch) - len(b) + 2 :] + "yz"
    first, second = "y" if len(a) == 1 else first, "y" if len(b) == 1 else second
    return contract(tracer, [a, b], [first, second], batch + "x" * (len(a) > 1) + "z" * (len(b) > 1))


def _einsum(tracer: Tracer, call: Call) -> Output:
    equation, operands = call.args[0], call.args[1:]
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    if not isinstance(equation, str) or "->" not in equation or "." in equation:
        raise TraceError("is written without '->' or with dots")
    factors, out = equation.replace(" ", "").split("->")
    return contract(tracer, [tracer.layout(operand) for operand in operands], factors.split(","), out)


def _addmm(tracer: Tracer, call: Call) -> Output:
    bias, *factors = (tracer.layout(item) for item in call.args[:3])
    return _broadcast(tracer, "add", contract(tracer, factors, ["xy", "yz"], "xz"), bias)


def reshape(layout: Layout, shape: Sequence[int], group: Group) -> Layout:
    """The axes of the same numbers in another shape, given without -1."""
    axes: list[TracedAxis] = []
    for old, sizes in _blocks(layout, list(shape), group):
        if [axis.size for axis in old] == sizes:
            axes.extend(old)
        else:  # through one flat axis
            flat = merge_axes(old)
            axes.extend([flat] if len(sizes) == 1 else _split_axis(flat, sizes, group))
    return tuple(axes)


def merge_axes(axes: Sequence[TracedAxis]) -> TracedAxis:
    """Several axes as one, the last running fastest."""
    axes = [axis for axis in axes if axis.size > 1 or axis.role == "channel"] or list(axes[:1])
    if len(axes) == 1:
        return axes[0]
    total = math.prod(axis.size for axis in axes)
    if all(axis.role == "free" for axis in axes):
        return free_axis(total)
    term: Term | None = None
    copies, pixels = 1, []
    for axis in axes:
        if axis.role == "free" and term is None:
            copies *= axis.size
        elif axis.role == "free" and term is not None:
            term = tensor_product(term, axis.size * Scalar, axis.size)
        elif axis.role == "pixel":
            pixels.append(axis)
        elif pixels or term is not None:
            raise TraceError("channels behind pixels or other channels are flattened")
        else:
            term = axis.channels()
    if pixels:
        if [axis.pixel for axis in pixels] != list(range(len(pixels))):
            raise TraceError("some, not all, axes of an image are flattened")
        sizes = [axis.size for axis in pixels]
        count = total // copies // (1 if term is None else term_size(term))
        grid = Grid(*sizes)
        term = new_variable(count, grid) if term is None else tensor_product(term, grid, count)
    assert term is not None
    return channel_axis(term * copies)


def _split_axis(axis: TracedAxis, sizes: list[int], group: Group) -> list[TracedAxis]:
    """One axis as several: free axes of copies and the axis of one copy, or all of them free."""
    if axis.size == 1 or axis.role == "free":
        return [free_axis(size) for size in sizes]
    if axis.role == "pixel":
        raise TraceError("an axis of an image is split")
    copies = math.prod(sizes[:-1])
    return [*map(free_axis, sizes[:-1]), channel_axis(split_evenly(axis.channels(), copies, group))]


def _blocks(layout: Layout, shape: list[int], group: Group) -> list[tuple[list[TracedAxis], list[int]]]:
    """Consecutive axes and new sizes that hold the same number of entries."""
    old, new = list(layout), list(shape)
    blocks: list[tuple[list[TracedAxis], list[int]]] = []
    while old or new:
        if not new or (old and old[0].size == 1 and new[0] != 1):  # an axis of one comes or goes
            check_scalar(old.pop(0), group)
            continue
        if not old or (new[0] == 1 and old[0].size != 1):
            blocks.append(([free_axis(1)], [new.pop(0)]))
            continue
        axes, sizes = [old.pop(0)], [new.pop(0)]
        have, want = axes[0].size, sizes[0]
        while have != want:
            if have < want:
                axes.append(old.pop(0))
                have *= axes[-1].size
            else:
                sizes.append(new.pop(0))
                want *= sizes[-1]
        blocks.append((axes, sizes))
    return blocks


def _unchanged(tracer: Tracer, call: Call) -> Output:
    return tracer.layout(call.args[0])


def _reshape(tracer: Tracer, call: Call) -> Output:
    return reshape(tracer.layout(call.args[0]), tuple(call.out.shape), tracer.group)


def _permute(tracer: Tracer, call: Call) -> Output:
    """Axes in another order: where the strides of a tensor without storage go."""
    layout, x = tracer.layout(call.args[0]), call.args[0]
    numbered = torch.empty_strided(x.shape, tuple(range(1, x.dim() + 1)), device="meta")
    return tuple(layout[stride - 1] for stride in call.function(numbered, *call.args[1:], **call.kwargs).stride())


def _repeat(tracer: Tracer, call: Call) -> Output:
    """New axes are free; so is a repeated axis of size one."""
    axes = []
    padded = pad_left(tracer.layout(call.args[0]), len(call.out.shape))
    for axis, size in zip(padded, call.out.shape, strict=True):
        if axis.size != size:
            check_scalar(axis, tracer.group)
            if axis.size > 1 and axis.role in ("pixel", "open"):
                raise TraceError(f"repeats a {axis.role} axis")
            is_channel = axis.size > 1 and axis.role == "channel"
            axis = channel_axis(axis.channels() * (size // axis.size)) if is_channel else free_axis(size)
        axes.append(axis)
    return tuple(axes)


def _unsqueeze(tracer: Tracer, call: Call) -> Output:
    layout, place = list(tracer.layout(call.args[0])), call.get(1, "dim")
    layout.insert(place if place >= 0 else len(layout) + 1 + place, free_axis(1))
    return tuple(layout)


def _squeeze(tracer: Tracer, call: Call) -> Output:
    layout, place = tracer.layout(call.args[0]), call.get(1, "dim")
    removed = {k for k in _read_places(place, len(layout)) if layout[k].size == 1}
    for k in removed:
        check_scalar(layout[k], tracer.group)
    return tuple(axis for k, axis in enumerate(layout) if k not in removed)


def _cat(tracer: Tracer, call: Call) -> Output:
    tensors, place = call.get(0, "tensors"), call.get(1, "dim", 0)
    columns = list(zip(*map(tracer.layout, tensors), strict=True))
    place %= len(columns)
    joined = columns.pop(place)
    axes = [_unify_all(tracer, column) for column in columns]
    roles = {axis.role for axis in joined}
    if "pixel" in roles:
        raise TraceError("joins images along an axis of theirs")
    if roles in ({"free"}, {"free", "open"}):
        _check_places(joined)
        axes.insert(place, free_axis(call.out.shape[place]))
    else:
        axes.insert(place, channel_axis(tuple(summand for axis in joined for summand in axis.channels())))
    return tuple(axes)


def _stack(tracer: Tracer, call: Call) -> Output:
    tensors, place = call.get(0, "tensors"), call.get(1, "dim", 0)
    axes = [_unify_all(tracer, column) for column in zip(*map(tracer.layout, tensors), strict=True)]
    axes.insert(place % (len(axes) + 1), free_axis(len(tensors)))
    return tuple(axes)


def _unify_all(tracer: Tracer, axes: Sequence[TracedAxis]) -> TracedAxis:
    return functools.reduce(lambda a, b: unify_axes(a, b, tracer.group), axes)


def _split(tracer: Tracer, call: Call) -> Output:
    """Consecutive pieces of one axis: chunk, split, tensor_split."""
    layout = tracer.layout(call.args[0])
    place = call.get(2, "dim", 0) % len(layout)
    axes, start = [], 0
    for piece in call.out:
        stop = start + piece.shape[place]
        axes.append((*layout[:place], *_index_axis(tracer, layout[place], slice(start, stop)), *layout[place + 1 :]))
        start = stop
    return axes


def _unbind(tracer: Tracer, call: Call) -> Output:
    layout = tracer.layout(call.args[0])
    place = call.get(1, "dim", 0) % len(layout)
    if layout[place].role not in ("free", "open"):
        raise TraceError(f"takes apart a {layout[place].role} axis")
    return [(*layout[:place], *layout[place + 1 :])] * len(call.out)


def _getitem(tracer: Tracer, call: Call) -> Layout:
    """Indexing by numbers, slices, None and an ellipsis; free axes by anything."""
    layout, index = list(tracer.layout(call.args[0])), call.args[1]
    items = list(index) if isinstance(index, tuple) else [index]
    if any(item is Ellipsis for item in items):
        place = next(k for k, item in enumerate(items) if item is Ellipsis)
        items[place : place + 1] = [slice(None)] * (len(layout) - sum(map(_count_axes, items)))
    axes: list[TracedAxis] = []
    places: list[int] = []  # of axes that are indexed by tensors and lists
    shape = call.args[0][index].shape
    for item in items:
        if item is None:
            axes.append(free_axis(1))
        elif isinstance(item, int | slice):
            axes.extend(_index_axis(tracer, layout.pop(0), item))
        else:
            _check_places([layout.pop(0) for _ in range(_count_axes(item))])
            places.append(len(axes))
    if places:
        start = places[0] if len(set(places)) == 1 else 0
        n_new = len(shape) - len(axes) - len(layout)
        axes[start:start] = free_axes(shape[start : start + n_new])
    return (*axes, *layout)


def _count_axes(item: Any) -> int:
    """The number of axes that one index is for."""
    if isinstance(item, Tensor) and item.dtype == torch.bool:
        return item.dim()
    return int(item is not None and item is not Ellipsis)


def _setitem(tracer: Tracer, call: Call) -> Output:
    """Entries that are overwritten by others of the same representation."""
    part, value = _getitem(tracer, call), call.args[2]
    if isinstance(value, Tensor) and value.dim():
        _broadcast(tracer, "add", part, tracer.layout(value))
    elif value != 0:
        tracer.mark_all_pointwise(part, call.name)
    return tracer.layout(call.args[0])


def _check_places(axes: Sequence[TracedAxis]) -> None:
    """Refuses axes on which groups act; open ones become free."""
    for axis in axes:
        if axis.role == "open":
            axis.assign(free_axis(axis.size))
        if axis.role != "free":
            raise TraceError(f"goes along a {axis.role} axis")


def _index_axis(tracer: Tracer, axis: TracedAxis, item: int | slice) -> list[TracedAxis]:
    """What is left of an axis of which one entry or some are taken."""
    if isinstance(item, int):
        if axis.role == "pixel":
            raise TraceError("selects entries of a pixel axis")
        if axis.role == "channel":
            place = item % axis.size
            term = slice_term(axis.channels(), place, place + 1, tracer.group)  # a single coordinate is a summand
            unify(term, new_variable(1, Scalar), tracer.group)
        return []
    start, stop, step = item.indices(axis.size)
    length = len(range(start, stop, step))
    if axis.role == "free":
        return [free_axis(length)]
    if step != 1:
        raise TraceError(f"takes every {step}th entry of a {axis.role} axis")
    if length == axis.size:
        return [axis]
    if axis.role == "pixel":
        raise TraceError("cuts an image")
    return [channel_axis(slice_term(axis.channels(), start, stop, tracer.group))]


def _select(tracer: Tracer, call: Call) -> Output:
    x, place, index = call.args[0], call.get(1, "dim"), call.get(2, "index")
    return _getitem(tracer, replace(call, args=(x, (*[slice(None)] * (place % x.dim()), index))))


def _along(tracer: Tracer, call: Call) -> Output:
    """Functions that depend on the order along free axes: cumulated sums, flips, triangles."""
    layout = tracer.layout(call.args[0])
    place = call.get(2 if call.name == "roll" else 1, "dim", call.kwargs.get("dims"))
    places = (-2, -1) if call.name in ("tril", "triu") else [place] if isinstance(place, int) else place
    _check_places([layout[k] for k in places])
    return layout


def _scatter(tracer: Tracer, call: Call) -> Output:
    """Gathering entries along a free axis, and adding or writing them there: messages between the nodes of a graph."""
    layout, place, index = tracer.layout(call.args[0]), call.get(1, "dim"), call.get(2, "index")
    values = call.get(3, "source" if call.name.startswith("index") else "src", call.kwargs.get("value"))
    is_number = not (isinstance(values, Tensor) and values.dim())
    source = layout if is_number else tracer.layout(values)
    place %= len(layout)
    _check_places([layout[place], source[place]])
    axes = list(layout)
    for k in set(range(len(axes))) - {place}:
        axes[k] = unify_axes(axes[k], source[k], tracer.group)
        if axes[k].role != "free" and index.dim() > 1 and (index != index.narrow(k, 0, 1)).any():
            raise TraceError(f"takes other places for other entries of a {axes[k].role} axis")
    if call.get(4, "reduce") in ("amax", "amin", "prod", "multiply") or (is_number and values):
        tracer.mark_all_pointwise(tuple(axes), call.name)
    axes[place] = free_axis(call.out.shape[place])
    return tuple(axes)


def _new(tracer: Tracer, call: Call) -> Output:
    """A new tensor: zeros, which any group leaves as they are, noise, or a constant."""
    is_checked = "ones" in call.name or "full" in call.name or call.name == "new_tensor"
    return tracer.layout(call.out) if is_checked else open_axes(call.out.shape, is_constant=True)


NEW = (
    "new_zeros new_ones new_full new_empty new_tensor zeros_like ones_like full_like empty_like rand_like randn_like "
    "randint_like bernoulli"
)
UNCHANGED = (
    "contiguous clone detach to float double half type_as dropout dropout1d dropout2d dropout3d feature_dropout alpha_dropout "
    "get_data requires_grad_ cpu pin_memory identity neg"
)
RULES: dict[str, Rule] = {
    name: rule
    for rule, names in (
        (_pointwise, POINTWISE),
        (_add, "add sub rsub radd iadd isub subtract"),
        (_multiply, "mul div true_divide multiply truediv rmul rtruediv rdiv imul itruediv"),
        (_compare, "maximum minimum gt lt ge le eq ne rpow and or"),
        (_power, "pow square"),
        (_where, "where masked_fill"),
        (_reduce, "mean sum amax amin max min std var logsumexp prod any all norm linalg_norm linalg_vector_norm"),
        (_normalize, "normalize"),
        (_cdist, "cdist"),
        (_matmul, "matmul bmm mm mv rmatmul sparse_mm spmm"),
        (_addmm, "addmm"),
        (_einsum, "einsum"),
        (_glu, "glu"),
        (_prelu, "prelu"),
        (_unchanged, UNCHANGED),
        (_reshape, "view reshape flatten unflatten view_as reshape_as"),
        (_permute, "permute transpose swapaxes swapdims movedim moveaxis t get_T get_mT"),
        (_repeat, "repeat expand expand_as"),
        (_unsqueeze, "unsqueeze"),
        (_squeeze, "squeeze"),
        (_cat, "cat concat concatenate"),
        (_stack, "stack"),
        (_split, "chunk split tensor_split"),
        (_unbind, "unbind"),
        (_getitem, "getitem"),
        (_setitem, "setitem"),
        (_select, "select index_select"),
        (_along, "cumsum cumprod flip roll tril triu"),
        (_scatter, "gather index_add index_copy index_reduce scatter scatter_add scatter_reduce"),
        (_new, NEW),
    )
    for name in names.split()
}
"""The rule of each function, by its name without underscores around it."""
