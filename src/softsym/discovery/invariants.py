r"""Invariants of a group as features for other tools: an invariant function depends on these alone.

For vectors :math:`v_i` these are the linear invariants (the height under rotations about z), the bilinear ones that are not products of
them (:math:`v_i \cdot v_j` under O(n), the interval under the Lorentz group), with :math:`|v_i|` for :math:`v_i \cdot v_i`, and
:math:`\det(v_1, \dots, v_n)` where the group leaves volumes alone. Scalars are themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from softsym.arrays import validate
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep, Vector
from softsym.reps import rep as read_rep
from softsym.spaces import invariants
from softsym.typing import Array

MOST = 2_000  # features that are made; more are refused
LARGEST_DETERMINANT = 4


@dataclass(frozen=True)
class _Feature:
    """One invariant: its name, the blocks of columns that it is made of, and how."""

    name: str
    blocks: tuple[int, ...]
    value: Callable[..., Array]


class InvariantFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn transformer from columns to invariants of a group; arguments as in :func:`invariant_features`."""

    def __init__(self, rep: Rep | str = "V", group: Group | str = "O(3)") -> None:
        self.rep, self.group = rep, group

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learns the number and names of the columns."""
        inputs = validate(self, X)
        rep, group = read_rep(self.rep), read_group(self.group)
        if rep.size(group) != inputs.shape[1]:
            raise InputError(
                f"{rep} under {group.name} has size {rep.size(group)}, X has {inputs.shape[1]} columns; pass another `rep`"
            )
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Invariants (n, features) of rows (n, size of ``rep``)."""
        check_is_fitted(self)
        inputs = np.asarray(validate(self, X, reset=False))
        columns = [feature.value(*(inputs[:, self._blocks[k]] for k in feature.blocks)) for feature in self._features]
        return np.stack(columns, axis=1) if columns else np.zeros((len(inputs), 0))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """What the invariants are: ``m``, ``norm(v)``, ``dot(v, w)``, ``det(u, v, w)``."""
        check_is_fitted(self)
        given = input_features if input_features is not None else getattr(self, "feature_names_in_", None)
        names = [f"x{k}" for k in range(self.n_features_in_)] if given is None else [str(name) for name in given]
        shown = [_short([names[k] for k in range(block.start, block.stop)]) for block in self._blocks]
        return np.array(
            [feature.name.format(*(shown[k] for k in feature.blocks)) for feature in self._features], dtype=object
        )

    @property
    def _pieces(self) -> list[tuple[Rep, slice]]:
        """Every copy of every type, and its columns."""
        group, pieces = read_group(self.group), []
        for segment in read_rep(self.rep).segments(group):
            kind = Rep(((1, segment.type),))
            pieces += [(kind, slice(k, k + segment.size)) for k in range(segment.start, segment.stop, segment.size)]
        return pieces

    @property
    def _blocks(self) -> list[slice]:
        return [block for _, block in self._pieces]

    @property
    def _features(self) -> list[_Feature]:
        group, pieces = read_group(self.group), self._pieces
        features = [feature for k, (kind, _) in enumerate(pieces) for feature in _linear(kind, group, k)]
        vectors = [k for k, (kind, _) in enumerate(pieces) if kind == Vector]
        forms = _forms(group) if vectors else []
        for i, j in itertools.combinations_with_replacement(vectors, 2):
            features += [one for one in (_bilinear(form, number, i, j) for number, form in enumerate(forms)) if one]
        others = [k for k, (kind, _) in enumerate(pieces) if kind.size(group) > 1 and kind != Vector]
        if group.is_orthogonal:
            features += [_Feature("norm({})", (k,), _norm) for k in others]
        if 2 < group.dim <= LARGEST_DETERMINANT and _keeps_volumes(group):
            name = f"det({', '.join(['{}'] * group.dim)})"
            features += [_Feature(name, chosen, _det) for chosen in itertools.combinations(vectors, group.dim)]
        if len(features) > MOST:
            raise InputError(
                f"{read_rep(self.rep)} has {len(features):,} invariants; at most {MOST:,} are made: pass fewer columns"
            )
        return features


