"""Permutation representations: functions on a finite set of points that the group permutes.

The points determine the action, so the same representation can be read under any group that maps the set to itself: pixel centres
under the rotations of an image, vertices under the rotations of a polyhedron, indicator vectors of index sets under permutations.
"""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps.atoms import Atom, Element
from softsym.reps.rep import Rep, single
from softsym.typing import Array

MAX_POINTS = 1_000_000  # of a grid


@dataclass(frozen=True)
class Points(Atom):
    """Functions on points of R^d that the group permutes; its own dual, because permutations are orthogonal."""

    points: tuple[tuple[float, ...], ...]  # coordinates, one tuple per point
    text: str = field(compare=False)  # the text form
    blocks: tuple[int, ...] = ()  # numbers of blocks of points that are one coordinate each; none if every point is one

    def size(self, group: Group) -> int:
        if len(self.points[0]) != group.dim:
            raise InputError(f"{self.text} has points of R^{len(self.points[0])}; {group.name} acts on R^{group.dim}")
        return len(set(self.blocks)) or len(self.points)

    def rho(self, group: Group, g: Element) -> Array:
        n = self.size(group)
        batch = g.whole.reshape(-1, group.dim, group.dim)
        out = np.zeros((len(batch), n, n))
        for k, matrix in enumerate(batch):
            out[k, self.images(group, matrix), np.arange(n)] = 1.0
        return out.reshape(*g.whole.shape[:-2], n, n)

    def images(self, group: Group, matrix: Array) -> NDArray[np.intp]:
        """The index of the point, or block, to which each is mapped."""
        places = np.array(self.points)
        distance, index = _tree(self.points).query(places @ matrix.T)
        if (distance > 1e-6 * (1 + np.abs(places).max())).any() or len(set(index.tolist())) < len(places):
            raise InputError(f"{group.name} moves {self.text} off its points; pass a set the group maps to itself")
        if self.blocks:
            first = np.unique(self.blocks, return_index=True)[1]
            return np.asarray(np.array(self.blocks)[index[first]])
        return np.asarray(index)

    def drho(self, group: Group, A: Element) -> Array:
        """Zero: a connected group that maps finitely many points to themselves fixes each of them."""
        n = self.size(group)
        if np.abs(np.array(self.points) @ A.whole.swapaxes(-1, -2)).max(initial=0.0) > 1e-9:
            raise InputError(f"{group.name} moves {self.text} continuously; points need a finite group")
        return np.zeros((*A.whole.shape[:-2], n, n))

    def is_permutation(self, group: Group) -> bool:
        return True

    def order_key(self) -> tuple[object, ...]:
        """After base atoms, smaller sets first."""
        return (1, len(self.points), self.points, self.blocks)

    def __str__(self) -> str:
        return self.text


@functools.lru_cache(maxsize=32)
def _tree(points: tuple[tuple[float, ...], ...]) -> Any:
    """A search tree for the nearest of the points."""
    from scipy.spatial import cKDTree

    return cKDTree(np.array(points))


def _functions_on(places: Array, text: str) -> Rep:
    return single(Points(tuple(map(tuple, places.tolist())), text))


def Permutation(points: ArrayLike) -> Rep:
    """Functions on points of R^d, permuted as the group permutes the points.

    Args:
        points: Coordinates, shape (n, d). A subset of the coordinates of a permutation group is its 0/1 indicator vector.

    Example:
        >>> import softsym as ss
        >>> corners = ss.Permutation([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        >>> ss.equivariant_maps(corners, corners, "C(4)").dim
        4
    """
    try:
        places = np.asarray(points, dtype=np.float64) + 0.0
    except (TypeError, ValueError) as error:
        raise InputError("`points` must be numbers of shape (n, d)") from error
    if places.ndim != 2 or not places.size or not np.isfinite(places).all():
        raise InputError(f"`points` must be finite numbers of shape (n, d), got shape {places.shape}")
    if len(np.unique(places, axis=0)) < len(places):
        raise InputError("`points` contains the same point twice")
    return _functions_on(places, f"Points({places.tolist()})")


