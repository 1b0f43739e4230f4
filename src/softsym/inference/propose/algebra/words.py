"""Generators and elements in words."""

from __future__ import annotations

import numpy as np

from softsym.groups.change_of_basis import AXIS_NAMES, axis_text
from softsym.inference.propose.algebra.recognise import rounded_axis
from softsym.typing import Array

CLEAR = 0.05
"""Share of a matrix that may be something else before it has no name in words."""


def axis_words(direction: Array) -> str:
    """A direction of space and where it points.

    Example:
        >>> axis_words(np.array([0.0, 0.02, 1.0]))
        '(0,0.02,0.9998), 1.1 degrees from z'
        >>> axis_words(np.array([0.0, -3.0, 0.0]))
        'y'
    """
    axis = np.array(rounded_axis(direction))
    if np.count_nonzero(axis) == 1:
        return AXIS_NAMES[int(np.abs(axis).argmax())]
    nearest = int(np.abs(axis).argmax())
    off = np.degrees(np.arccos(min(1.0, abs(axis[nearest]) / np.linalg.norm(axis))))
    return f"{axis_text(axis.tolist())}, {off:.1f} degrees from {AXIS_NAMES[nearest]}"


def generator_words(A: Array, affine: bool = False) -> str:
    """What a generator (d, d) does.

    Example:
        >>> generator_words(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]]))
        'rotation about z'
        >>> generator_words(np.eye(4)), generator_words(np.diag([1.0, -1.0]))
        ('scaling', 'stretch that keeps volume')
    """
    if affine:
        linear, shift = A[:-1, :-1], A[:-1, -1]
        if np.linalg.norm(linear) < CLEAR * np.linalg.norm(A):
            return f"translation along {axis_words(shift)}" if len(shift) == 3 else "translation"
        return f"{generator_words(linear)}{' and translation' if np.linalg.norm(shift) > CLEAR * np.linalg.norm(A) else ''}"
    d, size = len(A), float(np.linalg.norm(A))
    rotating, stretching = (A - A.T) / 2, (A + A.T) / 2
    if np.linalg.norm(stretching) < CLEAR * size:
        if d == 2:
            return "rotation"
        if d == 3:
            return f"rotation about {axis_words(np.array([rotating[2, 1], rotating[0, 2], rotating[1, 0]]))}"
        return "rotation"
    scaling = np.trace(A) / d
    if np.linalg.norm(A - scaling * np.eye(d)) < CLEAR * size:
        return "scaling"
    volume = " that keeps volume" if abs(np.trace(A)) < CLEAR * size else ""
    return f"stretch{volume}" if np.linalg.norm(rotating) < CLEAR * size else f"shear or rotation{volume}"
