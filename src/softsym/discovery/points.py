"""Points in estimators: translation equivariance by construction, by subtracting the mean point of every row and adding it to outputs.

A group that contains all translations then acts by its linear part, and points and displacements are vectors: SE(3) is judged as SO(3).
Groups without translations act on points as on vectors from the origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group, Translation
from softsym.reps import Rep
from softsym.reps import affine as columns_of
from softsym.reps import rep as read_rep
from softsym.reps.affine import PointAtom, is_affine, mean_point, translate_points
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
        """Matrix (D, dim) from rows to their centre, and matrices from translations (dim) to changes of inputs and outputs."""
        nothing = as_vectors(self.rep_in).size(f"Trivial({self.dim})")
        shifts = np.eye(self.dim)
        inputs = translate_points(self.rep_in, self._space, np.zeros((self.dim, nothing)), shifts)
        outputs = 0 if self.rep_out is None else as_vectors(self.rep_out).size(f"Trivial({self.dim})")
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
    return columns_of.has_points(*(read_rep(rep) for rep in reps if rep is not None))


def as_vectors(rep: Rep | str) -> Rep:
    """The representation with points and displacements as vectors."""
    return columns_of.points_to_vectors(read_rep(rep))


def read_points(
    rep_in: Rep | str, rep_out: Rep | str | None, groups: list[Group], columns: int
) -> tuple[Points, list[Group]]:
    """How a table with points is fitted, and the candidates as they act there."""
    for group in groups:
        if not is_affine(group):
            raise InputError(
                f"points P and displacements D need groups in homogeneous coordinates such as SE(3), Translation(3) or 'auto'; "
                f"{group.name} is none: write V for columns that it acts on"
            )
    source, target = read_rep(rep_in), None if rep_out is None else read_rep(rep_out)
    from softsym.propose.recognition import count_translations

    shifts = [count_translations(group) for group in groups]
    dims = {group.dim - 1 for group in groups}
    if len(dims) > 1:
        raise InputError(f"candidates act on spaces of different dimensions: {sorted(dims)}")
    dim = dims.pop() if dims else _dimension(source, columns)
    if any(0 < count < dim for count in shifts) or len(set(shifts)) > 1:
        raise InputError(
            "candidates for points must all contain every translation, such as SE(3), or none: "
            "where only some translations hold, write V for the columns"
        )
    is_centred = any(shifts)
    if is_centred and not any(isinstance(atom, PointAtom) for _, kind in source for atom in kind.atoms):
        raise InputError(
            f"{source} has no points P that translations could act on; write V for displacements"
        )
    linear = [one for one in (_linear(group) for group in groups) if one is not None]
    return Points(source, target, dim, is_centred), list(dict.fromkeys(linear))


def _linear(group: Group) -> Group | None:
    """The action of a group on displacements; None if it is trivial."""
    from softsym.propose.algebra import orthonormal
    from softsym.propose.recognition import recognise

    lie = group.lie_algebra[:, :-1, :-1]
    lie = orthonormal(lie) if len(lie) and np.abs(lie).max() > 1e-9 else lie[:0]
    discrete = [
        g[:-1, :-1] for g in group.discrete_generators if not np.allclose(g[:-1, :-1], np.eye(group.dim - 1))
    ]
    connected = recognise(lie).group if len(lie) else None
    if not discrete:
        return connected
    rest = Group.from_generators(discrete=discrete, name=f"linear part of {group.name}")
    return rest if connected is None else connected | rest


def _dimension(rep: Rep, columns: int) -> int:
    for d in range(1, columns + 1):
        if as_vectors(rep).size(f"Trivial({d})") == columns:
            return d
    raise InputError(f"{columns} columns are not {rep} of any space")
