"""What compiled code does for a hidden layer: a program for each direction.

Formulas are those of :mod:`softsym.nn.bilinear_step` and :mod:`softsym.nn.gating_step`.
"""

from __future__ import annotations

from itertools import accumulate

from softsym.nn.bilinear_step import SCALE, Plan, Term
from softsym.nn.gating_step import Runs
from softsym.nn.native.forms import Form, form_of
from softsym.nn.native.program import Op, Program, Region
from softsym.nn.native.regions import INNER, MIXED, SCALED, Regions
from softsym.nn.native.writer import Writer


class NativePlan:
    """Programs of a bilinear layer and the gates after it.

    Args:
        bilinear: What the bilinear layer computes.
        gates: How many of the first channels are gates.
        runs: Which values have gates.
        size: How many values come out.
    """

    def __init__(self, bilinear: Plan, gates: int, runs: Runs, size: int) -> None:
        self.bilinear, self.gates, self.runs, self.size = bilinear, gates, runs, size
        self.at = Regions(bilinear, gates, size)
        self.scaled = _with_first_columns(bilinear, bilinear.scaled)
        self.inner = _with_first_columns(bilinear, bilinear.inner)
        self.mixed = [(term, form_of(bilinear, term)) for term in bilinear.mixed]
        self.forward, self.backward = Program(self.at.kinds), Program(self.at.kinds)
        self._write_forward(Writer(self.forward, bilinear, self.at.parts))
        self._write_gates(self.forward)
        self._write_gates_backward(self.backward)
        self._write_backward(Writer(self.backward, bilinear, self.at.parts))

    def _write_forward(self, write: Writer) -> None:
        plan, at = self.bilinear, self.at
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
            write.gather(kind, at.x, total if kind in targets else None, at.before_gates, SCALE)

    def _write_gates(self, program: Program) -> None:
        at, values = self.at, self.at.before_gates
        program.add(Op.OPEN, columns=self.gates, left=at.opened.at(), right=values.at())
        right = values.at(self.gates)
        program.add(Op.SWISH, columns=self.size, z=at.out.at(), right=right, weight=at.gate.at())
        for start, gate, copies, size in self._gated():
            z, left, right = at.out.at(start), at.opened.at(gate), values.at(self.gates + start)
            program.add(Op.GATE, rows=size, columns=copies, z=z, left=left, right=right)

    def _write_gates_backward(self, program: Program) -> None:
        at, values = self.at, self.at.before_gates
        program.add(
            Op.SWISH_BACK,
            columns=self.size,
            z=at.out.at(),
            left=at.d_gate.at(),
            right=values.at(self.gates),
            weight=at.gate.at(),
            out=at.d_before_gates.at(self.gates),
        )
        for start, gate, copies, size in self._gated():
            program.add(
                Op.GATE_BACK,
                rows=size,
                columns=copies,
                z=at.out.at(start),
                left=at.opened.at(gate),
                right=values.at(self.gates + start),
                weight=at.d_before_gates.at(gate),
                out=at.d_before_gates.at(self.gates + start),
            )

    def _write_backward(self, write: Writer) -> None:
        plan, at = self.bilinear, self.at
        for kind in sorted({term.target for term in plan.terms}):
            write.spread(kind, at.d_before_gates, at.d_sums[kind], SCALE)
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
        at, rows = self.at, self.bilinear.types[term.source].size
        g, dy = at.d_sums[term.target].at(), at.d_mixed[k]
        write.right(form, g, dy.at())
        write.acting(form, g, at.weighted[k].at(), at.d_parts[term.through])
        write.multiply(Op.TIMES, rows, dy, at.d_parts[term.source], Region(MIXED + k, 0), adds=True)
        write.multiply(Op.ADD_OUTER, rows, dy, at.parts[term.source], at.d_weights[k])

    def _write_contracted_backward(self, write: Writer, k: int, term: Term, form: Form) -> None:
        at, rows = self.at, self.bilinear.types[term.target].size
        g, dy, source = at.d_sums[term.target], at.d_mixed[k], at.parts[term.source].at()
        write.left(form, at.contracted_again[k].at(), source)
        write.multiply(Op.ADD_OUTER, rows, g, at.contracted_again[k], at.d_weights[k])
        write.multiply(Op.TIMES, rows, g, dy, Region(MIXED + k, 0))
        write.right(form, dy.at(), at.d_parts[term.source].at(), adds=True)
        write.acting(form, dy.at(), source, at.d_parts[term.through])

    def _scalars(self, regions: list[Region]) -> Region:
        assert self.bilinear.scalar is not None  # terms from or to scalars exist only where there are scalars
        return regions[self.bilinear.scalar]

    def _gated(self) -> list[tuple[int, int, int, int]]:
        """(first value, first gate, copies, size of a copy) of each run of values that have gates."""
        found = []
        gate = 0
        for start, _, copies, size in self.runs:
            if copies:
                found.append((start, gate, copies, size))
                gate += copies
        return found


def _with_first_columns(plan: Plan, terms: tuple[Term, ...]) -> list[tuple[Term, Form, int]]:
    """Terms with their forms, and where their columns begin in what is stacked."""
    starts = accumulate((term.columns for term in terms), initial=0)
    return [(term, form_of(plan, term), start) for term, start in zip(terms, starts, strict=False)]
