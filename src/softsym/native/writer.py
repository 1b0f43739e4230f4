"""Writes the instructions of a hidden layer, each under the name of what it does there.

All small products of a layer are trilinear forms, the one kind of small product that compiled code knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.native.plan import Plan, Term
from softsym.native.program import Op, Place, Program, Region
from softsym.typing import Index


@dataclass(frozen=True)
class Form:
    """The sum over i, k, j of z[row i + column k] left[i, j] right[k, j].

    Which left and right are depends on the term. Scaled: the sum and the coefficients. Inner: the products and x. Mixed: the sum and
    what the weight made of x, or what was contracted and x.

    Args:
        through: The type of z, what acts.
        inner: How many copies j left and right have.
        row: Offset in z of each row of left.
        column: Offset in z of each row of right.
    """

    through: int
    inner: int
    row: list[int]
    column: list[int]


def form_of(plan: Plan, term: Term) -> Form:
    """The form of a term, for parts laid out as (size, copies)."""
    through, source, target = (plan.types[kind] for kind in (term.through, term.source, term.target))
    index: Index = np.arange(through.size)
    if term.axes is not None:
        index = index.reshape(through.shape).transpose(term.axes)
    index = index.reshape(target.size, source.size) * through.count
    of_target, of_source, of_copy = index[:, 0], index[0], np.arange(term.n)
    if term.source == plan.scalar:
        return Form(term.through, target.count, of_target.tolist(), of_copy.tolist())
    if term.target == plan.scalar:
        return Form(term.through, source.count, of_copy.tolist(), of_source.tolist())
    if term.weight_first:
        return Form(
            term.through, target.count, of_target.tolist(), np.add.outer(of_source, of_copy).ravel().tolist()
        )
    return Form(
        term.through, source.count, np.add.outer(of_target, of_copy).ravel().tolist(), of_source.tolist()
    )


class Writer:
    """Adds to one program.

    Args:
        program: The program.
        plan: What the bilinear layer computes.
        parts: The input's copies of each type: what acts in all forms.
    """

    def __init__(self, program: Program, plan: Plan, parts: list[Region]) -> None:
        self.program, self.plan, self.parts = program, plan, parts

    def spread(self, kind: int, source: Region, into: Region, scale: float = 1.0) -> None:
        """Copies of a type, with copies as the inner dimension."""
        copies = self.plan.types[kind]
        for first, start, count in self._runs(kind):
            sizes = (copies.size, count, copies.count)
            self.program.add(Op.SPREAD, *sizes, scale=scale, left=into.at(first), right=source.at(start))

    def gather(self, kind: int, x: Region, part: Region | None, into: Region, scale: float) -> None:
        """The way back, added to x."""
        copies = self.plan.types[kind]
        for first, start, count in self._runs(kind):
            sizes = (copies.size, count, copies.count)
            left = (part or x).at(first)
            self.program.add(
                Op.GATHER,
                *sizes,
                adds=part is not None,
                scale=scale,
                z=x.at(start),
                left=left,
                right=into.at(start),
            )

    def _runs(self, kind: int) -> list[tuple[int, int, int]]:
        """(first copy, first coordinate, copies) of each run of copies of a type."""
        copies = self.plan.types[kind]
        found = []
        first = 0
        for start, stop in copies.places:
            count = (stop - start) // copies.size
            found.append((first, start, count))
            first += count
        return found

    def left(self, form: Form, into: Place, right: Place, *, adds: bool = False) -> None:
        """The left factor of a form."""
        self._contract(form, form.row, form.column, into, right, adds=adds)

    def right(self, form: Form, left: Place, into: Place, *, adds: bool = False) -> None:
        """The right factor of a form."""
        self._contract(form, form.column, form.row, into, left, adds=adds)

    def _contract(
        self, form: Form, row: list[int], column: list[int], into: Place, other: Place, *, adds: bool
    ) -> None:
        sizes = (len(row), len(column), form.inner)
        acting = self.parts[form.through].at()
        self.program.add(
            Op.FORM_LEFT, *sizes, adds=adds, z=acting, left=into, right=other, row=row, column=column
        )

    def acting(self, form: Form, left: Place, right: Place, into: Region) -> None:
        """What acts in a form, added to."""
        sizes = (len(form.row), len(form.column), form.inner)
        self.program.add(
            Op.FORM_Z, *sizes, z=into.at(), left=left, right=right, row=form.row, column=form.column
        )

    def multiply(
        self, op: Op, rows: int, a: Region, out: Region, weight: Region, *, adds: bool = False
    ) -> None:
        """A matrix product over all samples, each of which has so many rows."""
        sizes = (rows, a.width // rows, out.width // rows)
        self.program.add(op, *sizes, adds=adds, z=a.at(), left=out.at(), weight=weight.at())
