"""A bilinear layer and the gates after it as one operation: what it computes, and its compiled version.

Nothing here knows a group or a representation: :func:`softsym.nn.bilinear.make_plan` has made sizes and numbers of types of them. The
torch version (:func:`softsym.nn.network.hidden_layer`) and the compiled one (``hidden_layer.c``) read the same values.

``torch.ops.softsym.*`` are what ``torch.compile`` puts into a graph; outside of graphs the same functions are called by a
:class:`torch.autograd.Function` (README.md says why). Where compiled code cannot run the twin does the same in torch operations.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.errors import InputError
from softsym.native.build import (
    Numbered,
    Source,
    build,
    can_run,
    check_tensors,
    custom_op,
    entry,
    full_precision,
    is_mixed,
    name_signature,
)
from softsym.typing import Index

CHUNK = 64  # samples that are computed together: what they need should fit the second cache
PADDING = 16  # chunks are filled up to a multiple of this, the numbers in the longest vector of a processor
_WORTH_THREADS = 25_000  # numbers of a batch; about where torch, too, begins to share work out


@dataclass(frozen=True)
class Copies:
    """All ``count`` copies of a type: the (start, stop) of each run of them, coordinates of a copy, size of each tensor index."""

    places: tuple[tuple[int, int], ...]
    count: int
    size: int
    shape: tuple[int, ...]


class Term(NamedTuple):
    """Maps copies of type ``source`` to copies of type ``target`` through the first ``n`` copies of type ``through``.

    Types are numbered. ``axes`` is the order of the axes of ``through`` that makes it a matrix target x source; None if it is one
    as it is. The weight comes before the contraction or after it; ``between`` the two there are so many copies.
    """

    source: int
    target: int
    through: int
    n: int
    axes: tuple[int, ...] | None
    weight_first: bool
    between: int


@dataclass(frozen=True)
class Plan:
    """What a bilinear layer computes: x + ``scale`` W(x) x.

    ``scalar`` is the number of the scalar type, -1 if there is none. The weights of all terms from scalars (``scaled``) are stacked in one
    matrix, those of all terms to scalars (``inner``) in another; every other term (``mixed``) has its own.
    """

    size: int
    types: tuple[Copies, ...]
    scalar: int
    scaled: tuple[Term, ...]
    inner: tuple[Term, ...]
    mixed: tuple[Term, ...]
    scale: float

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms."""
        return self.scaled + self.inner + self.mixed

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Shape of each weight: that of all scaled terms, that of all inner terms, those of mixed terms."""
        scalars = self.types[self.scalar].count if self.scalar >= 0 else 0
        counts = [(t, self.types[t.source].count, self.types[t.target].count) for t in self.mixed]
        mixed = [(t.between, a) if t.weight_first else (b, t.between) for t, a, b in counts]
        scaled, inner = sum(t.between for t in self.scaled), sum(t.between for t in self.inner)
        return [(scaled, scalars), (scalars, inner), *mixed]


@dataclass(frozen=True)
class Gates:
    """What the nonlinearity computes: the first ``count`` channels are gates, the others ``size`` values.

    A run (start, stop, copies, size, gate) of values holds copies with a gate each, from number ``gate`` on; or none that gate themselves.
    """

    count: int
    size: int
    runs: tuple[tuple[int, int, int, int, int], ...]


_TERM, _LAYER = 19, 10  # numbers in the structures of hidden_layer.c
_SIZES = {"padding": PADDING, "size of Term": 4 * _TERM, "size of Layer": 4 * _LAYER}
SOURCE = Source(Path(__file__).with_name("hidden_layer.c"), _SIZES)


class HiddenLayer(Numbered):
    """A bilinear layer and the gates after it, apart from their weights, which are one long vector: the gates' first.

    ``twin`` computes the same in torch operations, from (plan, gates, x, weight of the gates, *weights of the bilinear layer).
    """

    def __init__(self, plan: Plan, gates: Gates, twin: Callable[..., Tensor]) -> None:
        super().__init__(plan, gates, twin)
        self.plan, self.gates, self.twin = plan, gates, twin
        self.shapes: list[tuple[int, ...]] = [(gates.size,), *plan.shapes]
        self._layer = _describe(plan, gates)
        self._kept, self._work = self._layer[4:6].tolist()
        self._weights = sum(math.prod(shape) for shape in self.shapes)

    def __call__(self, x: Tensor, weights: Tensor) -> Tensor:
        """The result in torch operations."""
        parts = weights.split([math.prod(shape) for shape in self.shapes])
        shaped = (part.view(shape) for part, shape in zip(parts, self.shapes, strict=True))
        return self.twin(self.plan, self.gates, x, *shaped)

    def check(self, x: Tensor, weights: Sequence[Tensor]) -> None:
        """Refuses an input or weights of other sizes than those of the layer."""
        if x.ndim != 2 or x.shape[1] != self.plan.size:
            raise InputError(f"the layer takes inputs of shape (batch, {self.plan.size}), got {tuple(x.shape)}")
        shapes = [tuple(weight.shape) for weight in weights]
        if shapes != self.shapes:
            raise InputError(f"weights of a layer have shapes {self.shapes}, got {shapes}; do not exchange their data")

    def empty(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """What :meth:`forward` returns, of undefined numbers."""
        return x.new_empty(len(x), self.gates.size), x.new_empty(_padded(len(x)), self._kept)

    def forward(self, x: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """The result (batch, values) in compiled code, and what the backward pass needs."""
        out, kept = self.empty(x)
        self._run(weights, x.contiguous(), out, kept)
        return out, kept

    def backward(self, grad: Tensor, weights: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
        """Gradients of the input (batch, gates and values) and of all weights."""
        d_x = grad.new_empty(len(grad), self.plan.size)
        grads = grad.new_zeros(self._threads(len(grad), grad.dtype), self._weights)
        self._run(weights, d_x, grad.contiguous(), kept, grads)
        return d_x, grads.sum(0) if len(grads) > 1 else grads[0]

    def _run(self, weights: Tensor, x: Tensor, out: Tensor, kept: Tensor, grads: Tensor | None = None) -> None:
        batch, dtype = len(x), x.dtype
        threads, rounds = self._threads(batch, dtype), max(1, -(-batch // CHUNK))
        chunk = max(1, -(-batch // (rounds * PADDING))) * PADDING  # the same in both directions
        needed = [self._weights, batch * self.plan.size, batch * self.gates.size, _padded(batch) * self._kept]
        check_tensors((weights, x, out, kept), dtype, needed)
        work = x.new_empty(threads * chunk * self._work)
        tensors = (weights, x, out, kept, work, grads)
        places = [ctypes.c_void_p(None if t is None else t.data_ptr()) for t in tensors]
        lengths = (ctypes.c_int64 * 6)(*(0 if t is None else t.numel() for t in tensors))
        layer, scale = ctypes.c_void_p(self._layer.ctypes.data), ctypes.c_double(self.plan.scale)
        if entry(SOURCE, dtype, "run")(layer, scale, *places, lengths, ctypes.c_int64(batch), chunk, threads):
            raise InputError("compiled code was given arrays shorter than the layer needs")

    def _threads(self, batch: int, dtype: torch.dtype) -> int:
        """One for small batches of narrow layers, which are not worth a second."""
        several = batch * self.plan.size >= _WORTH_THREADS and build(SOURCE, dtype).threaded
        return torch.get_num_threads() if several else 1


def _describe(plan: Plan, gates: Gates) -> NDArray[np.int32]:
    """The structures of ``hidden_layer.c`` and all tables, one after the other."""
    firsts = np.cumsum([0, *(kind.count * kind.size for kind in plan.types)]).tolist()  # first rows of types
    kept, between, spare = 2 * plan.size + gates.count, 0, 0  # numbers of rows
    terms, tables = list[int](), list[int]()

    def table(values: Index) -> int:
        tables.extend(values.ravel().tolist())
        return _LAYER + _TERM * len(plan.terms) + len(tables) - values.size

    for t, (start, stride) in zip(plan.terms, _weights(plan, gates.size), strict=True):
        source, target, through = plan.types[t.source], plan.types[t.target], plan.types[t.through]
        rows, columns = (t.between, source.count) if t.weight_first else (target.count, t.between)
        width, copies = (source.size, target.count) if t.weight_first else (target.size, source.count)
        place: Index = np.arange(through.size).reshape(through.shape)
        place = place.transpose(t.axes or range(place.ndim)).reshape(target.size, source.size)
        z, sides = [place[:, 0], place[0]], [np.arange(target.size), np.arange(source.size)]
        acting, side = np.arange(t.n)[:, None], int(t.weight_first)  # the side that runs over acting copies
        z[side], sides[side] = z[side] + acting * through.size, sides[side] + acting * copies * width
        terms += [firsts[t.source], firsts[t.target], firsts[t.through], kept, t.weight_first, start]
        terms += [rows, columns, stride, width, sides[0].size, sides[1].size, copies, *map(table, z)]
        for offsets, kind in zip(sides, (target, source), strict=True):
            terms += [table(offsets), table(np.arange(copies) * kind.size)]
        kept += t.between * width if t.weight_first else 0
        between = max(between, t.between * width)
        spare = max(spare, -(-columns // PADDING) * (PADDING * width + rows) + t.between * width)
    row, gate = np.empty(plan.size, np.int64), np.empty(gates.size, np.int64)
    for kind, first in zip(plan.types, firsts, strict=False):  # there is one more first row, the last
        coordinates = np.concatenate([np.arange(*place) for place in kind.places])
        row[coordinates] = first + np.arange(len(coordinates))
    for start, stop, copies, size, first in gates.runs:
        gate[start:stop] = first + np.arange(stop - start) // size if copies else -1
    work = gates.size + 2 * plan.size + between
    weights = gates.size + sum(rows * columns for rows, columns in plan.shapes)
    sizes = [plan.size, gates.count, gates.size, len(plan.terms), kept, work + spare, work, weights]
    return np.array([*sizes, table(row), table(gate), *terms, *tables], np.int32)


def _weights(plan: Plan, first: int) -> list[tuple[int, int]]:
    """Where each term's weight begins among all weights, and how far its rows are apart."""
    strides = [columns for _, columns in plan.shapes]
    scaled, inner, *mixed = first + np.cumsum([0, *(rows * columns for rows, columns in plan.shapes)])
    rows = np.cumsum([0, *(t.between for t in plan.scaled)])[:-1] * strides[0]
    columns = np.cumsum([0, *(t.between for t in plan.inner)])[:-1]
    stacked = [*((scaled + row, strides[0]) for row in rows), *((inner + k, strides[1]) for k in columns)]
    return [*stacked, *zip(mixed[:-1], strides[2:], strict=True)]


