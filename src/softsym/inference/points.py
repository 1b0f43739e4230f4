r"""Points under affine groups: orthonormal differences of the points of every row, and their mean point.

Outputs that are points are taken relative to the mean point c of the inputs. An affine group acts on differences and relative outputs by
its linear part. Under the translations in it nothing depends on c along their
directions; without translations c is one more vector. So every candidate acts on the same columns, by a linear group and a matrix that
says which inputs its equivariant functions may depend on.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import helmert

from softsym.errors import InputError
from softsym.groups import Group, Translation, Trivial
from softsym.groups import group as read_group
from softsym.inference.lattice import contains
from softsym.reps import Rep, Vector
from softsym.reps.affine import PointAtom, has_points, is_affine, point_columns, points_to_vectors, translate_points
from softsym.reps.particles import place_among, read_factors
from softsym.reps.rep import on_part
from softsym.typing import Array

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Action:
    """How a candidate acts on the columns of a sample."""

    group: Group  # the candidate as it was given, points in homogeneous coordinates
    linear: Group  # the group that acts on vectors
    rep_in: Rep  # representation of the inputs on which its equivariant functions depend
    inputs: Array | None = None  # matrix (inputs, those) from scaled inputs to these; None if they are all inputs
    overlap: float = 1.0  # how far mean points vary along its translations, in units of the displacements; at most 1

    @property
    def has_translations(self) -> bool:
        """Whether equivariant functions do not depend on the mean point."""
        return self.inputs is not None

    @property
    def is_compact(self) -> bool:
        """Whether there is a Haar average."""
        return self.linear.is_orthogonal and not self.has_translations


@dataclass(frozen=True, eq=False)
class Columns:
    """A table as the statements see it."""

    X: Array  # inputs (n, inputs)
    Y: Array  # outputs (n, outputs)
    rep_in: Rep  # representation of the inputs
    rep_out: Rep  # representation of the outputs
    actions: tuple[Action, ...]  # one for each candidate
    centre: int = 0  # number of columns of the mean point, the last ones of the inputs; 0 without points


def read_columns(X: Array, Y: Array, rep_in: Rep, rep_out: Rep, groups: Sequence[Group]) -> Columns:
    """Points as displacements and a mean point; other tables as they are.

    Example:
        >>> import softsym as ss
        >>> X = np.arange(6.0)[None]
        >>> found = read_columns(X, X[:, :3], ss.rep("2P"), ss.rep("P"), [ss.SE(3), ss.O(3)])
        >>> found.X.round(2), found.Y, [action.linear.name for action in found.actions]
        (array([[-2.12, -2.12, -2.12,  1.5 ,  2.5 ,  3.5 ]]), array([[-1.5, -1.5, -1.5]]), ['SO(3)', 'O(3)'])
    """
    if not has_points(rep_in, rep_out):
        return Columns(X, Y, rep_in, rep_out, tuple(Action(group, group, rep_in) for group in groups))
    d, factors = space_dimension(rep_in, X.shape[1]), read_factors(points_to_vectors(rep_in), Rep(()), (X.shape[1], 0))
    space, outputs = Translation(d), points_to_vectors(rep_out)
    if outputs.size(Trivial(d)) != Y.shape[1]:
        raise InputError(f"`Y` has {Y.shape[1]} columns, {rep_out} in {d} dimensions has {outputs.size(Trivial(d))}")
    where = point_columns(rep_in, space)
    if not len(where):
        raise InputError(f"{rep_in} has no points P that translations could act on; write V for displacements")
    points = X[:, where]  # (n, points, d)
    centre = points.mean(axis=1)
    differences = np.einsum("kp,npa->nka", helmert(len(where)), points)
    if len(factors) > 1:  # exchanges act on the points themselves
        vectors, outputs = (on_part(points_to_vectors(rep), 0) for rep in (rep_in, rep_out))
        inputs = translate_points(rep_in, space, X, -centre)
    else:
        vectors = points_to_vectors(Rep(tuple(term for term in rep_in if term[1].atoms != (PointAtom(),))))
        vectors = vectors + (len(where) - 1) * Vector if len(where) > 1 else vectors
        inputs = np.concatenate([np.delete(X, where.ravel(), axis=1), differences.reshape(len(X), -1)], axis=1)
    whole = vectors + (on_part(Vector, 0) if len(factors) > 1 else Vector)
    size = float(np.sqrt((differences**2).sum(axis=(1, 2)).mean() / len(where)))
    actions = tuple(_act(group, factors, vectors, whole, centre, size) for group in groups)
    Y = translate_points(rep_out, space, Y, -centre)
    return Columns(np.concatenate([inputs, centre], axis=1), Y, whole, outputs, actions, d)


def space_dimension(rep: Rep, columns: int) -> int:
    """The dimension of the space whose points and vectors fill so many columns."""
    vectors = points_to_vectors(rep)
    for d in range(1, columns + 1):
        if vectors.size(Trivial(d)) == columns:
            return d
    raise InputError(f"{columns} columns are not {rep} of any space")


def lift(group: Group) -> Group:
    """A group of R^d in homogeneous coordinates."""
    d = group.dim
    if not group.lie and not group.discrete:
        return Trivial(d + 1)
    lie, discrete = np.zeros((len(group.lie_algebra), d + 1, d + 1)), []
    lie[:, :d, :d] = group.lie_algebra
    for h in group.discrete_generators:
        homogeneous = np.eye(d + 1)
        homogeneous[:d, :d] = h
        discrete.append(homogeneous)
    return Group.from_generators(lie, np.array(discrete).reshape(-1, d + 1, d + 1), name=group.name)


def linear_part(group: Group) -> tuple[Group, Array]:
    """The action of an affine group on displacements, and an orthonormal basis (k, d) of the directions of its translations.

    Example:
        >>> import softsym as ss
        >>> linear_part(ss.E(3))[0], len(linear_part(ss.Translation(2))[1])
        (O(3), 2)
    """
    d, algebra = group.dim - 1, group.lie_algebra
    rotations = algebra[:, :d, :d].reshape(len(algebra), -1)
    left, sizes, right = (
        np.linalg.svd(rotations, full_matrices=True) if len(algebra) else (np.zeros((0, 0)), np.zeros(0), rotations)
    )
    rank = int((sizes > ROUNDING * max(float(sizes.max(initial=0.0)), ROUNDING)).sum())
    shifts = left.T[rank:] @ algebra[:, :d, d] if len(algebra) else np.zeros((0, d))
    directions = np.linalg.svd(shifts)[2][: np.linalg.matrix_rank(shifts, tol=1e-9)] if len(shifts) else shifts
    shifted = left.T[:rank] @ algebra[:, :d, d] if rank else np.zeros((0, d))
    shifted = np.concatenate([shifted, group.discrete_generators[:, :d, d]])
    if np.abs(shifted - shifted @ directions.T @ directions).max(initial=0.0) > 1e-6:
        raise InputError(
            f"{group.name} rotates about a point that is not the origin; shift the points, or add translations"
        )
    lie = right[:rank].reshape(-1, d, d)
    discrete = [h[:d, :d] for h in group.discrete_generators if not np.allclose(h[:d, :d], np.eye(d))]
    if not rank and not discrete:
        return Trivial(d), directions
    matrices = np.array(discrete).reshape(-1, d, d)
    found = Group.from_generators(lie, matrices, name=f"linear part of {group.name}")
    return _named(found, group), directions


def _named(group: Group, affine: Group) -> Group:
    """The linear part by its own name, where the affine group's has one: it samples and integrates better."""
    texts = [f"SO({group.dim})", f"O({group.dim})"]
    for name, linear in (("SE(", "SO("), ("E(", "O(")):
        if affine.text.startswith(name):
            texts.insert(0, linear + affine.text.removeprefix(name))
    if (embedded := affine.text.partition(f"@{affine.dim}["))[1]:
        texts.insert(0, embedded[0])
    for known in map(read_group, texts):
        if contains(known, group) and contains(group, known):
            return known
    return group


