"""Affine groups in homogeneous coordinates: a point x of R^n is (x, 1), so the matrices are (n + 1) x (n + 1)."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from softsym.groups import sampling
from softsym.groups.classical import O, positive
from softsym.groups.group import Group, make

Array = NDArray[np.float64]
__all__ = ["E", "SE", "Translation"]  # noqa: RUF022 - as people list them


def E(n: int) -> Group:
    """Euclidean group: rotations, reflections, translations. Sampled with Haar rotations and standard-normal translations."""
    n = positive("E", n)
    turns = [_linear(A, 0.0) for A in O(n).lie_algebra]
    sampler = functools.partial(sampling.affine, d=n, rotate="O")
    return make(
        f"E({n})", n + 1, turns + _shifts(n), [_linear(h, 1.0) for h in O(n).discrete_generators], sampler
    )


def SE(n: int) -> Group:
    """Rigid motions: rotations and translations. Sampled with Haar rotations and standard-normal translations."""
    n = positive("SE", n)
    turns = [_linear(A, 0.0) for A in O(n).lie_algebra]
    return make(
        f"SE({n})", n + 1, turns + _shifts(n), [], functools.partial(sampling.affine, d=n, rotate="SO")
    )


def Translation(n: int) -> Group:
    """Translations of R^n. Sampled standard-normal."""
    n = positive("Translation", n, 3)
    return make(
        f"Translation({n})", n + 1, _shifts(n), [], functools.partial(sampling.affine, d=n, rotate="none")
    )


def _linear(matrix: Array, corner: float) -> Array:
    return sampling.place(matrix, dim=len(matrix) + 1, axes=range(len(matrix)), fill=corner)


def _shifts(n: int) -> list[Array]:
    shifts = np.zeros((n, n + 1, n + 1))
    shifts[range(n), range(n), n] = 1.0
    return list(shifts)
