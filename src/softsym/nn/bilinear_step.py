r"""The bilinear layer as one operation with a backward pass of its own.

Written out by hand, the layer needs a third of the operations and buffers that automatic differentiation would record. Inside, every
type is laid out as (batch, size, copies): with copies as the inner dimension the work is a few large matrix products. With
:math:`X_A` the copies of type A, :math:`Z` the chosen copies of the type that acts, and s the scalars,

* scaled: :math:`O_B \mathrel{+}= Z\,C`, where :math:`C = U s` are coefficients;
* inner: :math:`o = V \,\mathrm{vec}(Z^T X_A)`;
* mixed: :math:`O_B \mathrel{+}= M\,Y`, where :math:`Y = Z X_A` contracts the index of A; or :math:`O_B \mathrel{+}= Z\,Y` with
  :math:`Y = M X_A`, whichever is less work.

Batched products of tiny matrices are slow on CPUs unless their shape is right, so :func:`_product` picks the way they are computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from softsym.reps import TensorType

if TYPE_CHECKING:
    from softsym.nn.bilinear import Copies, Plan, Term

Parts = dict[TensorType, Tensor]
SCALAR = TensorType()
TINY = 3


class FusedBilinear(torch.autograd.Function):
    """x + 0.1 W(x) x for x (batch, size), given a plan and its weights."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)  # type: ignore[untyped-decorator]
    def forward(ctx: Any, plan: Plan, x: Tensor, scale: Tensor, inner: Tensor, *mixed: Tensor) -> Tensor:
        """Computes the layer and keeps what the backward pass needs."""
        parts = _parts(plan, x)
        sums: Parts = {}
        coefficients = products = None
        if plan.scaled:
            coefficients = x_scalars(plan, x) @ scale.T
            for term, c in zip(plan.scaled, _views(plan, plan.scaled, coefficients), strict=True):
                _accumulate(sums, term.target, _chosen(plan, term, parts), c)
        if plan.inner:
            products = x.new_empty(len(x), inner.shape[1])
            for term, target in zip(plan.inner, _views(plan, plan.inner, products), strict=True):
                target.copy_(_product(_chosen(plan, term, parts).transpose(1, 2), parts[term.source]))
            sums[SCALAR] = (products @ inner.T).unsqueeze(1)
        between = []
        for term, weight in zip(plan.mixed, mixed, strict=True):
            source = parts[term.source]
            if term.weight_first:
                y = (source.view(-1, source.shape[2]) @ weight.T).view(len(x), source.shape[1] * term.n, -1)
                _accumulate(sums, term.target, _rows(plan, term, parts), y)
            else:
                y = _product(_matrices(plan, term, parts), source).view(-1, weight.shape[1])
                if term.target in sums:
                    sums[term.target].view(-1, weight.shape[0]).addmm_(y, weight.T)
                else:
                    sums[term.target] = (y @ weight.T).view(len(x), plan.copies[term.target].size, -1)
            between.append(y)
        kept = [t for t in (coefficients, products) if t is not None]
        ctx.plan, ctx.has = plan, (coefficients is not None, products is not None)
        ctx.save_for_backward(x, scale, inner, *mixed, *kept, *between, *parts.values())
        ctx.kinds = list(parts)
        return _add_scattered(plan, x, sums)

    @staticmethod
    @torch.autograd.function.once_differentiable
    @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Gradients of input and weights."""
        plan: Plan = ctx.plan
        saved = list(ctx.saved_tensors)
        x, scale, inner = saved[:3]
        mixed, saved = saved[3 : 3 + len(plan.mixed)], saved[3 + len(plan.mixed) :]
        coefficients = saved.pop(0) if ctx.has[0] else None
        products = saved.pop(0) if ctx.has[1] else None
        between, saved = saved[: len(plan.mixed)], saved[len(plan.mixed) :]
        parts: Parts = dict(zip(ctx.kinds, saved, strict=True))
        out = _parts(plan, grad * _SCALE)
        grads: Parts = {}
        d_scale = d_inner = None
        d_mixed: list[Tensor] = []
        for term, weight, y in zip(plan.mixed, mixed, between, strict=True):
            source, g = parts[term.source], out[term.target]
            if term.weight_first:
                z = _rows(plan, term, parts)
                dy = _product(z.transpose(1, 2), g).view(-1, weight.shape[0])
                d_mixed.append(dy.T @ source.view(-1, source.shape[2]))
                _add(grads, term.source, (dy @ weight).view(source.shape))
                _add_rows(plan, term, parts, grads, _product(g, y.transpose(1, 2)))
            else:
                g = g.view(-1, weight.shape[0])
                d_mixed.append(g.T @ y)
                dy = (g @ weight).view(len(x), -1, source.shape[2])
                _accumulate(grads, term.source, _matrices(plan, term, parts).transpose(1, 2), dy)
                _add_matrices(plan, term, parts, grads, _product(dy, source.transpose(1, 2)))
        if products is not None:
            g = out[SCALAR].view(len(x), -1)
            d_inner = g.T @ products
            for term, dp in zip(plan.inner, _views(plan, plan.inner, g @ inner), strict=True):
                _accumulate(grads, term.source, _chosen(plan, term, parts), dp)
                _add_chosen(plan, term, parts, grads, _product(parts[term.source], dp.transpose(1, 2)))
        if coefficients is not None:
            dc = torch.empty_like(coefficients)
            targets, values = _views(plan, plan.scaled, dc), _views(plan, plan.scaled, coefficients)
            for term, target, c in zip(plan.scaled, targets, values, strict=True):
                target.copy_(_product(_chosen(plan, term, parts).transpose(1, 2), out[term.target]))
                _add_chosen(plan, term, parts, grads, _product(out[term.target], c.transpose(1, 2)))
            d_scale = dc.T @ x_scalars(plan, x)
            grads[SCALAR] = (dc @ scale).unsqueeze(1)
        return None, _add_scattered(plan, grad, grads, 1.0), d_scale, d_inner, *d_mixed


_SCALE = 0.1


def x_scalars(plan: Plan, x: Tensor) -> Tensor:
    """The scalars of x (batch, count)."""
    places = plan.copies[SCALAR].places
    if len(places) == 1:
        return x[:, places[0][0] : places[0][1]]
    return torch.cat([x[:, start:stop] for start, stop in places], dim=1)


def _parts(plan: Plan, x: Tensor) -> Parts:
    """Copies of each type, (batch, size, copies), contiguous."""
    return {kind: _part(x, copies) for kind, copies in plan.copies.items()}


def _part(x: Tensor, copies: Copies) -> Tensor:
    pieces = [
        x[:, start:stop].unflatten(1, (-1, copies.size)).transpose(1, 2) for start, stop in copies.places
    ]
    return (pieces[0] if len(pieces) == 1 else torch.cat(pieces, dim=2)).contiguous()


def _views(plan: Plan, terms: list[Term], stacked: Tensor) -> list[Tensor]:
    """The columns of a stacked matrix (batch, sum n * copies) that belong to each term, as (batch, n, copies)."""
    counts = [plan.copies[t.target if t.source == SCALAR else t.source].count for t in terms]
    pieces = stacked.split([t.n * count for t, count in zip(terms, counts, strict=True)], dim=1)
    return [piece.unflatten(1, (t.n, -1)) for t, piece in zip(terms, pieces, strict=True)]


def _chosen(plan: Plan, term: Term, parts: Parts) -> Tensor:
    """The chosen copies, (batch, size, n), with their indices in the order target, source."""
    z = parts[term.through][..., : term.n]
    if term.axes is None:
        return z
    z = z.unflatten(1, plan.copies[term.through].shape).permute(0, *(axis + 1 for axis in term.axes), -1)
    return z.reshape(len(z), -1, term.n)


def _add_chosen(plan: Plan, term: Term, parts: Parts, grads: Parts, dz: Tensor) -> None:
    """The adjoint of :func:`_chosen`: adds to the gradient of the chosen copies."""
    if term.axes is not None:
        shape = plan.copies[term.through].shape
        inverse = sorted(range(len(shape)), key=term.axes.__getitem__)
        dz = dz.reshape(len(dz), *(shape[axis] for axis in term.axes), term.n)
        dz = dz.permute(0, *(axis + 1 for axis in inverse), -1).reshape(len(dz), -1, term.n)
    if term.through not in grads:
        grads[term.through] = torch.zeros_like(parts[term.through])
    grads[term.through][..., : term.n].add_(dz)


def _matrices(plan: Plan, term: Term, parts: Parts) -> Tensor:
    """The chosen copies as matrices that contract the source index: (batch, target size * n, source size)."""
    rows, columns = plan.copies[term.target].size, plan.copies[term.source].size
    z = _chosen(plan, term, parts).reshape(-1, rows, columns, term.n)
    return z.transpose(2, 3).reshape(-1, rows * term.n, columns)


def _add_matrices(plan: Plan, term: Term, parts: Parts, grads: Parts, dz: Tensor) -> None:
    """The adjoint of :func:`_matrices`."""
    rows, columns = plan.copies[term.target].size, plan.copies[term.source].size
    dz = dz.view(-1, rows, term.n, columns).transpose(2, 3).reshape(-1, rows * columns, term.n)
    _add_chosen(plan, term, parts, grads, dz)


def _rows(plan: Plan, term: Term, parts: Parts) -> Tensor:
    """The chosen copies side by side, (batch, target size, source size * n)."""
    return _chosen(plan, term, parts).reshape(
        -1, plan.copies[term.target].size, plan.copies[term.source].size * term.n
    )


def _add_rows(plan: Plan, term: Term, parts: Parts, grads: Parts, dz: Tensor) -> None:
    """The adjoint of :func:`_rows`."""
    _add_chosen(plan, term, parts, grads, dz.reshape(len(dz), -1, term.n))


def _product(a: Tensor, b: Tensor, into: Tensor | None = None) -> Tensor:
    """The batched product a b, (batch, r, k) times (batch, k, c), added to ``into`` if given.

    Batched products of tiny matrices run fastest as a few broadcast multiplications where k is at most three, and with the longer
    side of the result as its last axis otherwise.
    """
    if a.shape[2] <= TINY:
        out = a[..., :1] * b[:, :1] if into is None else into.addcmul_(a[..., :1], b[:, :1])
        for k in range(1, a.shape[2]):
            out.addcmul_(a[..., k : k + 1], b[:, k : k + 1])
        return out
    if b.shape[2] < 8 < a.shape[1]:
        product = (b.transpose(1, 2) @ a.transpose(1, 2)).transpose(1, 2)
        return product.contiguous() if into is None else into.add_(product)
    return a @ b if into is None else into.baddbmm_(a, b)


def _accumulate(sums: Parts, kind: TensorType, a: Tensor, b: Tensor) -> None:
    """Adds the batched product a b to one type's sum."""
    sums[kind] = _product(a, b, sums.get(kind))


def _add(sums: Parts, kind: TensorType, value: Tensor) -> None:
    sums[kind] = sums[kind].add_(value) if kind in sums else value


def _add_scattered(plan: Plan, x: Tensor, sums: Parts, scale: float = _SCALE) -> Tensor:
    """X plus the sums of all types, in the order of the representation's coordinates."""
    out = x.clone(memory_format=torch.contiguous_format)
    for kind, value in sums.items():
        first = 0
        for start, stop in plan.copies[kind].places:
            count = (stop - start) // plan.copies[kind].size
            piece = value[..., first : first + count].transpose(1, 2)
            out[:, start:stop].unflatten(1, (count, -1)).add_(piece, alpha=scale)
            first += count
    return out
