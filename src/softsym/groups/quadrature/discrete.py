"""Discrete generators beside a continuous part: moved along it until they respect the finite group that stands for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from softsym.groups.quadrature.algebra import UnknownError, in_basis, same_span

Array = NDArray[np.float64]


def straightened(h: Array, triples: Sequence[Array], axes: Sequence[Array]) -> Array:
    """A discrete generator times an element of the continuous part, so that it maps the chosen bases to one another."""
    for J in triples:
        image = h @ J @ np.linalg.inv(h)
        target = next((K for K in triples if same_span(image, K)), None)
        if target is None:
            raise UnknownError("a discrete generator mixes its simple parts")
        vector = Rotation.from_matrix(in_basis(image, target).T).as_rotvec()
        h = expm(-np.einsum("a,aij->ij", vector, target)) @ h
    for U in axes:
        inside = U.T @ h @ U
        if not np.allclose(inside @ inside.T, np.eye(len(inside)), atol=1e-7):
            raise UnknownError("a discrete generator mixes its simple parts")
        mirror = np.eye(len(inside))
        mirror[0, 0] = np.sign(np.linalg.det(inside))
        h = h @ (U @ (inside.T @ mirror) @ U.T + np.eye(len(h)) - U @ U.T)
    return h


def is_within(h: Array, algebra: Array) -> bool:
    """Whether an element lies in the continuous part already, as far as its logarithm tells."""
    if np.allclose(h, np.eye(len(h)), atol=1e-9):
        return True
    if np.linalg.det(h) < 0 or np.abs(np.linalg.eigvals(h) + 1).min() < 1e-6:
        return False  # a half turn has no single logarithm; the closure decides
    log = np.real(logm(h))
    inside = np.einsum("aij,ij,akl->kl", algebra, log, algebra)
    return bool(np.allclose(inside, log, atol=1e-7))
