"""Points in estimators: translation equivariance by construction, by subtracting the mean point of every row and adding it to outputs.

A group that contains all translations then acts by its linear part, and points and displacements are vectors: SE(3) is judged as SO(3).
Where the evidence refutes translations, points are vectors from the origin, as they are for groups without translations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group, Translation
from softsym.inference.points import act_on_points, space_dimension
from softsym.reps import Rep, affine
from softsym.reps import rep as read_rep
from softsym.reps.affine import mean_point, point_columns, translate_points
from softsym.reps.particles import read_factors
from softsym.typing import Array


@dataclass(frozen=True)
class Points:
    """A table with points, as estimators see it."""

    rep_in: Rep  # the inputs as they were given
    rep_out: Rep | None  # the outputs as they were given
    dim: int  # dimension of the space
    is_centred: bool  # whether the mean point is taken off every row

    def inputs(self, X: Array) -> Array:
        """Inputs (n, D) as they are fitted."""
        return translate_points(self.rep_in, self._space, X, -self._centre(X)) if self.is_centred else X

    def outputs(self, X: Array, Y: Array) -> Array:
        """Outputs (n, q) of inputs (n, D), as they are fitted."""
        return self._translate(Y, -self._centre(X)) if self.is_centred else Y

    def restore_outputs(self, X: Array, Y: Array) -> Array:
        """Predicted outputs (n, q) of inputs (n, D), in the coordinates of the data."""
        return self._translate(Y, self._centre(X)) if self.is_centred else Y

    def matrices(self) -> tuple[Array, Array, Array]:
        """Matrix (D, dim) from rows to their centre, and from translations (dim) to changes of inputs and outputs, one for all classes."""
        nothing = as_vectors(self.rep_in).size(f"Trivial({self.dim})")
        shifts = np.eye(self.dim)
        inputs = translate_points(self.rep_in, self._space, np.zeros((self.dim, nothing)), shifts)
        outputs = 1 if self.rep_out is None else as_vectors(self.rep_out).size(f"Trivial({self.dim})")
        return self._centre(np.eye(nothing)), inputs, self._translate(np.zeros((self.dim, outputs)), shifts)

    def _translate(self, Y: Array, by: Array) -> Array:
        return Y if self.rep_out is None else translate_points(self.rep_out, self._space, Y, by)

    def _centre(self, X: Array) -> Array:
        return mean_point(self.rep_in, self._space, X)

    @property
    def _space(self) -> Group:
        return Translation(self.dim)


def has_points(*reps: Rep | str | None) -> bool:
    """Whether columns are points or displacements."""
    return affine.has_points(*(read_rep(rep) for rep in reps if rep is not None))


def as_vectors(rep: Rep | str) -> Rep:
    """The representation with points and displacements as vectors."""
    whole = read_rep(rep)
    return affine.points_to_vectors(whole) if affine.has_points(whole) else whole


def read_points(
    rep_in: Rep | str, rep_out: Rep | str | None, groups: list[Group], columns: int, *, centre: bool = True
) -> tuple[Points, list[Group]]:
    """How a table with points is fitted, centred at most if a candidate has every translation, and candidates as they act there."""
    source, target = read_rep(rep_in), None if rep_out is None else read_rep(rep_out)
    d, factors = space_dimension(source, columns), read_factors(as_vectors(source), Rep(()), (columns, 0))
    parts = [act_on_points(group, factors)[1:] for group in groups]
    is_centred = centre and any(len(directions) == d for _, directions in parts)
    if is_centred and not len(point_columns(source, Translation(d))):
        raise InputError(f"{source} has no points P that translations could act on; write V for displacements")
    acting = dict.fromkeys(linear for linear, _ in parts if linear.order != 1)
    return Points(source, target, d, is_centred), list(acting)
