r"""The columns of a table before a group is known: how matrices act on them, and what every matrix respects.

Every matrix A of gl(d) is a velocity :math:`d\rho(A)\, x` of the columns. Points, on which translations act too, become vectors by
subtracting the mean point of every row from the points of inputs and outputs, where translations hold. Combinations of inputs of
the type of an output respect every matrix; they are subtracted from the outputs, so that motion :math:`x(t) \to x(t + dt)` that is nearly
the identity does not hide how far a matrix is from a symmetry. Last, every copy of a type is divided by its size, which commutes with all
matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.gp.features import scale_copies
from softsym.groups import Group, Trivial
from softsym.reps import Rep, Segment
from softsym.reps.affine import DisplacementAtom, PointAtom, has_points, points_to_vectors
from softsym.reps.atoms import Atom, Base, Sign
from softsym.reps.particles import count_columns
from softsym.reps.symmetric import Subspace
from softsym.typing import Array

LARGEST_DIM = 8  # spaces of a larger dimension are refused: gl(9) has 81 directions to look into
JITTER = 1e-3  # standard deviation of noise that is added to outputs, relative to their size
ROUNDING = 1e-12  # outputs below this share of their size are rounding


@dataclass(frozen=True, eq=False)
class Columns:
    """Both sides of a table: representations with points written as vectors, the dimension, and which columns are of points."""

    rep_in: Rep
    rep_out: Rep
    dim: int
    points_in: NDArray[np.bool_]
    points_out: NDArray[np.bool_]
    is_affine: bool

    @classmethod
    def read(cls, X: Array, Y: Array, rep_in: Rep, rep_out: Rep) -> Columns:
        """The columns of inputs (n, D) and outputs (n, q); the dimension of the space follows from their numbers."""
        linear = [_as_vectors(rep) for rep in (rep_in, rep_out)]
        sizes = [X.shape[1], Y.shape[1]]
        fitting = [d for d in range(1, LARGEST_DIM + 1) if count_columns(linear, Trivial(d)) == sizes]
        if not fitting:
            raise InputError(
                f"{sizes[0]} input and {sizes[1]} output columns are not {rep_in} and {rep_out} of any space of dimension 1 to "
                f"{LARGEST_DIM}"
            )
        if len(fitting) > 1:
            raise InputError(f"{rep_in} and {rep_out} have only scalars: nothing moves; pass vectors, V, or points, P")
        d = fitting[0]
        points = _point_columns(rep_in, d), _point_columns(rep_out, d)
        return cls(linear[0], linear[1], d, *points, has_points(rep_in, rep_out))

    @property
    def space(self) -> Group:
        """The space that matrices act on, as the group of the identity alone."""
        return Trivial(self.dim)

    def centre(self, X: Array, Y: Array) -> tuple[Array, Array]:
        """Inputs and outputs with the mean point of every row subtracted from points."""
        means = X[:, self.points_in].reshape(len(X), -1, self.dim).mean(axis=1)
        X, Y = X.copy(), Y.copy()
        for values, where in ((X, self.points_in), (Y, self.points_out)):
            values[:, where] -= np.tile(means, (1, int(where.sum()) // self.dim))
        return X, Y

    def without_last_point(self, X: Array) -> tuple[Array, Columns]:
        """Centred inputs without the last point, which the others determine, if anything is left then."""
        last = np.flatnonzero(self.points_in)[-self.dim :]
        if len(last) == X.shape[1]:
            return X, self
        segments = self.rep_in.segments(self.space)
        terms = [(each.copies - int(each.start <= last[0] < each.stop), each.type) for each in segments]
        rep_in, points = Rep(tuple(term for term in terms if term[0])), np.delete(self.points_in, last)
        return np.delete(X, last, axis=1), replace(self, rep_in=rep_in, points_in=points)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows without units, of vectors, scalars and tensors: every copy of a type has size one."""

    X: Array  # inputs (n, D)
    Y: Array  # outputs (n, q) without what every matrix respects
    columns: Columns
    left: float  # share of the variance of the outputs that is left

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Some of the rows."""
        return replace(self, X=self.X[rows], Y=self.Y[rows])

    def blur(self, seed: int) -> Rows:
        """Rows with a little noise added to the outputs: without any, likelihoods would compare rounding errors."""
        noise = JITTER * np.random.default_rng(seed).standard_normal(self.Y.shape)
        return replace(self, Y=np.where(self.Y.any(axis=0), self.Y + noise, 0.0))

    def input_rates(self, A: Array) -> Array:
        """Velocities of inputs under matrices (k, d, d), as matrices (k, D, D)."""
        return self.columns.rep_in.drho(self.columns.space, A)

    def output_rates(self, A: Array) -> Array:
        """The same of outputs, (k, q, q)."""
        return self.columns.rep_out.drho(self.columns.space, A)


def prepare(X: Array, Y: Array, columns: Columns, chosen: NDArray[np.intp]) -> Rows:
    """Rows without what every matrix respects and without units, which are found from the chosen rows."""
    space = columns.space
    total = float(np.sum((Y[chosen] - Y[chosen].mean(axis=0)) ** 2))
    rest = Y.copy()
    for segment in columns.rep_out.segments(space):
        same = [each for each in columns.rep_in.segments(space) if each.type == segment.type]
        design = [_copies(X, each) for each in same]
        if not segment.type.rank:
            design.append(np.ones((len(X), 1, 1)))
        if not design:
            continue
        inputs = np.concatenate(design, axis=2)
        outputs = _copies(Y, segment)
        flat = inputs[chosen].reshape(-1, inputs.shape[2]), outputs[chosen].reshape(-1, segment.copies)
        fitted = inputs @ np.linalg.lstsq(*flat, rcond=1e-12)[0]
        rest[:, segment.start : segment.stop] = (outputs - fitted).transpose(0, 2, 1).reshape(len(Y), -1)
    left = float(np.sum(rest[chosen] ** 2)) / max(total, 1e-300)
    rest[:, np.sqrt((rest[chosen] ** 2).mean(axis=0)) < ROUNDING * max(float(np.abs(Y).max()), 1e-300)] = 0.0
    shift, unit = scale_copies(X[chosen], columns.rep_in, space)
    return Rows((X - shift) / unit, rest / scale_copies(rest[chosen], columns.rep_out, space)[1], columns, left)


def _copies(values: Array, segment: Segment) -> Array:
    """Copies of a type as the last axis, (n, size, copies)."""
    return values[:, segment.start : segment.stop].reshape(len(values), segment.copies, -1).swapaxes(1, 2)


def _point_columns(rep: Rep, d: int) -> NDArray[np.bool_]:
    """Whether each column is of a point."""
    sizes = [points_to_vectors(Rep((term,))).size(Trivial(d)) for term in rep]
    return np.repeat([kind.atoms == (PointAtom(),) for _, kind in rep], sizes)


def _is_tensor(atom: Atom) -> bool:
    """Whether every matrix acts on an atom: vectors, signs, and tensors with symmetries of these."""
    if isinstance(atom, Subspace):
        return all(map(_is_tensor, atom.inner.atoms))
    return isinstance(atom, Base | Sign) and atom.part is None


def _as_vectors(rep: Rep) -> Rep:
    """The representation with points and displacements as vectors."""
    for _, kind in rep:
        if any(isinstance(atom, PointAtom) for atom in kind.atoms) and len(kind.atoms) > 1:
            raise InputError(f"a point is no factor of a tensor, got {kind}; take V for displacements")
        if not all(isinstance(atom, PointAtom | DisplacementAtom) or _is_tensor(atom) for atom in kind.atoms):
            raise InputError(f"groups are proposed for scalars, vectors, tensors and points, not for {kind}")
    return points_to_vectors(rep)
