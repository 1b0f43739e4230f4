r"""Groups in another basis.

With an invertible matrix M every element g becomes :math:`M g M^{-1}`. A group of the plane about any axis of space is the one about
the nearest coordinate axis, conjugated by the smallest rotation to that axis, so that it depends continuously on the axis.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from softsym.arrays import freeze
from softsym.errors import InputError
from softsym.tokens import shorten
from softsym.typing import Array

AXIS_NAMES = "xyz"
ORTHOGONAL_TOL = 1e-12
"""Up to this a matrix counts as orthogonal, as :attr:`softsym.Group.is_orthogonal` does."""
MAX_CONDITION = 1e12
"""Condition number from which a basis is refused."""


def read_basis(matrix: ArrayLike, dim: int) -> Array:
    """Checks a basis: an invertible (d, d) matrix, or nested lists of its numbers."""
    try:
        M = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("a basis is a matrix of numbers, shape (d, d)") from None
    if M.shape != (dim, dim):
        raise InputError(f"a basis of R^{dim} has shape ({dim}, {dim}), got {M.shape}")
    if not np.isfinite(M).all() or np.linalg.cond(M) > MAX_CONDITION:
        raise InputError("a basis must be invertible and finite; this matrix is not")
    return freeze(M)


def inverse(M: Array) -> Array:
    """The inverse; of an orthogonal matrix its transpose, to the last bit."""
    return M.T.copy() if is_orthogonal(M) else np.asarray(np.linalg.inv(M), dtype=np.float64)


def is_orthogonal(M: Array) -> bool:
    """Whether a matrix is orthogonal."""
    return bool(np.allclose(M @ M.T, np.eye(len(M)), rtol=0.0, atol=ORTHOGONAL_TOL))


def conjugate_algebra(A: Array, M: Array) -> Array:
    """A generator (d, d) of the algebra in another basis; an antisymmetric one stays so exactly under an orthogonal M."""
    conjugated = np.asarray(M @ A @ inverse(M))
    if is_orthogonal(M) and np.allclose(A, -A.T, rtol=0.0, atol=ORTHOGONAL_TOL):
        return np.asarray((conjugated - conjugated.T) / 2)
    return conjugated


def conjugate_element(h: Array, M: Array) -> Array:
    """An element (d, d) in another basis; an orthogonal one stays so to the last digits under an orthogonal M."""
    conjugated = np.asarray(M @ h @ inverse(M))
    if (
        is_orthogonal(M)
        and is_orthogonal(h)
        and not np.array_equal(conjugated @ conjugated.T, np.eye(len(h)))
    ):
        return np.asarray(conjugated @ (3 * np.eye(len(h)) - conjugated.T @ conjugated) / 2)
    return conjugated


def read_axis(axis: Sequence[float]) -> tuple[float, ...]:
    """Checks an axis of space: three numbers, not all zero."""
    try:
        numbers = tuple(float(value) for value in axis)
    except (TypeError, ValueError):
        raise InputError(
            f"unknown axis {shorten(repr(axis))}; pass 'x', 'y' or 'z', or three numbers such as (0.1, 0.7, 0.7)"
        ) from None
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)) or not any(numbers):
        raise InputError(
            f"an axis is three finite numbers, not all zero, such as (0.1, 0.7, 0.7); got {shorten(str(numbers))}"
        )
    return numbers


def rotation_to_axis(axis: Sequence[float]) -> tuple[str, Array | None]:
    """The coordinate axis nearest to an axis, and the smallest rotation (3, 3) of the one to the other; None if they agree.

    Example:
        >>> rotation_to_axis((0, 0, -2))
        ('z', None)
        >>> name, M = rotation_to_axis((1, 2, 0))
        >>> name, (M[:, 1] * np.sqrt(5)).round(12).tolist()
        ('y', [1.0, 2.0, 0.0])
    """
    direction = np.array(read_axis(axis))
    nearest = int(np.abs(direction).argmax())
    direction = direction / direction[nearest]  # an axis has no sign; exact where multiples of it are
    if np.count_nonzero(direction) == 1:
        return AXIS_NAMES[nearest], None
    direction /= np.linalg.norm(direction)
    start = np.eye(3)[nearest]
    cross = np.cross(start, direction)
    x, y, z = cross
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    M = np.eye(3) + K + K @ K / (1 + start @ direction)
    return AXIS_NAMES[nearest], M @ (3 * np.eye(3) - M.T @ M) / 2


def axis_text(axis: Sequence[float]) -> str:
    """The text of an axis, which reads back exactly.

    Example:
        >>> axis_text((1, 0.5, 0))
        '(1,0.5,0)'
    """
    return "(" + ",".join(map(number_text, axis)) + ")"


def basis_text(M: Array) -> str:
    """The text of a basis, which reads back exactly."""
    return "[" + ",".join("[" + ",".join(map(number_text, row)) + "]" for row in M.tolist()) + "]"


def basis_label(M: Array) -> str:
    """A short name of a basis for tables, different for different ones."""
    return "#" + hashlib.sha256(M.tobytes()).hexdigest()[:6]


def number_text(value: float) -> str:
    """The shortest text of a number that reads back exactly."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
