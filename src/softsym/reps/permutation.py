"""Permutation representations: values on a finite set of points that the group moves among themselves.

The points decide the action, so the same representation can be read under any group that keeps the set: pixel centres under the
rotations of an image, vertices under the rotations of a polyhedron, indicator vectors of index sets under permutations.
"""

from __future__ import annotations

import math
import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps.atoms import Points
from softsym.reps.rep import Rep, TensorType

MAX_POINTS = 1_000_000
"""Pixels that a grid has at most."""


def Permutation(points: ArrayLike) -> Rep:
    """Values on points of R^d, permuted as the group moves the points.

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
    rows = tuple(tuple(row) for row in places.tolist())
    return Rep(((1, TensorType((Points(rows, f"Points({[list(row) for row in rows]})"),))),))


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
    rows = np.stack([axis.ravel() for axis in reversed(centred)], axis=1) + 0.0
    return Rep(((1, TensorType((Points(tuple(map(tuple, rows.tolist())), text),))),))


def Regular(group: Group | str) -> Rep:
    """The regular representation of a finite group: values on the orbit of a point that no element but the identity leaves alone.

    Every other group that keeps this orbit, such as a subgroup, permutes it too, so the same channels can be read under several groups.

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
    steps = np.sqrt(np.array([2, 3, 5, 7, 11, 13], dtype=np.float64))
    for attempt in range(len(steps)):  # one of these directions lies on no mirror and no axis
        point = np.power(steps[attempt], np.arange(acting.dim)) + np.arange(acting.dim)
        places = orbit(acting, point)
        if len(places) == count:
            rows = tuple(map(tuple, places.tolist()))
            return Rep(((1, TensorType((Points(rows, f"Regular({acting.text})"),))),))
    raise InputError(f"no point is moved by every element of {acting.name}; pass the orbit to Permutation")


def orbit(group: Group, point: ArrayLike) -> NDArray[np.float64]:
    """All places to which a finite group moves a point, in a fixed order, shape (n, d)."""
    images = group.elements @ np.asarray(point, dtype=np.float64)
    return np.unique(images.round(9) + 0.0, axis=0)