def invariant_features(rep: Rep | str, group: Group | str) -> InvariantFeatures:
    """Invariants of a group as features: a scikit-learn transformer.

    Args:
        rep: How the columns transform, such as ``"2S + 3V"``.
        group: The group, such as one that was found exact.

    Example:
        >>> X = np.array([[2.0, 3, 0, 4, 0, 1, 0]])
        >>> features = invariant_features("S + 2V", "O(3)").fit(X)
        >>> features.get_feature_names_out(["m", "vx", "vy", "vz", "wx", "wy", "wz"]).tolist()
        ['m', 'norm(v)', 'dot(v, w)', 'norm(w)']
        >>> features.transform(X)
        array([[2., 5., 0., 1.]])
    """
    return InvariantFeatures(rep, group)


def _linear(kind: Rep, group: Group, k: int) -> list[_Feature]:
    """Linear invariants of one copy of a type."""
    basis = invariants(kind, group).basis().reshape(kind.size(group), -1)
    if basis.shape == (1, 1):
        return [_Feature("{}", (k,), lambda block: block[:, 0])]
    names = ["linear({})"] if basis.shape[1] == 1 else [f"linear{n}({{}})" for n in range(basis.shape[1])]
    columns = zip(names, _fix_signs(basis).T, strict=True)
    return [_Feature(name, (k,), lambda block, weights=weights: block @ weights) for name, weights in columns]


def _forms(group: Group) -> list[Array]:
    """Invariant bilinear forms (d, d) that are not products of linear invariants, the inner product first if it is one."""
    d = group.dim
    space = invariants(Vector * Vector, group).basis().reshape(d * d, -1)
    linear = invariants(Vector, group).basis().reshape(d, -1)
    products = np.einsum("ia,jb->ijab", linear, linear).reshape(d * d, -1)
    first = np.eye(d).ravel()[:, None]
    if space.shape[1] and np.allclose(space @ (space.T @ first), first):
        rest = _outside(space, np.hstack([products, first]))
        return [np.eye(d), *(form.reshape(d, d) for form in rest.T)]
    rest = _outside(space, products) if products.size else space
    return [_fix_signs(form[:, None]).reshape(d, d) for form in rest.T]


def _outside(space: Array, known: Array) -> Array:
    """An orthonormal basis of the complement of known vectors in a space."""
    basis, _ = np.linalg.qr(known)
    left = space - basis @ (basis.T @ space)
    vectors, sizes, _ = np.linalg.svd(left, full_matrices=False)
    return _fix_signs(vectors[:, sizes > 1e-8])


def _fix_signs(basis: Array) -> Array:
    """Columns whose largest entry is positive, without rounding errors."""
    if not basis.size:
        return basis
    largest = basis[np.abs(basis).argmax(0), np.arange(basis.shape[1])]
    return np.where(np.abs(basis) < 1e-12, 0.0, basis) * np.sign(largest)


def _bilinear(form: Array, number: int, i: int, j: int) -> _Feature | None:
    if np.array_equal(form, np.eye(len(form))):
        if i == j:
            return _Feature("norm({})", (i,), _norm)
        return _Feature("dot({}, {})", (i, j), lambda a, b: np.einsum("ni,ni->n", a, b))
    if i == j and np.allclose(form, -form.T):
        return None  # zero
    name = f"form{number}({{}}, {{}})"
    return _Feature(name, (i, j), lambda a, b: np.einsum("ni,ij,nj->n", a, form, b))


def _norm(block: Array) -> Array:
    return np.asarray(np.linalg.norm(block, axis=1))


def _det(*vectors: Array) -> Array:
    return np.asarray(np.linalg.det(np.stack(vectors, axis=1)))


def _keeps_volumes(group: Group) -> bool:
    flat = all(abs(np.trace(A)) < 1e-9 for A in group.lie_algebra)
    return flat and all(abs(np.linalg.det(h) - 1) < 1e-9 for h in group.discrete_generators)


def _short(names: list[str]) -> str:
    """What several columns have in common: v for vx, vy, vz; else all of them."""
    if len(names) == 1:
        return names[0]
    stem = names[0][:-1]
    ends = [name[len(stem) :] for name in names]
    is_common = stem and all(name.startswith(stem) for name in names) and ends in (["x", "y", "z"], ["x", "y"])
    return stem.rstrip("_") if is_common else " ".join(names)
