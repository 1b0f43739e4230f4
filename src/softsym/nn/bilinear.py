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

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.reps import Rep, TensorType

SCALE = 0.1


@dataclass(frozen=True)
class Copies:
    """All copies of one type in the layer's representation."""

    places: tuple[tuple[int, int], ...]
    count: int
    size: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Term:
    """Maps copies of type ``source`` to copies of type ``target`` through the first ``n`` copies of type ``through``.

    ``axes`` is the order of the axes of ``through`` that makes it a matrix target x source; None if it is one as it is.
    ``weight_first`` says whether a mixed term multiplies by its weight before or after contracting, whichever is less work.
    """

    source: TensorType
    target: TensorType
    through: TensorType
    n: int
    axes: tuple[int, ...] | None
    weight_first: bool


@dataclass(frozen=True, eq=False)
class Plan:
    """What a bilinear layer computes, apart from its weights."""

    size: int
    copies: dict[TensorType, Copies]
    scaled: list[Term]
    inner: list[Term]
    mixed: list[Term]


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
        self.copies = _copies(rep, group)
        self.scalar = TensorType()
        terms = _terms(list(self.copies), self.copies, group)
        self.scaled = [t for t in terms if t.source == self.scalar]
        self.inner = [t for t in terms if t.target == self.scalar]
        self.mixed = [t for t in terms if self.scalar not in (t.source, t.target)]
        self.plan = Plan(self.size, self.copies, self.scaled, self.inner, self.mixed)
        scalars = self.copies[self.scalar].count if self.scalar in self.copies else 0

        def weight(rows: int, columns: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns, generator=generator))

        self.scale_weight = weight(sum(self.copies[t.target].count * t.n for t in self.scaled), scalars)
        self.inner_weight = weight(scalars, sum(self.copies[t.source].count * t.n for t in self.inner))
        self.mixed_weights = nn.ParameterList(weight(*self._mixed_shape(t)) for t in self.mixed)

    def _mixed_shape(self, term: Term) -> tuple[int, int]:
        into, out = self.copies[term.source].count, self.copies[term.target].count
        return (term.n * out, into) if term.weight_first else (out, term.n * into)

    def forward(self, x: Tensor) -> Tensor:
        """X + 0.1 W(x) x for x (..., size)."""
        if not (self.scaled or self.inner or self.mixed):
            return x
        flat = x.reshape(-1, self.size)
        if self.training and torch.is_grad_enabled() and not torch.compiler.is_compiling():
            from softsym.nn.bilinear_step import FusedBilinear

            weights = (self.scale_weight, self.inner_weight, *self.mixed_weights)
            out: Tensor = FusedBilinear.apply(self.plan, flat, *weights)
            return out.reshape(x.shape)
        return self.plain(flat).reshape(x.shape)

    def plain(self, flat: Tensor) -> Tensor:
        """The same in ordinary operations, for any kind of derivative, tracing and export."""
        parts = {kind: _gather(flat, copies) for kind, copies in self.copies.items()}
        sums: dict[TensorType, Tensor] = {}
        self._add_scaled(parts, sums)
        self._add_inner(parts, sums)
        self._add_mixed(parts, sums)
        return torch.add(flat, self._assemble(flat, sums), alpha=SCALE)

    def _add_scaled(self, parts: dict[TensorType, Tensor], sums: dict[TensorType, Tensor]) -> None:
        if not self.scaled:
            return
        scalars = parts[self.scalar].flatten(1)
        widths = [self.copies[t.target].count * t.n for t in self.scaled]
        coefficients = nn.functional.linear(scalars, self.scale_weight).split(widths, dim=1)
        for term, c in zip(self.scaled, coefficients, strict=True):
            z = _as_matrices(parts, term, self.copies).flatten(2)  # (batch, n, target)
            sums[term.target] = c.unflatten(1, (term.n, -1)).transpose(1, 2) @ z

    def _add_inner(self, parts: dict[TensorType, Tensor], sums: dict[TensorType, Tensor]) -> None:
        if not self.inner:
            return
        products = []
        for term in self.inner:
            z = _as_matrices(parts, term, self.copies).flatten(2)
            products.append((z @ parts[term.source].transpose(1, 2)).flatten(1))
        stacked = torch.cat(products, dim=1) if len(products) > 1 else products[0]
        sums[self.scalar] = nn.functional.linear(stacked, self.inner_weight).unsqueeze(-1)

    def _add_mixed(self, parts: dict[TensorType, Tensor], sums: dict[TensorType, Tensor]) -> None:
        for term, weight in zip(self.mixed, self.mixed_weights, strict=True):
            z = _as_matrices(parts, term, self.copies)  # (batch, n, target, source)
            batch, n, rows, columns = z.shape
            x = parts[term.source].transpose(1, 2)  # (batch, source, copies)
            if term.weight_first:
                weighted = nn.functional.linear(x, weight).reshape(batch, columns * n, -1)
                mixed = (z.permute(0, 2, 3, 1).reshape(batch, rows, columns * n) @ weighted).transpose(1, 2)
            else:
                contracted = z.transpose(1, 2).reshape(batch, rows * n, columns) @ x
                mixed = nn.functional.linear(contracted.reshape(batch, rows, -1), weight).transpose(1, 2)
            sums[term.target] = sums[term.target] + mixed if term.target in sums else mixed

    def _assemble(self, flat: Tensor, sums: dict[TensorType, Tensor]) -> Tensor:
        """The sums of all types, back in the order of the representation's coordinates."""
        pieces: list[tuple[int, Tensor]] = []
        for kind, copies in self.copies.items():
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

    def extra_repr(self) -> str:
        """Shown by print(network)."""
        return f"size={self.size}, terms={len(self.scaled) + len(self.inner) + len(self.mixed)}"


