r"""The bilinear layer: an equivariant map whose entries are parts of its own input.

.. math:: \mathrm{out} = 0.1\; W(x)\, x

For an input copy a of type A and an output copy b of type B, the block :math:`B \otimes A'` of W is a learned combination of copies
:math:`z_k` that x has of that very type: at most as many as the type has coordinates, and never scalars. Linear layers alone cannot
turn a vector into a tensor of another rank under O(n); this layer can.

The (batch, n, n) map is never formed. Three kinds of terms are each computed by products over the whole batch:

* A scalar: the scalars' learned combinations are the coefficients of the :math:`z_k` (one stacked weight for all types);
* B scalar: inner products :math:`\langle z_k, x_a \rangle`, then one stacked weight;
* neither: contract every :math:`z_k` with every :math:`x_a`, then one product with the weight of the pair, or first the weight and
  then the contraction, whichever is less work.

In training the layer runs as one fused operation with a backward pass of its own (:mod:`softsym.nn.bilinear_step`), otherwise in
ordinary operations; both are tested against each other.

All copies of a type are exchangeable at the start of training, so the first ones serve as the random choice of the paper's code.

Reference:
    A Practical Method for Constructing Equivariant Multilayer Perceptrons (Finzi et al., 2021), https://arxiv.org/abs/2104.09459
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.nn.bilinear_step import SCALE, Copies, FusedBilinear, Plan, Term
from softsym.nn.fusing import can_fuse
from softsym.reps import Rep, TensorType


class Bilinear(nn.Module):
    """Adds 0.1 W(x) x to x, both in the same representation.

    Args:
        rep: Representation of input and output.
        group: The (largest) group; it decides which types coincide.
        generator: Source of the initial weights, which are standard normal.

    Example:
        >>> import softsym as ss, torch
        >>> layer = Bilinear(ss.rep("4S + 2V + T(2)"), ss.O(3), torch.Generator().manual_seed(0))
        >>> layer(torch.zeros(7, 19)).shape
        torch.Size([7, 19])
    """

    def __init__(self, rep: Rep, group: Group, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.size = rep.size(group)
        self.plan = plan(rep, group)
        types, scalar = self.plan.types, self.plan.scalar
        scalars = 0 if scalar is None else types[scalar].count

        def weight(rows: int, columns: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns, generator=generator))

        self.scale_weight = weight(sum(t.columns for t in self.plan.scaled), scalars)
        self.inner_weight = weight(scalars, sum(t.columns for t in self.plan.inner))
        self.mixed_weights = nn.ParameterList(weight(*_mixed_shape(t, types)) for t in self.plan.mixed)

    def forward(self, x: Tensor) -> Tensor:
        """X + 0.1 W(x) x for x (..., size)."""
        if not (self.plan.scaled or self.plan.inner or self.plan.mixed):
            return x
        flat = x.reshape(-1, self.size)
        if can_fuse(self, flat):
            weights = (self.scale_weight, self.inner_weight, *self.mixed_weights)
            out: Tensor = FusedBilinear.apply(self.plan, flat, *weights)
            return out.reshape(x.shape)
        return self.plain(flat).reshape(x.shape)

    def plain(self, flat: Tensor) -> Tensor:
        """The same in ordinary operations, for any kind of derivative, tracing and export."""
        parts = [_gather(flat, copies) for copies in self.plan.types]
        sums: dict[int, Tensor] = {}
        self._add_scaled(parts, sums)
        self._add_inner(parts, sums)
        self._add_mixed(parts, sums)
        return torch.add(flat, self._assemble(flat, sums), alpha=SCALE)

    def _add_scaled(self, parts: list[Tensor], sums: dict[int, Tensor]) -> None:
        if self.plan.scalar is None or not self.plan.scaled:
            return
        scalars = parts[self.plan.scalar].flatten(1)
        coefficients = nn.functional.linear(scalars, self.scale_weight)
        pieces = coefficients.split([t.columns for t in self.plan.scaled], dim=1)
        for term, c in zip(self.plan.scaled, pieces, strict=True):
            z = _as_matrices(parts, term, self.plan).flatten(2)  # (batch, n, target)
            sums[term.target] = c.unflatten(1, (term.n, -1)).transpose(1, 2) @ z

    def _add_inner(self, parts: list[Tensor], sums: dict[int, Tensor]) -> None:
        if self.plan.scalar is None or not self.plan.inner:
            return
        products = []
        for term in self.plan.inner:
            z = _as_matrices(parts, term, self.plan).flatten(2)
            products.append((z @ parts[term.source].transpose(1, 2)).flatten(1))
        stacked = torch.cat(products, dim=1) if len(products) > 1 else products[0]
        sums[self.plan.scalar] = nn.functional.linear(stacked, self.inner_weight).unsqueeze(-1)

    def _add_mixed(self, parts: list[Tensor], sums: dict[int, Tensor]) -> None:
        for term, weight in zip(self.plan.mixed, self.mixed_weights, strict=True):
            z = _as_matrices(parts, term, self.plan)  # (batch, n, target, source)
            batch, n, rows, columns = z.shape
            x = parts[term.source].transpose(1, 2)  # (batch, source, copies)
            if term.weight_first:
                weighted = nn.functional.linear(x, weight).reshape(batch, columns * n, weight.shape[0] // n)
                mixed = (z.permute(0, 2, 3, 1).reshape(batch, rows, columns * n) @ weighted).transpose(1, 2)
            else:
                contracted = z.transpose(1, 2).reshape(batch, rows * n, columns) @ x
                stacked = contracted.reshape(batch, rows, weight.shape[1])
                mixed = nn.functional.linear(stacked, weight).transpose(1, 2)
            sums[term.target] = sums[term.target] + mixed if term.target in sums else mixed

    def _assemble(self, flat: Tensor, sums: dict[int, Tensor]) -> Tensor:
        """The sums of all types, back in the order of the representation's coordinates."""
        pieces: list[tuple[int, Tensor]] = []
        for kind, copies in enumerate(self.plan.types):
            value = (
                sums[kind].flatten(1)
                if kind in sums
                else flat.new_zeros(len(flat), copies.count * copies.size)
            )
            start = 0
            for place, stop in copies.places:
                pieces.append((place, value[:, start : start + stop - place]))
                start += stop - place
        return torch.cat([piece for _, piece in sorted(pieces, key=lambda item: item[0])], dim=1)

    def term_weights(self) -> list[tuple[Term, Tensor]]:
        """The weight of each term as a three-way tensor over acting, input and output copies (in an order of its own)."""
        plan = self.plan
        rows = self.scale_weight.split([t.columns for t in plan.scaled]) if plan.scaled else ()
        columns = self.inner_weight.split([t.columns for t in plan.inner], dim=1) if plan.inner else ()
        found = [(t, w.unflatten(0, (t.n, -1))) for t, w in zip(plan.scaled, rows, strict=True)]
        found += [(t, w.unflatten(1, (t.n, -1))) for t, w in zip(plan.inner, columns, strict=True)]
        for t, w in zip(plan.mixed, self.mixed_weights, strict=True):
            found.append((t, w.unflatten(0 if t.weight_first else 1, (t.n, -1))))
        return found

    def extra_repr(self) -> str:
        """Shown by print(network)."""
        terms = len(self.plan.scaled) + len(self.plan.inner) + len(self.plan.mixed)
        return f"size={self.size}, terms={terms}"