def Grid(*shape: int) -> Rep:
    """Pixels of a signal, an image or a volume, in the order in which torch flattens them, as points centred at the origin.

    The last axis runs along x to the right, the one before along y upwards (rows are counted from the top), the one before that along z.

    Args:
        shape: Sizes of one to three axes: (width), (height, width) or (depth, height, width).

    Example:
        >>> import softsym as ss
        >>> ss.equivariant_maps(ss.Grid(3, 3), ss.Scalar, "D(4)").dim
        3
        >>> ss.equivariant_maps(ss.Grid(5), ss.Scalar, "O(1)").dim
        3
    """
    sizes = tuple(operator.index(size) for size in shape)
    text = f"Grid({','.join(map(str, sizes))})"
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise InputError(f"Grid takes one to three positive sizes, got {text}")
    if math.prod(sizes) > MAX_POINTS:
        raise InputError(f"{text} has {math.prod(sizes):,} points; at most {MAX_POINTS:,} are possible")
    centred = [places - (size - 1) / 2 for places, size in zip(np.indices(sizes), sizes, strict=True)]
    if len(sizes) > 1:
        centred[-2] = -centred[-2]
    return _functions_on(np.stack([axis.ravel() for axis in reversed(centred)], axis=1) + 0.0, text)


def Regular(group: Group | str) -> Rep:
    """The regular representation of a finite group: functions on the orbit of a point that only the identity fixes.

    Every other group that maps this orbit to itself, such as a subgroup, permutes it too, so the same channels can be read under several
    groups.

    Args:
        group: The group, with at most some thousand elements.

    Example:
        >>> import softsym as ss
        >>> ss.Regular("D(4)").size("C(4)"), ss.equivariant_maps(ss.Regular("D(4)"), ss.Regular("D(4)"), "D(4)").dim
        (8, 8)
    """
    acting = read_group(group)
    if not acting.is_finite:
        raise InputError(f"Regular needs a finite group; {acting.name} is not")
    count = len(acting.elements)
    for step in np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0, 13.0]):  # one of these lies on no reflection plane and no axis
        places = orbit(acting, np.power(step, np.arange(acting.dim)) + np.arange(acting.dim))
        if len(places) == count:
            return _functions_on(places, f"Regular({acting.text})")
    raise InputError(f"no point is moved by every element of {acting.name}; pass the orbit to Permutation")


def Quotient(group: Group | str, subgroup: Group | str) -> Rep:
    """Functions on the cosets of a subgroup: smaller than :func:`Regular` by the order of the subgroup.

    Args:
        group: A finite group with at most some thousand elements.
        subgroup: Elements of the group whose cosets are permuted.

    Example:
        >>> import softsym as ss
        >>> ss.rep("Quotient(D(4) / C(4))").size("D(4)"), ss.equivariant_maps("Quotient(D(4) / D(1))", "Regular(D(4))", "D(4)").dim
        (2, 4)
    """
    acting, inner = read_group(group), read_group(subgroup)
    if not (acting.is_finite and inner.is_finite and acting.dim == inner.dim):
        raise InputError(f"Quotient needs finite groups on the same space, got {acting.name} and {inner.name}")
    (regular,) = Regular(acting).terms[0][1].atoms
    assert isinstance(regular, Points)
    labels = np.full(len(regular.points), -1)
    for g in acting.elements:
        distance, coset = _tree(regular.points).query(inner.elements @ np.array(regular.points[0]) @ g.T)
        if distance.max() > 1e-6 * (1 + np.abs(regular.points).max()):
            raise InputError(f"{inner.name} has elements that are none of {acting.name}")
        if labels[coset[0]] < 0:
            labels[coset] = labels.max() + 1
    text = f"Quotient({acting.text} / {inner.text})"
    return single(Points(regular.points, text, tuple(labels.tolist())))


def orbit(group: Group, point: ArrayLike) -> Array:
    """The orbit of a point under a finite group, in a fixed order, shape (n, d)."""
    images = group.elements @ np.asarray(point, dtype=np.float64)
    return np.unique(images.round(9) + 0.0, axis=0)