def _gather(flat: Tensor, copies: Copies) -> Tensor:
    """The copies of one type, (batch, count, size)."""
    pieces = [flat[:, start:stop].unflatten(1, (-1, copies.size)) for start, stop in copies.places]
    return pieces[0] if len(pieces) == 1 else torch.cat(pieces, dim=1)


def _as_matrices(parts: dict[TensorType, Tensor], term: Term, copies: dict[TensorType, Copies]) -> Tensor:
    """The chosen copies z as matrices (batch, n, target, source)."""
    z = parts[term.through][:, : term.n]
    if term.axes is not None:
        z = z.unflatten(2, copies[term.through].shape).permute(0, 1, *(axis + 2 for axis in term.axes))
    return z.reshape(z.shape[0], term.n, copies[term.target].size, copies[term.source].size)


def _copies(rep: Rep, group: Group) -> dict[TensorType, Copies]:
    found: dict[TensorType, Copies] = {}
    for segment in rep.segments(group):
        kind = (
            TensorType(tuple(a.without_dual() for a in segment.type.atoms))
            if group.is_orthogonal
            else segment.type
        )
        before = found.get(kind)
        places = (*(before.places if before else ()), (segment.start, segment.stop))
        count = segment.copies + (before.count if before else 0)
        found[kind] = Copies(places, count, segment.size, kind.shape(group))
    return found


def _terms(kinds: list[TensorType], copies: dict[TensorType, Copies], group: Group) -> list[Term]:
    """Every pair of types between which some non-scalar type of the representation can act."""
    canonical = {kind: kind.canonical([group]) for kind in kinds}
    terms = []
    for source in kinds:
        for target in kinds:
            wanted, order = (target * source.dual).canonical([group])
            for through in kinds:
                found, through_order = canonical[through]
                if found == wanted and through.rank > 0:
                    axes = [0] * len(order)
                    for place, axis in enumerate(order):
                        axes[axis] = through_order[place]
                    n = min(copies[through].count, copies[through].size)
                    in_order = axes == sorted(axes)
                    first = copies[source].size < copies[target].size
                    terms.append(Term(source, target, through, n, None if in_order else tuple(axes), first))
                    break
    return terms
