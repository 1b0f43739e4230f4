r"""The bilinear layer as one operation with a backward pass of its own.

Written out by hand, the layer needs a third of the operations and buffers that automatic differentiation would record. Inside, every
type is laid out as (batch, size, copies): with copies as the inner dimension the work is a few large matrix products. With
:math:`X_A` the copies of type A, :math:`Z` the chosen copies of the type that acts, and s the scalars,

* scaled: :math:`O_B \mathrel{+}= Z\,C`, where :math:`C = U s` are coefficients;
* inner: :math:`o = V \,\mathrm{vec}(Z^T X_A)`;
* mixed: :math:`O_B \mathrel{+}= M\,Y`, where :math:`Y = Z X_A` contracts the index of A; or :math:`O_B \mathrel{+}= Z\,Y` with
  :math:`Y = M X_A`, whichever is less work.

On small networks every call into torch counts as much as the arithmetic, so types are numbered, views are made once and kept for the
backward pass, and nothing is allocated twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

Sums = list[Tensor | None]
SCALE = 0.1


@dataclass(frozen=True)
class Copies:
    """All copies of one type in the layer's representation.

    Args:
        places: (start, stop) of each run of copies.
        count: How many copies.
        size: Coordinates of a copy.
        shape: Size of each tensor index.
    """

    places: tuple[tuple[int, int], ...]
    count: int
    size: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Term:
    """Maps copies of type ``source`` to copies of type ``target`` through the first ``n`` copies of type ``through``.

    Types are numbered. ``axes`` is the order of the axes of ``through`` that makes it a matrix target x source; None if it is one
    as it is. ``weight_first`` says whether a mixed term multiplies by its weight before or after contracting. ``columns`` is n times
    the copies that are not scalars: how many columns a scaled or inner term has in its stacked weight.
    """

    source: int
    target: int
    through: int
    n: int
    axes: tuple[int, ...] | None
    weight_first: bool
    columns: int


@dataclass(frozen=True, eq=False)
class Plan:
    """What a bilinear layer computes, apart from its weights.

    Args:
        size: Size of the representation.
        types: The copies of each type.
        scalar: Number of the scalar type; None if there are no scalars.
        scaled: Terms from scalars.
        inner: Terms to scalars.
        mixed: All other terms.
    """

    size: int
    types: tuple[Copies, ...]
    scalar: int | None
    scaled: tuple[Term, ...]
    inner: tuple[Term, ...]
    mixed: tuple[Term, ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms."""
        return self.scaled + self.inner + self.mixed


