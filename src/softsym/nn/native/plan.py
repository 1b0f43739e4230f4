"""What compiled code does for a hidden layer: a program for each direction, and where everything lies.

Formulas and names are those of :mod:`softsym.nn.bilinear_step` and :mod:`softsym.nn.gating_step`; what a region is called there holds
the numbers of that name here. Contractions are computed again in the backward pass: cheaper than keeping them for the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softsym.nn.bilinear_step import SCALE, Plan, Term
from softsym.nn.gating_step import Runs
from softsym.nn.native.program import Kind, Layout, Op, Place, Program, Region

KEPT, WORK, X, OUT, GRADS, GATE, SCALED, INNER, MIXED = range(9)  # the spaces of a call; one for each mixed weight


@dataclass(frozen=True)
class Offsets:
    """Where a term finds the entry (target, source, copy) of what acts: the sum of three offsets."""

    target: list[int]
    source: list[int]
    copy: list[int]

    @property
    def target_copy(self) -> list[int]:
        """Offsets of (target, copy)."""
        return [t + k for t in self.target for k in self.copy]

    @property
    def source_copy(self) -> list[int]:
        """Offsets of (source, copy)."""
        return [s + k for s in self.source for k in self.copy]


@dataclass(frozen=True)
class Form:
    """A term as a trilinear form of what acts, ``left`` and ``right``.

    Args:
        through: Type of what acts.
        inner: How many copies left and right are summed over.
        row: Offsets of what acts for each row of left.
        column: Offsets for each row of right.
    """

    through: int
    inner: int
    row: list[int]
    column: list[int]


class NativePlan:
    """Programs and spaces of a bilinear layer and the gates after it.

    Args:
        bilinear: What the bilinear layer computes.
        gates: How many of the first channels are gates.
        runs: Which values have gates.
        size: How many values come out.
    """

    def __init__(self, bilinear: Plan, gates: int, runs: Runs, size: int) -> None:
        self.bilinear, self.gates, self.runs, self.size = bilinear, gates, runs, size
        self.forms = [self._form(term) for term in bilinear.terms]
        self._lay_out()
        self.forward, self.backward = Program(self.kinds), Program(self.kinds)
        self._write_forward()
        self._write_backward()

    @property
    def kinds(self) -> list[Kind]:
        """The kind of each space of a call."""
        fixed = [Kind.WHOLE, Kind.PART, Kind.WHOLE, Kind.WHOLE, Kind.OWN, Kind.SHARED, Kind.SHARED, Kind.SHARED]
        return fixed + [Kind.SHARED] * len(self.bilinear.mixed)

    def _lay_out(self) -> None:
        plan = self.bilinear
        widths = [copies.count * copies.size for copies in plan.types]
        scaled, inner = sum(t.columns for t in plan.scaled), sum(t.columns for t in plan.inner)
        scalars = 0 if plan.scalar is None else plan.types[plan.scalar].count

        self.kept = Layout(KEPT)
        self.parts = [self.kept.add(width) for width in widths]
        self.coefficients, self.products = self.kept.add(scaled), self.kept.add(inner)
        self.weighted = [self.kept.add(self._width(t) if t.weight_first else 0) for t in plan.mixed]
        self.before_gates, self.opened = self.kept.add(plan.size), self.kept.add(self.gates)

        self.forward_work = Layout(WORK)
        self.sums = [self.forward_work.add(width) for width in widths]
        self.contracted = self._contracted(self.forward_work)

        self.backward_work = Layout(WORK)
        self.d_before_gates = self.backward_work.add(plan.size)
        self.d_sums = [self.backward_work.add(width) for width in widths]
        self.d_parts = [self.backward_work.add(width) for width in widths]
        self.d_coefficients, self.d_products = self.backward_work.add(scaled), self.backward_work.add(inner)
        self.contracted_again = self._contracted(self.backward_work)
        self.d_mixed = [self.backward_work.add(self._width(t)) for t in plan.mixed]

        self.grads = Layout(GRADS)
        self.d_gate, self.d_scale = self.grads.add(self.size), self.grads.add(scaled * scalars)
        self.d_inner = self.grads.add(inner * scalars)
        self.d_weights = [self.grads.add(self._rows(t) * self._columns(t)) for t in plan.mixed]

    def _contracted(self, layout: Layout) -> list[Region]:
        return [layout.add(0 if t.weight_first else self._width(t)) for t in self.bilinear.mixed]

    def _rows(self, term: Term) -> int:
        """Rows of a mixed term's weight."""
        return self.bilinear.types[term.target].count * (term.n if term.weight_first else 1)

    def _columns(self, term: Term) -> int:
        """Columns of a mixed term's weight."""
        return self.bilinear.types[term.source].count * (1 if term.weight_first else term.n)

    def _width(self, term: Term) -> int:
        """Numbers between a mixed term's weight and its contraction, for each sample."""
        if term.weight_first:
            return self.bilinear.types[term.source].size * self._rows(term)
        return self.bilinear.types[term.target].size * self._columns(term)

    def _form(self, term: Term) -> Form:
        """Left and right are: scaled, sum and coefficients; inner, products and x; mixed, sum and weighted or contracted and x."""
        plan = self.bilinear
        through, source, target = plan.types[term.through], plan.types[term.source], plan.types[term.target]
        index = np.arange(through.size)
        if term.axes is not None:
            index = index.reshape(through.shape).transpose(term.axes)
        index = index.reshape(target.size, source.size) * through.count
        at = Offsets(index[:, 0].tolist(), index[0].tolist(), list(range(term.n)))
        if term.source == plan.scalar:
            return Form(term.through, target.count, at.target, at.copy)
        if term.target == plan.scalar:
            return Form(term.through, source.count, at.copy, at.source)
        if term.weight_first:
            return Form(term.through, target.count, at.target, at.source_copy)
        return Form(term.through, source.count, at.target_copy, at.source)

    def _write_forward(self) -> None:
        plan, program, x = self.bilinear, self.forward, Region(X, self.bilinear.size)
        scaled, inner, mixed = self._shared_out()
        for kind, part in enumerate(self.parts):
            self._along_copies(kind, lambda first, start, **sizes: program.add(
                Op.SPREAD, left=part.at(first), right=x.at(start), **sizes))  # fmt: skip
        if scaled:
            self._times_transposed(1, self._scalars(self.parts), self.coefficients, SCALED)
        for term, form, start in inner:
            self._form_left(program, form, self.products.at(start), self.parts[term.source].at())
        if inner:
            self._times_transposed(1, self.products, self._scalars(self.sums), INNER)
        written: set[int] = set()
        for k, (term, form) in enumerate(mixed):
            source, target = self.parts[term.source], self.sums[term.target]
            if term.weight_first:
                rows = plan.types[term.source].size
                self._times_transposed(rows, source, self.weighted[k], MIXED + k)
                continue
            self._form_left(program, form, self.contracted[k].at(), source.at())
            rows = plan.types[term.target].size
            self._times_transposed(rows, self.contracted[k], target, MIXED + k, adds=term.target in written)
            written.add(term.target)
        weighted = [(t, f, self.weighted[k].at()) for k, (t, f) in enumerate(mixed) if t.weight_first]
        for term, form, right in [*((t, f, self.coefficients.at(s)) for t, f, s in scaled), *weighted]:
            self._form_left(program, form, self.sums[term.target].at(), right, adds=term.target in written)
            written.add(term.target)
        self._gather(program, x, self.sums, self.before_gates, SCALE, {term.target for term in plan.terms})
        self._write_gates()

    def _write_gates(self) -> None:
        out, values = Region(OUT, self.size), self.before_gates
        program = self.forward
        program.add(Op.OPEN, columns=self.gates, left=self.opened.at(), right=values.at())
        program.add(
            Op.SWISH, columns=self.size, z=out.at(), right=values.at(self.gates), weight=Region(GATE, 0).at()
        )
        for start, gate, copies, size in self._gated():
            right = values.at(self.gates + start)
            z, left = out.at(start), self.opened.at(gate)
            program.add(Op.GATE, rows=size, columns=copies, z=z, left=left, right=right)

    def _write_backward(self) -> None:
        plan, program = self.bilinear, self.backward
        scaled, inner, mixed = self._shared_out()
        self._write_gates_backward()
        for kind in sorted({term.target for term in plan.terms}):
            d_sum = self.d_sums[kind]
            self._along_copies(kind, lambda first, start, **sizes: program.add(
                Op.SPREAD, scale=SCALE, left=d_sum.at(first), right=self.d_before_gates.at(start), **sizes))  # fmt: skip
        depends_on = {term.source for term in plan.terms} | {term.through for term in plan.terms}
        for kind in sorted(depends_on):
            program.add(Op.CLEAR, left=self.d_parts[kind].at())
        for term, form, start in scaled:
            g, right = self.d_sums[term.target].at(), self.coefficients.at(start)
            self._form_right(program, form, g, self.d_coefficients.at(start))
            self._form_z(program, form, g, right)
        if scaled:
            self._times(1, self.d_coefficients, self._scalars(self.d_parts), SCALED)
            self._add_outer(1, self.d_coefficients, self._scalars(self.parts), self.d_scale)
        if inner:
            g_scalars = self._scalars(self.d_sums)
            self._times(1, g_scalars, self.d_products, INNER)
            self._add_outer(1, g_scalars, self.products, self.d_inner)
        for term, form, start in inner:
            x, g = self.parts[term.source].at(), self.d_products.at(start)
            self._form_right(program, form, g, self.d_parts[term.source].at(), adds=True)
            self._form_z(program, form, g, x)
        for k, (term, form) in enumerate(mixed):
            source, d_source, g = self.parts[term.source], self.d_parts[term.source], self.d_sums[term.target]
            if term.weight_first:
                rows = plan.types[term.source].size
                self._form_right(program, form, g.at(), self.d_mixed[k].at())
                self._form_z(program, form, g.at(), self.weighted[k].at())
                self._times(rows, self.d_mixed[k], d_source, MIXED + k, adds=True)
                self._add_outer(rows, self.d_mixed[k], source, self.d_weights[k])
            else:
                rows = plan.types[term.target].size
                self._form_left(program, form, self.contracted_again[k].at(), source.at())
                self._add_outer(rows, g, self.contracted_again[k], self.d_weights[k])
                self._times(rows, g, self.d_mixed[k], MIXED + k)
                self._form_right(program, form, self.d_mixed[k].at(), d_source.at(), adds=True)
                self._form_z(program, form, self.d_mixed[k].at(), source.at())
        self._gather(program, self.d_before_gates, self.d_parts, Region(X, plan.size), 1.0, depends_on)

    def _write_gates_backward(self) -> None:
        grad, values, program = Region(OUT, self.size), self.before_gates, self.backward
        program.add(
            Op.SWISH_BACK,
            columns=self.size,
            z=grad.at(),
            left=self.d_gate.at(),
            right=values.at(self.gates),
            weight=Region(GATE, 0).at(),
            out=self.d_before_gates.at(self.gates),
        )
        for start, gate, copies, size in self._gated():
            program.add(
                Op.GATE_BACK,
                rows=size,
                columns=copies,
                z=grad.at(start),
                left=self.opened.at(gate),
                right=values.at(self.gates + start),
                weight=self.d_before_gates.at(gate),
                out=self.d_before_gates.at(self.gates + start),
            )

    def _shared_out(
        self,
    ) -> tuple[list[tuple[Term, Form, int]], list[tuple[Term, Form, int]], list[tuple[Term, Form]]]:
        """Scaled and inner terms with their first columns, and mixed terms; each with its form."""
        plan, forms = self.bilinear, iter(self.forms)
        found = []
        for terms in (plan.scaled, plan.inner):
            starts = np.cumsum([0, *(term.columns for term in terms)])
            found.append([(t, next(forms), int(s)) for t, s in zip(terms, starts[:-1], strict=True)])
        return found[0], found[1], list(zip(plan.mixed, forms, strict=True))

    def _scalars(self, regions: list[Region]) -> Region:
        assert self.bilinear.scalar is not None  # terms from or to scalars exist only where there are scalars
        return regions[self.bilinear.scalar]

    def _along_copies(self, kind: int, add: Callable[..., None]) -> None:
        """Adds an instruction for each run of copies of a type."""
        copies = self.bilinear.types[kind]
        first = 0
        for start, stop in copies.places:
            count = (stop - start) // copies.size
            add(first, start, rows=copies.size, columns=count, inner=copies.count)
            first += count

    def _gather(
        self, program: Program, x: Region, parts: list[Region], into: Region, scale: float, present: set[int]
    ) -> None:
        """X plus the parts that are present, in the order of the representation's coordinates."""
        for kind, part in enumerate(parts):
            self._along_copies(kind, lambda first, start, **sizes: program.add(
                Op.GATHER, scale=scale, adds=kind in present, z=x.at(start), left=part.at(first), right=into.at(start),
                **sizes))  # fmt: skip

    def _form_left(self, program: Program, form: Form, left: Place, right: Place, *, adds: bool = False) -> None:
        self._contract(program, form, form.row, form.column, left, right, adds=adds)

    def _form_right(self, program: Program, form: Form, left: Place, right: Place, *, adds: bool = False) -> None:
        self._contract(program, form, form.column, form.row, right, left, adds=adds)

    def _contract(
        self, program: Program, form: Form, row: list[int], column: list[int], into: Place, other: Place, *, adds: bool
    ) -> None:
        program.add(
            Op.FORM_LEFT,
            rows=len(row),
            columns=len(column),
            inner=form.inner,
            adds=adds,
            z=self.parts[form.through].at(),
            left=into,
            right=other,
            row=row,
            column=column,
        )

    def _form_z(self, program: Program, form: Form, left: Place, right: Place) -> None:
        """The derivative of what acts, added to."""
        program.add(
            Op.FORM_Z,
            rows=len(form.row),
            columns=len(form.column),
            inner=form.inner,
            z=self.d_parts[form.through].at(),
            left=left,
            right=right,
            row=form.row,
            column=form.column,
        )

    def _times_transposed(self, rows: int, a: Region, out: Region, weight: int, *, adds: bool = False) -> None:
        self._multiply(self.forward, Op.TIMES_TRANSPOSED, rows, a, out, Region(weight, 0), adds=adds)

    def _times(self, rows: int, a: Region, out: Region, weight: int, *, adds: bool = False) -> None:
        self._multiply(self.backward, Op.TIMES, rows, a, out, Region(weight, 0), adds=adds)

    def _add_outer(self, rows: int, a: Region, out: Region, weight: Region) -> None:
        self._multiply(self.backward, Op.ADD_OUTER, rows, a, out, weight)

    def _multiply(
        self, program: Program, op: Op, rows: int, a: Region, out: Region, weight: Region, *, adds: bool = False
    ) -> None:
        """A matrix product over all samples, each of which has so many rows."""
        columns, inner = a.width // rows, out.width // rows
        z, left = a.at(), out.at()
        program.add(op, rows=rows, columns=columns, inner=inner, adds=adds, z=z, left=left, weight=weight.at())

    def _gated(self) -> list[tuple[int, int, int, int]]:
        """(first value, first gate, copies, size of a copy) of each run of values that have gates."""
        found = []
        gate = 0
        for start, _, copies, size in self.runs:
            if copies:
                found.append((start, gate, copies, size))
                gate += copies
        return found
