"""Where everything lies that a hidden layer computes on its way.

Names are those of the formulas in README.md. What the backward pass needs is kept for the whole batch; everything else has room for
the few samples that a thread is at. Contractions are larger than all the rest together and are computed again in the backward pass
rather than kept.
"""

from __future__ import annotations

from softsym.native.plan import Plan, Term
from softsym.native.program import Kind, Layout, Region

# The spaces of a call; one more for the weight of each mixed term.
KEPT, WORK, X, OUT, GRADS, GATE, SCALED, INNER, MIXED = range(9)
_SPACES = {
    "kept": Kind.WHOLE,
    "work": Kind.PART,
    "x": Kind.WHOLE,
    "out": Kind.WHOLE,
    "grads": Kind.OWN,
    "gate": Kind.SHARED,
    "scaled": Kind.SHARED,
    "inner": Kind.SHARED,
}


class Regions:
    """The regions of a bilinear layer and the gates after it.

    Args:
        plan: What the bilinear layer computes.
        gates: How many of the first channels are gates.
        size: How many values come out.
    """

    def __init__(self, plan: Plan, gates: int, size: int) -> None:
        self.plan = plan
        self.spaces = {**_SPACES, **{f"mixed{k}": Kind.SHARED for k in range(len(plan.mixed))}}
        self.x, self.out, self.gate = Region(X, plan.size), Region(OUT, size), Region(GATE, 0)
        scaled, inner = sum(t.columns for t in plan.scaled), sum(t.columns for t in plan.inner)
        self._lay_out_forward(gates, scaled, inner)
        self._lay_out_backward(scaled, inner)
        scalars = 0 if plan.scalar is None else plan.types[plan.scalar].count
        self.grads = Layout(GRADS)
        self.d_gate, self.d_scale = self.grads.add(size), self.grads.add(scaled * scalars)
        self.d_inner = self.grads.add(inner * scalars)
        self.d_weights = [self.grads.add(self._rows(t) * self._columns(t)) for t in plan.mixed]

    def _lay_out_forward(self, gates: int, scaled: int, inner: int) -> None:
        plan = self.plan
        self.kept = Layout(KEPT)
        self.parts = self._for_each_type(self.kept)
        self.coefficients, self.products = self.kept.add(scaled), self.kept.add(inner)
        self.weighted = [self.kept.add(self._width(t) if t.weight_first else 0) for t in plan.mixed]
        self.before_gates, self.opened = self.kept.add(plan.size), self.kept.add(gates)
        self.forward_work = Layout(WORK)
        self.sums = self._for_each_type(self.forward_work)
        self.contracted = self._contracted(self.forward_work)

    def _lay_out_backward(self, scaled: int, inner: int) -> None:
        work = self.backward_work = Layout(WORK)
        self.d_before_gates = work.add(self.plan.size)
        self.d_sums, self.d_parts = self._for_each_type(work), self._for_each_type(work)
        self.d_coefficients, self.d_products = work.add(scaled), work.add(inner)
        self.contracted_again = self._contracted(work)
        self.d_mixed = [work.add(self._width(t)) for t in self.plan.mixed]

    def _for_each_type(self, layout: Layout) -> list[Region]:
        return [layout.add(copies.count * copies.size) for copies in self.plan.types]

    def _contracted(self, layout: Layout) -> list[Region]:
        return [layout.add(0 if t.weight_first else self._width(t)) for t in self.plan.mixed]

    def _rows(self, term: Term) -> int:
        """Rows of a mixed term's weight."""
        return self.plan.types[term.target].count * (term.n if term.weight_first else 1)

    def _columns(self, term: Term) -> int:
        """Columns of a mixed term's weight."""
        return self.plan.types[term.source].count * (1 if term.weight_first else term.n)

    def _width(self, term: Term) -> int:
        """Numbers between a mixed term's weight and its contraction, for each sample."""
        if term.weight_first:
            return self.plan.types[term.source].size * self._rows(term)
        return self.plan.types[term.target].size * self._columns(term)