class FusedBilinear(torch.autograd.Function):
    """x + 0.1 W(x) x for x (batch, size), given a plan and its weights."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)  # type: ignore[untyped-decorator]
    def forward(ctx: Any, plan: Plan, x: Tensor, scale: Tensor, inner: Tensor, *mixed: Tensor) -> Tensor:
        """Computes the layer and keeps what the backward pass needs."""
        parts = _parts(plan, x)
        sums: Sums = [None] * len(parts)
        kept: list[Tensor] = []
        if plan.scaled:
            coefficients = torch.mm(_scalars(plan, x), scale.T)
            kept.append(coefficients)
            for term, c in zip(plan.scaled, _columns(plan.scaled, coefficients), strict=True):
                sums[term.target] = _product(_chosen(plan, term, parts), c, sums[term.target])
        if plan.inner:
            products = [
                _product(_chosen(plan, t, parts).transpose(1, 2), parts[t.source]) for t in plan.inner
            ]
            stacked = torch.cat([p.flatten(1) for p in products], dim=1)
            kept.append(stacked)
            sums[_known(plan.scalar)] = torch.mm(stacked, inner.T).unsqueeze(1)
        for term, weight in zip(plan.mixed, mixed, strict=True):
            source, z = parts[term.source], _acting(plan, term, parts)
            if term.weight_first:
                y = torch.mm(source.view(-1, source.shape[2]), weight.T).view(len(x), z.shape[2], -1)
                sums[term.target] = _product(z, y, sums[term.target])
            else:
                y = _product(z, source).view(-1, weight.shape[1])
                before = sums[term.target]
                if before is None:
                    sums[term.target] = torch.mm(y, weight.T).view(len(x), plan.types[term.target].size, -1)
                else:
                    before.view(-1, weight.shape[0]).addmm_(y, weight.T)
            kept += [z, y]
        ctx.plan = plan
        ctx.save_for_backward(x, scale, inner, *mixed, *parts, *kept)
        return _plus(plan, x, sums, SCALE)

    @staticmethod
    @torch.autograd.function.once_differentiable
    @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Gradients of input and weights."""
        plan: Plan = ctx.plan
        saved = iter(ctx.saved_tensors)
        x, scale, inner = next(saved), next(saved), next(saved)
        mixed = [next(saved) for _ in plan.mixed]
        parts = [next(saved) for _ in plan.types]
        coefficients = next(saved) if plan.scaled else None
        stacked = next(saved) if plan.inner else None
        out = _parts(plan, grad)  # the factor 0.1 is applied once, at the end
        grads: Sums = [None] * len(parts)
        d_scale = d_inner = None
        d_mixed: list[Tensor] = []
        for term, weight in zip(plan.mixed, mixed, strict=True):
            z, y, source, g = next(saved), next(saved), parts[term.source], out[term.target]
            if term.weight_first:
                dy = _product(z.transpose(1, 2), g).view(-1, weight.shape[0])
                d_mixed.append(torch.mm(dy.T, source.view(-1, source.shape[2])))
                _add(grads, term.source, torch.mm(dy, weight).view(source.shape))
                _add_chosen(plan, term, parts, grads, _product(g, y.transpose(1, 2)).view(len(x), -1, term.n))
            else:
                g = g.view(-1, weight.shape[0])
                d_mixed.append(torch.mm(g.T, y))
                dy = torch.mm(g, weight).view(len(x), -1, source.shape[2])
                grads[term.source] = _product(z.transpose(1, 2), dy, grads[term.source])
                dz = torch.bmm(source, dy.transpose(1, 2))  # (batch, source, target * n)
                dz = dz.view(len(x), source.shape[1], -1, term.n).transpose(1, 2).reshape(len(x), -1, term.n)
                _add_chosen(plan, term, parts, grads, dz)
        if stacked is not None:
            g = out[_known(plan.scalar)].view(len(x), -1)
            d_inner = torch.mm(g.T, stacked)
            for term, dp in zip(plan.inner, _columns(plan.inner, torch.mm(g, inner)), strict=True):
                source = parts[term.source]
                _add_chosen(plan, term, parts, grads, _product(source, dp.transpose(1, 2)))
                grads[term.source] = _product(_chosen(plan, term, parts), dp, grads[term.source])
        if coefficients is not None:
            pieces = []
            for term, c in zip(plan.scaled, _columns(plan.scaled, coefficients), strict=True):
                g = out[term.target]
                pieces.append(_product(_chosen(plan, term, parts).transpose(1, 2), g).flatten(1))
                _add_chosen(plan, term, parts, grads, _product(g, c.transpose(1, 2)))
            dc = torch.cat(pieces, dim=1)
            d_scale = torch.mm(dc.T, _scalars(plan, x))
            grads[_known(plan.scalar)] = torch.mm(dc, scale).unsqueeze(1)
        weights = [None if d is None else d.mul_(SCALE) for d in (d_scale, d_inner, *d_mixed)]
        return None, _plus(plan, grad, grads, SCALE), *weights


def _known(scalar: int | None) -> int:
    assert scalar is not None  # terms from or to scalars exist only where there are scalars
    return scalar


def _scalars(plan: Plan, x: Tensor) -> Tensor:
    """The scalars of x (batch, count)."""
    places = plan.types[_known(plan.scalar)].places
    pieces = [x.narrow(1, start, stop - start) for start, stop in places]
    return pieces[0] if len(pieces) == 1 else torch.cat(pieces, dim=1)


def _parts(plan: Plan, x: Tensor) -> list[Tensor]:
    """Copies of each type, (batch, size, copies), contiguous."""
    found = []
    for copies in plan.types:
        pieces = [
            x.narrow(1, start, stop - start).view(len(x), -1, copies.size).transpose(1, 2)
            for start, stop in copies.places
        ]
        found.append((pieces[0] if len(pieces) == 1 else torch.cat(pieces, dim=2)).contiguous())
    return found


