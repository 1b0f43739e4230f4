r"""The bilinear layer: an equivariant map whose entries are parts of its own input.

.. math:: \mathrm{out} = 0.1\; W(x)\, x

For an input copy a of type A and an output copy b of type B, the block :math:`B \otimes A'` of W is a learned combination of copies
:math:`z_k` that x has of that very type: at most as many as the type has coordinates, and never scalars. Linear layers alone cannot
map a vector to a tensor of another rank under O(n); this layer can.

The (batch, n, n) map is never formed. Every type is laid out as (batch, size, copies): with copies as the inner dimension the work is a
few large matrix products. With :math:`X_A` the copies of type A, :math:`Z` the chosen copies of the type that acts, and s the scalars,
three kinds of terms are computed over the whole batch:

* scaled (A scalar): :math:`O_B \mathrel{+}= Z\,C`, where :math:`C = U s` are coefficients, with one stacked weight U for all types;
* inner (B scalar): :math:`o = V \,\mathrm{vec}(Z^T X_A)`, with one stacked weight V;
* mixed: :math:`O_B \mathrel{+}= M\,Y`, where :math:`Y = Z X_A` contracts the index of A; or :math:`O_B \mathrel{+}= Z\,Y` with
  :math:`Y = M X_A`, whichever is less work.

All copies of a type are exchangeable at the start of training, so the first ones serve as the random choice of the paper's code.

Reference:
    A Practical Method for Constructing Equivariant Multilayer Perceptrons (Finzi et al., 2021), https://arxiv.org/abs/2104.09459
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.native import Copies, Plan, Term
from softsym.reps import Rep, TensorType

SCALE = 0.1


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
        self.plan = make_plan(rep, group)
        scaled, inner, *mixed = (nn.Parameter(torch.randn(shape, generator=generator)) for shape in self.plan.shapes)
        self.scale_weight, self.inner_weight, self.mixed_weights = scaled, inner, nn.ParameterList(mixed)

    def forward(self, x: Tensor) -> Tensor:
        """X + 0.1 W(x) x for x (..., size)."""
        return bilinear(self.plan, x.reshape(-1, self.size), *self.weights).reshape(x.shape)

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """All weights, in the order the formula takes them."""
        return self.scale_weight, self.inner_weight, *self.mixed_weights

    def term_weights(self) -> list[tuple[Term, Tensor]]:
        """The weight of each term as a three-way tensor over acting, input and output copies (in an order of its own)."""
        plan = self.plan
        scaled = self.scale_weight.split([t.between for t in plan.scaled]) if plan.scaled else ()
        inner = self.inner_weight.split([t.between for t in plan.inner], dim=1) if plan.inner else ()
        weights = zip(plan.terms, (*scaled, *inner, *self.mixed_weights), strict=True)
        return [(t, w.unflatten(0 if t.weight_first else 1, (t.n, -1))) for t, w in weights]

    def extra_repr(self) -> str:
        return f"size={self.size}, terms={len(self.plan.terms)}"


def make_plan(rep: Rep, group: Group) -> Plan:
    """A term for every pair of types between which some non-scalar type of the representation can act."""
    copies = _copies(rep, group)
    kinds, types = list(copies), tuple(copies.values())
    canonical = [kind.canonical([group]) for kind in kinds]
    scaled: list[Term] = []
    inner: list[Term] = []
    mixed: list[Term] = []
    for s, source in enumerate(kinds):
        for t, target in enumerate(kinds):
            wanted, order = (target * source.dual).canonical([group])
            same = (k for k, (other, _) in enumerate(canonical) if other == wanted and other.rank)
            through = next(same, None)
            if through is None:
                continue
            axes = [0] * len(order)
            for place, axis in enumerate(order):
                axes[axis] = canonical[through][1][place]
            n = min(types[through].count, types[through].size)
            weight_first = source.rank == 0 or types[s].size < types[t].size
            between = n * types[t if weight_first else s].count
            in_order = None if axes == sorted(axes) else tuple(axes)
            term = Term(s, t, through, n, in_order, weight_first, between)
            (scaled if source.rank == 0 else inner if target.rank == 0 else mixed).append(term)
    scalar = kinds.index(TensorType()) if TensorType() in kinds else -1
    return Plan(rep.size(group), types, scalar, tuple(scaled), tuple(inner), tuple(mixed), SCALE)


def _copies(rep: Rep, group: Group) -> dict[TensorType, Copies]:
    copies: dict[TensorType, Copies] = {}
    for segment in rep.segments(group):
        kind = segment.type
        if group.is_orthogonal:
            kind = TensorType(tuple(atom.without_dual() for atom in kind.atoms))
        before = copies.get(kind)
        places = (*(before.places if before else ()), (segment.start, segment.stop))
        count = segment.copies + (before.count if before else 0)
        copies[kind] = Copies(places, count, segment.size, kind.shape(group))
    return copies


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
        source, target = parts[term.source], plan.types[term.target]
        z = _chosen(plan, term, parts).unflatten(1, (target.size, plan.types[term.source].size))
        if term.weight_first:  # by (batch, target, source * n)
            z, weighted = z.flatten(2), source.flatten(0, 1) @ weight.T
            add(term.target, torch.bmm(z, weighted.reshape(len(x), z.shape[2], weight.shape[0] // term.n)))
        else:  # by (batch, target * n, source)
            contracted = torch.bmm(z.mT.flatten(1, 2), source).reshape(-1, weight.shape[1])
            add(term.target, (contracted @ weight.T).unflatten(0, (len(x), target.size)))
    return torch.add(x, _assembled(plan, x, sums), alpha=plan.scale)


def _part(x: Tensor, copies: Copies) -> Tensor:
    """The copies of one type, (batch, size, copies), contiguous."""
    pieces = [x[:, start:stop].unflatten(1, (-1, copies.size)).mT for start, stop in copies.places]
    return torch.cat(pieces, dim=2) if len(pieces) > 1 else pieces[0].contiguous()


def _chosen(plan: Plan, term: Term, parts: Sequence[Tensor]) -> Tensor:
    """The chosen copies, (batch, target * source, n), with their indices in the order target, source."""
    z = parts[term.through][:, :, : term.n]
    if term.axes is None:
        return z
    z = z.unflatten(1, plan.types[term.through].shape).permute(0, *(axis + 1 for axis in term.axes), -1)
    return z.flatten(1, -2)


def _assembled(plan: Plan, x: Tensor, sums: dict[int, Tensor]) -> Tensor:
    """The sums of all types, back in the order of the representation's coordinates."""
    pieces: list[tuple[int, Tensor]] = []
    for number, copies in enumerate(plan.types):
        value = sums[number].mT.flatten(1) if number in sums else x.new_zeros(len(x), copies.count * copies.size)
        values = value.split([stop - start for start, stop in copies.places], dim=1)
        pieces += [(start, piece) for (start, _), piece in zip(copies.places, values, strict=True)]
    return torch.cat([piece for _, piece in sorted(pieces, key=lambda item: item[0])], dim=1)
