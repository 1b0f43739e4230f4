"""Permutation representations: values on a finite set of points that the group moves among themselves.

The points decide the action, so the same representation can be read under any group that keeps the set: pixel centres under the
rotations of an image, vertices under the rotations of a polyhedron, indicator vectors of index sets under permutations.
"""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike

from softsym.errors import InputError
from softsym.reps.atoms import Points
from softsym.reps.rep import Rep, TensorType


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


def Grid(height: int, width: int) -> Rep:
    """Pixels of an image, row by row from the top left, as points of the plane centred at the origin.

    Example:
        >>> import softsym as ss
        >>> ss.equivariant_maps(ss.Grid(3, 3), ss.Scalar, "D(4)").dim
        3
    """
    height, width = operator.index(height), operator.index(width)
    if height < 1 or width < 1:
        raise InputError(f"Grid(height, width) needs positive sizes, got Grid({height}, {width})")
    rows, columns = np.mgrid[:height, :width]
    x, y = columns - (width - 1) / 2, (height - 1) / 2 - rows
    points = tuple(zip(x.ravel().tolist(), y.ravel().tolist(), strict=True))
    return Rep(((1, TensorType((Points(points, f"Grid({height},{width})"),))),))