def _padded(samples: int) -> int:
    return (samples + PADDING - 1) // PADDING * PADDING


def run_hidden_layer(layer: HiddenLayer, x: Tensor, *weights: Tensor) -> Tensor:
    """A bilinear layer and the gates after it, (batch, values), compiled where possible; in float32 under autocast, never in half."""
    if is_mixed(x):
        with full_precision(x):
            halves = (torch.bfloat16, torch.float16)
            single = (tensor.float() if tensor.dtype in halves else tensor for tensor in (x, *weights))
            return run_hidden_layer(layer, *single)
    layer.check(x, weights)
    if not can_run(SOURCE, (x, *weights)):
        return layer.twin(layer.plan, layer.gates, x, *weights)
    stacked = torch.cat([weight.flatten() for weight in weights])
    if torch.compiler.is_compiling():
        return _hidden_layer(x, stacked, layer.number)[0]
    return _HiddenLayer.apply(layer, x, stacked)[0]


@custom_op("softsym::hidden_layer", schema="(Tensor x, Tensor weights, SymInt layer) -> (Tensor, Tensor)")
def _hidden_layer(x: Tensor, weights: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).forward(x, weights)


@custom_op(
    "softsym::hidden_layer_backward",
    schema="(Tensor grad, Tensor weights, Tensor kept, SymInt layer) -> (Tensor, Tensor)",
)
def _hidden_layer_backward(grad: Tensor, weights: Tensor, kept: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).backward(grad, weights, kept)


