r"""The same group in another basis.

With an invertible matrix M every element g becomes :math:`M g M^{-1}`. A group of the plane about any axis of space is the one about
the nearest coordinate axis, turned the shortest way, so that it changes little when its axis does.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.errors import InputError
from softsym.groups.generators import frozen
from softsym.text import shortened

Array = NDArray[np.float64]
NAMES = "xyz"
EXACT = 1e-12
"""Up to this a matrix counts as orthogonal, as :attr:`softsym.Group.is_orthogonal` does."""
SINGULAR = 1e12
"""Condition number from which a basis is refused."""


def read_frame(matrix: ArrayLike, dim: int) -> Array:
    """A basis: an invertible (d, d) matrix, from anything that looks like one."""
    try:
        M = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("a basis is a matrix of numbers, shape (d, d)") from None
    if M.shape != (dim, dim):
        raise InputError(f"a basis of R^{dim} has shape ({dim}, {dim}), got {M.shape}")
    if not np.isfinite(M).all() or np.linalg.cond(M) > SINGULAR:
        raise InputError("a basis must be invertible and finite; this matrix is not")
    return frozen(M)


def inverse(M: Array) -> Array:
    """The inverse; of an orthogonal matrix its transpose, to the last bit."""
    return M.T.copy() if is_rotation(M) else np.asarray(np.linalg.inv(M), dtype=np.float64)


def is_rotation(M: Array) -> bool:
    """Whether a matrix is orthogonal, rotation or reflection."""
    return bool(np.allclose(M @ M.T, np.eye(len(M)), rtol=0.0, atol=EXACT))


def conjugate(matrices: Array, M: Array, back: Array) -> Array:
    """M g M^-1 for matrices (..., d, d)."""
    return np.asarray(M @ matrices @ back)


def turned_algebra(A: Array, M: Array) -> Array:
    """A generator (d, d) of the algebra in another basis; what a rotation does to an antisymmetric one is so exactly."""
    turned = conjugate(A, M, inverse(M))
    if is_rotation(M) and np.allclose(A, -A.T, rtol=0.0, atol=EXACT):
        return np.asarray((turned - turned.T) / 2)
    return turned


def turned_element(h: Array, M: Array) -> Array:
    """An element (d, d) in another basis; what a rotation does to an orthogonal one is orthogonal to the last digits."""
    turned = conjugate(h, M, inverse(M))
    if is_rotation(M) and is_rotation(h) and not np.array_equal(turned @ turned.T, np.eye(len(h))):
        return np.asarray(turned @ (3 * np.eye(len(h)) - turned.T @ turned) / 2)
    return turned


def read_axis(axis: Sequence[float]) -> tuple[float, ...]:
    """An axis of space: three numbers, not all zero."""
    try:
        numbers = tuple(float(value) for value in axis)
    except (TypeError, ValueError):
        raise InputError(
            f"unknown axis {shortened(repr(axis))}; pass 'x', 'y' or 'z', or three numbers such as (0.1, 0.7, 0.7)"
        ) from None
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)) or not any(numbers):
        raise InputError(
            f"an axis is three finite numbers, not all zero, such as (0.1, 0.7, 0.7); got {shortened(str(numbers))}"
        )
    return numbers


def turn_to(axis: Sequence[float]) -> tuple[str, Array | None]:
    """The coordinate axis nearest to an axis, and the rotation (3, 3) that carries it there the shortest way; None if it is there.

    Example:
        >>> turn_to((0, 0, -2))
        ('z', None)
        >>> name, M = turn_to((1, 2, 0))
        >>> name, (M[:, 1] * np.sqrt(5)).round(12).tolist()
        ('y', [1.0, 2.0, 0.0])
    """
    direction = np.array(read_axis(axis))
    nearest = int(np.abs(direction).argmax())
    direction = direction / direction[nearest]  # an axis has no sign; exact where multiples of it are
    if np.count_nonzero(direction) == 1:
        return NAMES[nearest], None
    direction /= np.linalg.norm(direction)
    start = np.eye(3)[nearest]
    cross = np.cross(start, direction)
    x, y, z = cross
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    M = np.eye(3) + K + K @ K / (1 + start @ direction)
    return NAMES[nearest], M @ (3 * np.eye(3) - M.T @ M) / 2


def axis_text(axis: Sequence[float]) -> str:
    """The text of an axis, which reads back exactly.

    Example:
        >>> axis_text((1, 0.5, 0))
        '(1,0.5,0)'
    """
    return "(" + ",".join(map(number_text, axis)) + ")"


def frame_text(M: Array) -> str:
    """The text of a basis, which reads back exactly."""
    return "[" + ",".join("[" + ",".join(map(number_text, row)) + "]" for row in M.tolist()) + "]"


def frame_label(M: Array) -> str:
    """A short name of a basis for tables, different for different ones."""
    return "#" + hashlib.sha256(M.tobytes()).hexdigest()[:6]


def number_text(value: float) -> str:
    """A number as short as it reads back exactly."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
