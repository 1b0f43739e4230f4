"""What compiled code does for a hidden layer: a program for each direction.

README.md has the formulas and a worked example.
"""

from __future__ import annotations

from itertools import accumulate

from softsym.native.plan import Gates, Plan, Term
from softsym.native.program import Op, Program, Region
from softsym.native.regions import INNER, MIXED, SCALED, Regions
from softsym.native.writer import Form, Writer, form_of


class LayerPrograms:
    """Both directions of a layer, and where everything lies.

    Args:
        plan: What the bilinear layer computes.
        gates: What the gates compute.
    """

    def __init__(self, plan: Plan, gates: Gates) -> None:
        self.plan, self.gates = plan, gates
        self.at = Regions(plan, gates.count, gates.size)
        self.scaled = _with_first_columns(plan, plan.scaled)
        self.inner = _with_first_columns(plan, plan.inner)
        self.mixed = [(term, form_of(plan, term)) for term in plan.mixed]
        self.forward, self.backward = Program(self.at.spaces), Program(self.at.spaces)
        self._write_forward(Writer(self.forward, plan, self.at.parts))
        self._write_gates(self.forward)
        self._write_gates_backward(self.backward)
        self._write_backward(Writer(self.backward, plan, self.at.parts))

    def _write_forward(self, write: Writer) -> None:
        plan, at = self.plan, self.at
        for kind, part in enumerate(at.parts):
            write.spread(kind, at.x, part)
        if self.scaled:
            write.multiply(
                Op.TIMES_TRANSPOSED, 1, self._scalars(at.parts), at.coefficients, Region(SCALED, 0)
            )
        for term, form, start in self.inner:
            write.left(form, at.products.at(start), at.parts[term.source].at())
        if self.inner:
            write.multiply(Op.TIMES_TRANSPOSED, 1, at.products, self._scalars(at.sums), Region(INNER, 0))
        written: set[int] = set()
        right = [(term, form, at.coefficients.at(start)) for term, form, start in self.scaled]
        for k, (term, form) in enumerate(self.mixed):
            source, weight = at.parts[term.source], Region(MIXED + k, 0)
            if term.weight_first:
                rows = plan.types[term.source].size
                write.multiply(Op.TIMES_TRANSPOSED, rows, source, at.weighted[k], weight)
                right.append((term, form, at.weighted[k].at()))
            else:
                rows, adds = plan.types[term.target].size, term.target in written
                write.left(form, at.contracted[k].at(), source.at())
                total = at.sums[term.target]
                write.multiply(Op.TIMES_TRANSPOSED, rows, at.contracted[k], total, weight, adds=adds)
                written.add(term.target)
        for term, form, place in right:
            write.left(form, at.sums[term.target].at(), place, adds=term.target in written)
            written.add(term.target)
        targets = {term.target for term in plan.terms}
        for kind, total in enumerate(at.sums):
            write.gather(kind, at.x, total if kind in targets else None, at.before_gates, plan.scale)

    def _write_gates(self, program: Program) -> None:
        at, values, count = self.at, self.at.before_gates, self.gates.count
        program.add(Op.OPEN, columns=count, left=at.opened.at(), right=values.at())
        right = values.at(count)
        program.add(Op.SWISH, columns=self.gates.size, z=at.out.at(), right=right, weight=at.gate.at())
        for run, gate in self.gates.gated:
            z, left, right = at.out.at(run.start), at.opened.at(gate), values.at(count + run.start)
            program.add(Op.GATE, rows=run.size, columns=run.copies, z=z, left=left, right=right)

    def _write_gates_backward(self, program: Program) -> None:
        at, values, count = self.at, self.at.before_gates, self.gates.count
        program.add(
            Op.SWISH_BACK,
            columns=self.gates.size,
            z=at.out.at(),
            left=at.d_gate.at(),
            right=values.at(count),
            weight=at.gate.at(),
            out=at.d_before_gates.at(count),
        )
        for run, gate in self.gates.gated:
            program.add(
                Op.GATE_BACK,
                rows=run.size,
                columns=run.copies,
                z=at.out.at(run.start),
                left=at.opened.at(gate),
                right=values.at(count + run.start),
                weight=at.d_before_gates.at(gate),
                out=at.d_before_gates.at(count + run.start),
            )

    def _write_backward(self, write: Writer) -> None:
        plan, at = self.plan, self.at
        for kind in sorted({term.target for term in plan.terms}):
            write.spread(kind, at.d_before_gates, at.d_sums[kind], plan.scale)
        depends_on = {term.source for term in plan.terms} | {term.through for term in plan.terms}
        for kind in sorted(depends_on):
            write.program.add(Op.CLEAR, left=at.d_parts[kind].at())
        self._write_scaled_backward(write)
        self._write_inner_backward(write)
        for k, (term, form) in enumerate(self.mixed):
            (self._write_weighted_backward if term.weight_first else self._write_contracted_backward)(
                write, k, term, form
            )
        for kind, part in enumerate(at.d_parts):
            write.gather(kind, at.d_before_gates, part if kind in depends_on else None, at.x, 1.0)

    def _write_scaled_backward(self, write: Writer) -> None:
        at = self.at
        for term, form, start in self.scaled:
            g, d_through = at.d_sums[term.target].at(), at.d_parts[term.through]
            write.right(form, g, at.d_coefficients.at(start))
            write.acting(form, g, at.coefficients.at(start), d_through)
        if self.scaled:
            scalars, d_scalars = self._scalars(at.parts), self._scalars(at.d_parts)
            write.multiply(Op.TIMES, 1, at.d_coefficients, d_scalars, Region(SCALED, 0))
            write.multiply(Op.ADD_OUTER, 1, at.d_coefficients, scalars, at.d_scale)

    def _write_inner_backward(self, write: Writer) -> None:
        at = self.at
        if self.inner:
            g_scalars = self._scalars(at.d_sums)
            write.multiply(Op.TIMES, 1, g_scalars, at.d_products, Region(INNER, 0))
            write.multiply(Op.ADD_OUTER, 1, g_scalars, at.products, at.d_inner)
        for term, form, start in self.inner:
            g = at.d_products.at(start)
            write.right(form, g, at.d_parts[term.source].at(), adds=True)
            write.acting(form, g, at.parts[term.source].at(), at.d_parts[term.through])

    def _write_weighted_backward(self, write: Writer, k: int, term: Term, form: Form) -> None:
        at, rows = self.at, self.plan.types[term.source].size
        g, dy = at.d_sums[term.target].at(), at.d_mixed[k]
        write.right(form, g, dy.at())
        write.acting(form, g, at.weighted[k].at(), at.d_parts[term.through])
        write.multiply(Op.TIMES, rows, dy, at.d_parts[term.source], Region(MIXED + k, 0), adds=True)
        write.multiply(Op.ADD_OUTER, rows, dy, at.parts[term.source], at.d_weights[k])

    def _write_contracted_backward(self, write: Writer, k: int, term: Term, form: Form) -> None:
        at, rows = self.at, self.plan.types[term.target].size
        g, dy, source = at.d_sums[term.target], at.d_mixed[k], at.parts[term.source].at()
        write.left(form, at.contracted_again[k].at(), source)
        write.multiply(Op.ADD_OUTER, rows, g, at.contracted_again[k], at.d_weights[k])
        write.multiply(Op.TIMES, rows, g, dy, Region(MIXED + k, 0))
        write.right(form, dy.at(), at.d_parts[term.source].at(), adds=True)
        write.acting(form, dy.at(), source, at.d_parts[term.through])

    def _scalars(self, regions: list[Region]) -> Region:
        return regions[self.plan.scalars]


def _with_first_columns(plan: Plan, terms: tuple[Term, ...]) -> list[tuple[Term, Form, int]]:
    """Terms with their forms, and where their columns begin in what is stacked."""
    starts = accumulate((term.columns for term in terms), initial=0)
    return [
        (term, form_of(plan, term), start) for term, start in zip(terms, starts, strict=False)
    ]  # one more start