@_hidden_layer.register_fake
def _(x: Tensor, weights: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).empty(x)


@_hidden_layer_backward.register_fake
def _(grad: Tensor, weights: Tensor, kept: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    size = HiddenLayer.numbered(layer).plan.size
    return grad.new_empty(len(grad), size), torch.empty_like(weights)


def _keep(ctx: Any, inputs: tuple[Tensor, Tensor, int], output: tuple[Tensor, Tensor]) -> None:
    _, weights, ctx.number = inputs
    ctx.save_for_backward(weights, output[1])


def _gradients(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None]:
    return *_hidden_layer_backward(grad, *ctx.saved_tensors, ctx.number), None


_hidden_layer.register_autograd(_gradients, setup_context=_keep)


@name_signature
class _HiddenLayer(torch.autograd.Function):
    """The operator without the dispatcher: a layer, x and all weights to the result and what is kept."""

    @staticmethod
    def forward(layer: HiddenLayer, x: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return layer.forward(x, weights)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.layer, x, weights = inputs
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(x, weights, output[1])
        ctx.save_for_forward(x, weights)

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: None) -> tuple[Tensor | None, ...]:
        x, weights, kept = ctx.saved_tensors
        if torch.is_grad_enabled():  # derivatives of the gradient are wanted too
            return None, *torch.func.vjp(ctx.layer, x, weights)[1](grad)
        return None, *ctx.layer.backward(grad, weights, kept)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Tensor | None) -> tuple[Tensor, None]:
        inputs = ctx.saved_tensors
        filled = tuple(torch.zeros_like(p) if t is None else t for p, t in zip(inputs, tangents, strict=True))
        return torch.func.jvp(ctx.layer, inputs, filled)[1], None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], layer: HiddenLayer, *inputs: Tensor) -> tuple[Any, Any]:
        out = torch.vmap(layer, in_dims[1:], randomness=info.randomness)(*inputs)
        return (out, out.new_empty(0)), (0, None)  # nothing is kept: gradients, too, come from the twin
