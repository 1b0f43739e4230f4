"""Columns that are no representation as they are written, converted to some that are: orientations, angles, Voigt's notation.

An orientation is a rotation matrix R of a body; its columns, the axes of the body, are three vectors ``3V`` under rotations of the outer
coordinate system. Symmetric matrices have the six columns of ``Sym(2)``, xx, yy, zz and the root of two times yz, xz, xy (Mandel), and
elasticity tensors the 21 of ``Sym(2,Sym(2))``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from softsym.arrays import read_numbers
from softsym.errors import InputError
from softsym.groups import O
from softsym.reps import rep, tensor_basis
from softsym.typing import Array


def matrix_to_vectors(R: ArrayLike) -> Array:
    """Rotation matrices (n, 3, 3), or (n, 9) row by row, as the columns of three vectors (n, 9): the axes of the body, ``3V``.

    Example:
        >>> matrix_to_vectors([[0, -1, 0, 1, 0, 0, 0, 0, 1]])
        array([[ 0.,  1.,  0., -1.,  0.,  0.,  0.,  0.,  1.]])
    """
    values = read_numbers(R, "R")
    if values.shape[1:] not in ((3, 3), (9,)):
        raise InputError(f"`R` must have shape (n, 3, 3) or (n, 9), got {values.shape}")
    return values.reshape(-1, 3, 3).swapaxes(1, 2).reshape(-1, 9)


def quaternion_to_vectors(q: ArrayLike, order: str = "wxyz") -> Array:
    """Quaternions (n, 4) as three vectors (n, 9), ``3V``; q and -q are one orientation, of which no column of theirs knows.

    Args:
        q: Quaternions; their length does not matter.
        order: ``wxyz`` if the real part comes first, ``xyzw`` if it comes last.

    Example:
        >>> quaternion_to_vectors([[1, 0, 0, 1]]).round(12) + 0.0
        array([[ 0.,  1.,  0., -1.,  0.,  0.,  0.,  0.,  1.]])
    """
    values = read_numbers(q, "q")
    if values.ndim != 2 or values.shape[1] != 4 or not values.any(axis=1).all():
        raise InputError(f"`q` must be quaternions of shape (n, 4), none of them zero, got {values.shape}")
    if order not in ("wxyz", "xyzw"):
        raise InputError(f"`order` must be 'wxyz' or 'xyzw', got {order!r}")
    values = np.roll(values, -1, axis=1) if order == "wxyz" else values
    return matrix_to_vectors(Rotation.from_quat(values).as_matrix())


def euler_to_vectors(angles: ArrayLike, axes: str = "xyz", *, degrees: bool = False) -> Array:
    """Euler angles (n, 3) as three vectors (n, 9), ``3V``.

    Args:
        angles: Angles about each of the axes.
        axes: The axes in order: small letters for axes that stay (``xyz`` for roll, pitch and yaw), capitals for those of the body.
        degrees: Whether angles are in degrees.

    Example:
        >>> euler_to_vectors([[0, 0, 90]], degrees=True).round(12) + 0.0
        array([[ 0.,  1.,  0., -1.,  0.,  0.,  0.,  0.,  1.]])
    """
    values = read_numbers(angles, "angles")
    if values.ndim != 2 or values.shape[1] != 3:
        raise InputError(f"`angles` must have shape (n, 3), got {values.shape}")
    try:
        return matrix_to_vectors(Rotation.from_euler(axes, values, degrees=degrees).as_matrix())
    except ValueError as error:
        raise InputError(f"`axes` must be three letters such as 'xyz' or 'ZYX', got {axes!r}") from error


def body_to_space(vectors: ArrayLike, axes: ArrayLike) -> Array:
    """Vectors in the coordinates of a body, as its sensors measure them, in those of space (n, 3 k): ``kV``.

    Args:
        vectors: Their coordinates along the axes of the body (n, 3 k).
        axes: The axes of the body in space (n, 9), as :func:`quaternion_to_vectors` gives them.

    Example:
        >>> body_to_space([[1.0, 0.0, 0.0]], [[0, 1, 0, -1, 0, 0, 0, 0, 1]])
        array([[0., 1., 0.]])
    """
    values, frames = read_numbers(vectors, "vectors"), read_numbers(axes, "axes")
    if values.ndim != 2 or values.shape[1] % 3 or frames.shape != (len(values), 9):
        raise InputError(f"pass `vectors` (n, 3 k) and `axes` (n, 9), got {values.shape} and {frames.shape}")
    return np.asarray(values.reshape(len(values), -1, 3) @ frames.reshape(-1, 3, 3)).reshape(values.shape)


def angle_to_vector(angles: ArrayLike, *, degrees: bool = False) -> Array:
    """Angles (n, k) as cosines and sines (n, 2 k): vectors of the plane.

    Example:
        >>> angle_to_vector([[0.0], [90.0]], degrees=True).round(12)
        array([[1., 0.],
               [0., 1.]])
    """
    values = np.atleast_2d(read_numbers(angles, "angles"))
    values = np.radians(values) if degrees else values
    return np.stack([np.cos(values), np.sin(values)], axis=2).reshape(len(values), -1)


def voigt_to_mandel(values: ArrayLike, quantity: str = "stress") -> Array:
    """Columns of Voigt's notation as those of ``Sym(2)`` or, for an elasticity tensor, of ``Sym(2,Sym(2))``.

    Args:
        values: xx, yy, zz, yz, xz, xy (n, 6); of ``stiffness`` the upper half of the matrix row by row (n, 21), or all (n, 36).
        quantity: ``stress``, ``strain`` (whose yz is twice the entry of the matrix) or ``stiffness`` (stress per strain).

    Example:
        >>> voigt_to_mandel([[1, 2, 3, 0, 0, 4]], "strain").round(3)
        array([[1.   , 2.   , 3.   , 0.   , 0.   , 2.828]])
    """
    values = read_numbers(values, "values")
    if quantity == "stiffness" and values.shape[1:] == (21,):
        whole = np.zeros((len(values), 6, 6))
        rows, columns = np.triu_indices(6)
        whole[:, rows, columns] = whole[:, columns, rows] = values
        values = whole.reshape(-1, 36)
    scaled = values * _factors(quantity, values)
    return np.asarray(scaled @ tensor_basis(rep("Sym(2)"), O(6))[1] if quantity == "stiffness" else scaled)


def mandel_to_voigt(values: ArrayLike, quantity: str = "stress") -> Array:
    """The inverse of :func:`voigt_to_mandel`: columns (n, 6), or all of a stiffness (n, 36)."""
    values = read_numbers(values, "values")
    if quantity == "stiffness" and values.shape[1:] == (21,):
        values = np.asarray(values @ tensor_basis(rep("Sym(2)"), O(6))[1].T)
    return np.asarray(values / _factors(quantity, values))


def _factors(quantity: str, values: Array) -> Array:
    """Mandel's columns divided by Voigt's: (6,), or (36,) of a stiffness."""
    sizes = {"stress": 6, "strain": 6, "stiffness": 36}
    if values.shape[1:] != (sizes.get(quantity),):
        raise InputError(
            "`quantity` must be 'stress' or 'strain' with `values` (n, 6), or 'stiffness' with (n, 21), "
            f"got {quantity!r} and {values.shape}"
        )
    factors = np.repeat([1.0, math.sqrt(0.5 if quantity == "strain" else 2.0)], 3)
    return np.outer(factors, factors).ravel() if quantity == "stiffness" else factors
