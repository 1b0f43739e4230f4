"""A law's own algebra, and how much claimed generators violate it: by finite differences of the law itself."""

from __future__ import annotations

import numpy as np

from softsym.inference.propose import actions, basis_of
from softsym.reps import rep as read_rep
from softsym.typing import Array
from softsym_lab.benchmarks.propose.laws import Law, Setting

STEP = 1e-5


def truth(law: Law, X: Array, setting: Setting, claimed: Array) -> tuple[Array, float]:
    """The algebra (dimension, d, d) of a law, and the largest relative violation of claimed generators (k, d, d), at rows (n, D)."""
    source, target = actions(X, law(X), read_rep(setting.rep_in), read_rep(setting.rep_out))
    slopes = np.stack(
        [(law(X + STEP * e) - law(X - STEP * e)) / (2 * STEP) for e in np.eye(X.shape[1])], axis=2
    )

    def moved(matrices: Array) -> tuple[Array, Array]:
        speeds, outputs = source.velocity(matrices, X), target.velocity(matrices, law(X))
        lie = outputs - np.einsum("nqd,knd->knq", slopes, speeds)
        steep = np.sqrt(np.sum(slopes**2, axis=(1, 2)) / X.shape[1])
        sizes = np.sum((speeds * steep[:, None]) ** 2, axis=(1, 2)) + np.sum(outputs**2, axis=(1, 2))
        return lie.reshape(len(matrices), -1), sizes

    basis = basis_of(setting.dim, affine=False)
    flat, _ = moved(basis)
    vectors = np.linalg.eigh(flat @ flat.T)[1]
    own = np.tensordot(vectors[:, : setting.dimension].T, basis, 1)
    if not len(claimed):
        return own, 0.0
    lie, sizes = moved(claimed)
    return own, float(np.sqrt(np.sum(lie**2, axis=1) / sizes).max())