def _columns(terms: tuple[Term, ...], stacked: Tensor) -> list[Tensor]:
    """The columns of a stacked matrix (batch, sum of n * copies) that belong to each term, as (batch, n, copies)."""
    widths = [stacked.shape[1]] if len(terms) == 1 else [term.columns for term in terms]
    return [p.unflatten(1, (t.n, -1)) for t, p in zip(terms, stacked.split(widths, dim=1), strict=True)]


def _chosen(plan: Plan, term: Term, parts: list[Tensor]) -> Tensor:
    """The chosen copies, (batch, size, n), with their indices in the order target, source."""
    z = parts[term.through]
    if term.n < z.shape[2]:
        z = z.narrow(2, 0, term.n)
    if term.axes is None:
        return z
    z = z.unflatten(1, plan.types[term.through].shape).permute(0, *(axis + 1 for axis in term.axes), -1)
    return z.reshape(len(z), -1, term.n)


def _add_chosen(plan: Plan, term: Term, parts: list[Tensor], grads: Sums, dz: Tensor) -> None:
    """The adjoint of :func:`_chosen`: adds to the gradient of the chosen copies."""
    if term.axes is not None:
        shape = plan.types[term.through].shape
        inverse = sorted(range(len(shape)), key=term.axes.__getitem__)
        dz = dz.reshape(len(dz), *(shape[axis] for axis in term.axes), term.n)
        dz = dz.permute(0, *(axis + 1 for axis in inverse), -1).reshape(len(dz), -1, term.n)
    part = parts[term.through]
    if term.n == part.shape[2]:
        _add(grads, term.through, dz)
        return
    before = grads[term.through]
    if before is None:
        before = grads[term.through] = torch.zeros_like(part)
    before.narrow(2, 0, term.n).add_(dz)


def _acting(plan: Plan, term: Term, parts: list[Tensor]) -> Tensor:
    """The chosen copies as matrices: (batch, target, source * n) or, to contract first, (batch, target * n, source)."""
    rows, columns = plan.types[term.target].size, plan.types[term.source].size
    z = _chosen(plan, term, parts)
    if term.weight_first:
        return z.reshape(len(z), rows, columns * term.n)
    return z.reshape(len(z), rows, columns, term.n).transpose(2, 3).reshape(len(z), rows * term.n, columns)


def _product(a: Tensor, b: Tensor, into: Tensor | None = None) -> Tensor:
    """The batched product a b, (batch, r, k) times (batch, k, c), added to ``into`` if given.

    Large batches of products with k at most three are faster as broadcast multiplications.
    """
    k = a.shape[2]
    if k > 3 or a.shape[0] * a.shape[1] * b.shape[2] < 30_000:
        return torch.bmm(a, b) if into is None else into.baddbmm_(a, b)
    columns, rows = a.unbind(2), b.unbind(1)
    first = columns[0].unsqueeze(2), rows[0].unsqueeze(1)
    out = first[0] * first[1] if into is None else into.addcmul_(*first)
    for column, row in zip(columns[1:], rows[1:], strict=True):
        out.addcmul_(column.unsqueeze(2), row.unsqueeze(1))
    return out


def _add(sums: Sums, kind: int, value: Tensor) -> None:
    before = sums[kind]
    sums[kind] = value if before is None else before.add_(value)


def _plus(plan: Plan, x: Tensor, sums: Sums, scale: float) -> Tensor:
    """X plus the sums of all types, in the order of the representation's coordinates."""
    out = x.clone(memory_format=torch.contiguous_format)
    for copies, value in zip(plan.types, sums, strict=True):
        if value is None:
            continue
        first = 0
        for start, stop in copies.places:
            count = (stop - start) // copies.size
            piece = value if count == copies.count else value.narrow(2, first, count)
            target = out.narrow(1, start, stop - start).view(len(x), count, copies.size)
            target.add_(piece.transpose(1, 2), alpha=scale)
            first += count
    return out
