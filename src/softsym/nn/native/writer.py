"""Writes the instructions of a hidden layer, each under the name of what it does there."""

from __future__ import annotations

from softsym.nn.bilinear_step import Plan
from softsym.nn.native.forms import Form
from softsym.nn.native.program import Op, Place, Program, Region


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