def act_on_points(group: Group, factors: Sequence[Group]) -> tuple[Group, Group, Array]:
    """A candidate in homogeneous coordinates, the group that acts on vectors, and the directions (k, d) of translations.

    Args:
        group: The candidate: of space, affine or not, of equal particles, or of both.
        factors: The trivial groups of space and of every kind of particles.

    Example:
        >>> import softsym as ss
        >>> factors = [ss.Trivial(3), ss.Trivial(5)]
        >>> [str(act_on_points(ss.group(text), factors)[1]) for text in ("E(3)", "S(5)", "SE(3) * S(5)")]
        ['O(3) * Trivial(5)', 'Trivial(3) * S(5)', 'SO(3) * S(5)']
    """
    d, space, *exchanges = factors[0].dim, *_split(group)
    is_moving = space.dim == d + 1 and is_affine(space)
    if not is_moving:
        if len(factors) == 1 and (group.dim != d or len(group.part_dims) > 1):
            raise InputError(
                f"{group.name} acts on R^{group.dim}, the points are in R^{d}; pass groups such as SE({d}) or O({d})"
            )
        linear = place_among(group, factors)
        space, *exchanges = _split(linear)
        lifted = functools.reduce(operator.mul, exchanges, lift(space))
        return replace(lifted, label=group.name) if exchanges else lifted, linear, np.zeros((0, d))
    linear, directions = linear_part(space)
    whole = place_among(functools.reduce(operator.mul, exchanges, linear), factors)
    named = whole if " * " in group.name else replace(whole, label=linear.name)
    return place_among(group, [Trivial(d + 1), *factors[1:]]), named if exchanges else whole, directions


def _split(group: Group) -> list[Group]:
    """The factors of a direct product, by their own names where it was written with them."""
    texts = group.text.split(" * ")
    if len(texts) == len(group.part_dims) > 1 and all(text.count("(") == text.count(")") for text in texts):
        return [read_group(text) for text in texts]
    return [group.factor(k) for k in range(len(group.part_dims))]


def _act(group: Group, factors: Sequence[Group], vectors: Rep, whole: Rep, centre: Array, size: float) -> Action:
    """How a candidate acts on displacements of a root mean square size and on mean points (n, d)."""
    lifted, linear, directions = act_on_points(group, factors)
    if not len(directions):
        return Action(lifted, linear, whole)
    d, columns = centre.shape[1], whole.size(Trivial(centre.shape[1]))
    varies = float(np.sqrt((centre @ directions.T).var(axis=0).mean()))
    overlap = min(1.0, varies * np.sqrt(d) / size) if size > 0 else float(varies > 0)
    if len(directions) == d:
        return Action(lifted, linear, vectors, np.eye(columns)[:, :-d], overlap)
    keep = np.eye(columns)
    keep[-d:, -d:] -= directions.T @ directions
    return Action(lifted, linear, whole, keep, overlap)
