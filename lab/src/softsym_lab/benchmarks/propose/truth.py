"""The Lie algebra of a target function, and how much claimed generators violate it: by finite differences of the function."""

from __future__ import annotations

import numpy as np

from softsym.inference.propose import actions, basis_of
from softsym.reps import rep as read_rep
from softsym.typing import Array
from softsym_lab.benchmarks.propose.targets import Setting, TargetFunction

STEP = 1e-5


def truth(function: TargetFunction, X: Array, setting: Setting, claimed: Array) -> tuple[Array, float]:
    """The algebra (dimension, d, d) of a target function, and the largest relative violation of claimed generators (k, d, d)."""
    source, target = actions(X, function(X), read_rep(setting.rep_in), read_rep(setting.rep_out))
    slopes = np.stack(
        [(function(X + STEP * e) - function(X - STEP * e)) / (2 * STEP) for e in np.eye(X.shape[1])], axis=2
    )

    def lie_derivatives(matrices: Array) -> tuple[Array, Array]:
        speeds, outputs = source.velocity(matrices, X), target.velocity(matrices, function(X))
        lie = outputs - np.einsum("nqd,knd->knq", slopes, speeds)
        steep = np.sqrt(np.sum(slopes**2, axis=(1, 2)) / X.shape[1])
        sizes = np.sum((speeds * steep[:, None]) ** 2, axis=(1, 2)) + np.sum(outputs**2, axis=(1, 2))
        return lie.reshape(len(matrices), -1), sizes

    basis = basis_of(setting.dim, affine=False)
    flat, _ = lie_derivatives(basis)
    vectors = np.linalg.eigh(flat @ flat.T)[1]
    own = np.tensordot(vectors[:, : setting.dimension].T, basis, 1)
    if not len(claimed):
        return own, 0.0
    lie, sizes = lie_derivatives(claimed)
    return own, float(np.sqrt(np.sum(lie**2, axis=1) / sizes).max())
