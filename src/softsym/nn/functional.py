r"""The formulas of hidden layers as pure functions of tensors: the one torch version of each.

The bilinear layer is :math:`x + 0.1\, W(x)\, x`. Inside, every type is laid out as (batch, size, copies): with copies as the inner
dimension the work is a few large matrix products. With :math:`X_A` the copies of type A, :math:`Z` the chosen copies of the type that
acts, and s the scalars,

* scaled: :math:`O_B \mathrel{+}= Z\,C`, where :math:`C = U s` are coefficients;
* inner: :math:`o = V \,\mathrm{vec}(Z^T X_A)`;
* mixed: :math:`O_B \mathrel{+}= M\,Y`, where :math:`Y = Z X_A` contracts the index of A; or :math:`O_B \mathrel{+}= Z\,Y` with
  :math:`Y = M X_A`, whichever is less work.

Channels that gate themselves and the soft path are both multiples of swish, so with one weight w per channel (one for self-gating
channels, plus the soft coefficient) gates are :math:`w \cdot \mathrm{swish}(v) + v \cdot \sigma(g)`, the second term where a gate g exists.

The compiled twin of both together is :func:`softsym.native.run_hidden_layer`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from softsym.native import Copies, Gates, Plan, Term


def hidden_layer(plan: Plan, gates: Gates, x: Tensor, gate_weight: Tensor, *weights: Tensor) -> Tensor:
    """The bilinear layer and the gates after it: (batch, gates and values) to (batch, values)."""
    return gate(gates, bilinear(plan, x, *weights), gate_weight)


def bilinear(plan: Plan, x: Tensor, scale: Tensor, inner: Tensor, *mixed: Tensor) -> Tensor:
    """X + 0.1 W(x) x."""
    if not plan.terms:
        return x
    parts = [_part(x, copies) for copies in plan.types]
    sums: dict[int, Tensor] = {}

    def add(target: int, value: Tensor) -> None:
        sums[target] = sums[target] + value if target in sums else value

    if plan.scaled:
        coefficients = parts[plan.scalar].squeeze(1) @ scale.T
        for term, c in zip(plan.scaled, coefficients.split([t.between for t in plan.scaled], 1), strict=True):
            add(term.target, torch.bmm(_chosen(plan, term, parts), c.unflatten(1, (term.n, -1))))
    if plan.inner:
        products = [torch.bmm(_chosen(plan, t, parts).mT, parts[t.source]).flatten(1) for t in plan.inner]
        add(plan.scalar, (torch.cat(products, 1) @ inner.T).unsqueeze(1))
    for term, weight in zip(plan.mixed, mixed, strict=True):
        source, z = parts[term.source], _acting(plan, term, parts)
        if term.weight_first:
            weighted = source.flatten(0, 1) @ weight.T
            add(term.target, torch.bmm(z, weighted.reshape(len(x), z.shape[2], weight.shape[0] // term.n)))
        else:
            contracted = torch.bmm(z, source).reshape(-1, weight.shape[1])
            add(term.target, (contracted @ weight.T).unflatten(0, (len(x), plan.types[term.target].size)))
    return torch.add(x, _assembled(plan, x, sums), alpha=plan.scale)


def gate(gates: Gates, x: Tensor, weight: Tensor) -> Tensor:
    """Applies gates (the first channels) to values (the others)."""
    openings, values = x.split((gates.count, gates.size), dim=1)
    openings = openings.sigmoid()
    swish = torch.nn.functional.silu(values) * weight
    if not gates.count:
        return swish
    pieces = []
    for start, stop, copies, size, first in gates.runs:
        piece = swish[:, start:stop]
        if copies:
            opened = openings[:, first : first + copies].unsqueeze(2)
            piece = piece + (values[:, start:stop].unflatten(1, (copies, size)) * opened).flatten(1)
        pieces.append(piece)
    return torch.cat(pieces, 1)


def _part(x: Tensor, copies: Copies) -> Tensor:
    """The copies of one type, (batch, size, copies), contiguous."""
    pieces = [
        x[:, start:stop].unflatten(1, ((stop - start) // copies.size, copies.size)).mT for start, stop in copies.places
    ]
    return torch.cat(pieces, dim=2) if len(pieces) > 1 else pieces[0].contiguous()


def _chosen(plan: Plan, term: Term, parts: Sequence[Tensor]) -> Tensor:
    """The chosen copies, (batch, target * source, n), with their indices in the order target, source."""
    z = parts[term.through][:, :, : term.n]
    if term.axes is None:
        return z
    z = z.unflatten(1, plan.types[term.through].shape).permute(0, *(axis + 1 for axis in term.axes), -1)
    return z.flatten(1, -2)


def _acting(plan: Plan, term: Term, parts: Sequence[Tensor]) -> Tensor:
    """The chosen copies as matrices: (batch, target, source * n) or, to contract first, (batch, target * n, source)."""
    z = _chosen(plan, term, parts).unflatten(1, (plan.types[term.target].size, plan.types[term.source].size))
    return z.flatten(2) if term.weight_first else z.mT.flatten(1, 2)


def _assembled(plan: Plan, x: Tensor, sums: dict[int, Tensor]) -> Tensor:
    """The sums of all types, back in the order of the representation's coordinates."""
    pieces: list[tuple[int, Tensor]] = []
    for number, copies in enumerate(plan.types):
        value = sums[number].mT.flatten(1) if number in sums else None
        first = 0
        for start, stop in copies.places:
            length = stop - start
            piece = x.new_zeros(len(x), length) if value is None else value[:, first : first + length]
            pieces.append((start, piece))
            first += length
    return torch.cat([piece for _, piece in sorted(pieces, key=lambda item: item[0])], dim=1)