def plan(rep: Rep, group: Group) -> Plan:
    """Every pair of types between which some non-scalar type of the representation can act."""
    copies = _copies(rep, group)
    kinds, types = list(copies), tuple(copies.values())
    canonical = [kind.canonical([group]) for kind in kinds]
    scaled: list[Term] = []
    inner: list[Term] = []
    mixed: list[Term] = []
    for s, source in enumerate(kinds):
        for t, target in enumerate(kinds):
            wanted, order = (target * source.dual).canonical([group])
            through = next(
                (k for k, (found, _) in enumerate(canonical) if found == wanted and found.rank), None
            )
            if through is None:
                continue
            axes = [0] * len(order)
            for place, axis in enumerate(order):
                axes[axis] = canonical[through][1][place]
            n = min(types[through].count, types[through].size)
            columns = n * types[t if source.rank == 0 else s].count
            in_order = None if axes == sorted(axes) else tuple(axes)
            term = Term(s, t, through, n, in_order, types[s].size < types[t].size, columns)
            (scaled if source.rank == 0 else inner if target.rank == 0 else mixed).append(term)
    scalar = kinds.index(TensorType()) if TensorType() in kinds else None
    return Plan(rep.size(group), types, scalar, tuple(scaled), tuple(inner), tuple(mixed))


def _mixed_shape(term: Term, types: tuple[Copies, ...]) -> tuple[int, int]:
    into, out = types[term.source].count, types[term.target].count
    return (term.n * out, into) if term.weight_first else (out, term.n * into)


def _gather(flat: Tensor, copies: Copies) -> Tensor:
    """The copies of one type, (batch, count, size)."""
    pieces = [
        flat[:, start:stop].unflatten(1, ((stop - start) // copies.size, copies.size))
        for start, stop in copies.places
    ]
    return pieces[0] if len(pieces) == 1 else torch.cat(pieces, dim=1)


def _as_matrices(parts: list[Tensor], term: Term, plan: Plan) -> Tensor:
    """The chosen copies z as matrices (batch, n, target, source)."""
    z = parts[term.through][:, : term.n]
    if term.axes is not None:
        z = z.unflatten(2, plan.types[term.through].shape).permute(0, 1, *(axis + 2 for axis in term.axes))
    return z.reshape(z.shape[0], term.n, plan.types[term.target].size, plan.types[term.source].size)


def _copies(rep: Rep, group: Group) -> dict[TensorType, Copies]:
    found: dict[TensorType, Copies] = {}
    for segment in rep.segments(group):
        kind = segment.type
        if group.is_orthogonal:
            kind = TensorType(tuple(atom.without_dual() for atom in kind.atoms))
        before = found.get(kind)
        places = (*(before.places if before else ()), (segment.start, segment.stop))
        count = segment.copies + (before.count if before else 0)
        found[kind] = Copies(places, count, segment.size, kind.shape(group))
    return found
