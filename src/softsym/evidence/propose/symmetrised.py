r"""A closer look at an algebra, through its invariants.

A plain fit of a law that is no polynomial is often too poor to say that a symmetry is exact, even where it shows it clearly. As a
function of the invariants, with a share :math:`\varepsilon` of the inputs (:mod:`softsym.evidence.propose.features`), the law is fitted
far better if the symmetry is there. The marginal likelihood tells the share, and with the largest share that it does not exclude the
Lie derivative of the fit bounds the violation. Outputs that move are replaced by the invariant numbers that tell them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.evidence.propose.action import Action
from softsym.evidence.propose.derivative import LieDerivative
from softsym.evidence.propose.features import Features
from softsym.evidence.propose.fit import CHOOSING, Fit, best_kernel, likelihood_of
from softsym.evidence.propose.invariants import Directions, Invariants, invariant_polynomials
from softsym.evidence.propose.smooth import SmoothKernel
from softsym.reps import Scalar

Array = NDArray[np.float64]
LEANS = (1e-3, 0.01, 0.02, 0.04, 0.1, 0.3, 1.0)
"""Shares of the inputs that are tried."""
EXCLUDED = 2.7
"""Drop of the log likelihood from which a larger share is excluded: one-sided at one percent."""
REFINING = 0.1
"""The share with which directions are looked for again: large enough for the fit to show where they are."""
FEATURES, TARGETS = 60, 12
"""At most so many invariants are used, and so many tell the outputs."""


@dataclass(frozen=True, eq=False)
class Symmetrised:
    """Data seen through the invariants of an algebra.

    Args:
        features: Of the inputs, with the most likely share.
        highest: The largest share that is not excluded.
        kernel: The most likely kernel.
        target: Columns of the invariant numbers that tell the outputs.
        T: These, scaled, (n, m).
        missed: Share of the outputs' square that they do not tell.
    """

    features: Features
    highest: float
    fit: Fit
    target: Action
    T: Array
    missed: float

    def lie(self, basis: Array, X: Array, lean: float | None = None) -> LieDerivative:
        """The Lie derivative of the fit, with the most likely share or another."""
        if lean is None:
            return LieDerivative.of(self.fit, self.features, self.target, basis, X)
        features = self.features.leaning(lean)
        fit = Fit.of(features.values(X), self.T, [self.fit.kernel])
        return LieDerivative.of(fit, features, self.target, basis, X)


def symmetrised(
    span: Array, source: Action, target: Action, X: Array, Y: Array, kernel: SmoothKernel | None = None
) -> Symmetrised | None:
    """Looks at rows (n, D) and (n, q) through the invariants of an algebra (k, d, d); None if it has none.

    Args:
        span: The algebra.
        source: The input columns.
        target: The output columns.
        X: Inputs.
        Y: Outputs.
        kernel: One that suits an algebra nearby; the best one is looked for if None.
    """
    if source.affine:
        return None
    still = _still(source, span)
    moving = np.setdiff1d(np.arange(X.shape[1]), still)
    invariants = _invariants(span, source, moving)
    told = _told(span, source, target, moving, X, Y) if invariants else None
    if told is None:
        return None
    T, missed = told
    scalars = _scalars(T, target.dim)
    scaled = scalars.scaled(T)
    features = Features.of(source, X, invariants, still)
    few, centred = X[:CHOOSING], scaled[:CHOOSING] - scaled[:CHOOSING].mean(axis=0)
    chosen = kernel or best_kernel(features.leaning(LEANS[0]).values(few), centred)[0]
    likelihoods = {lean: likelihood_of(chosen, features.leaning(lean).values(few), centred) for lean in LEANS}
    best = max(LEANS, key=lambda lean: likelihoods[lean])
    highest = max(lean for lean in LEANS if likelihoods[lean] > likelihoods[best] - EXCLUDED)
    features = features.leaning(best)
    return Symmetrised(
        features, highest, Fit.of(features.values(X), scaled, [chosen]), scalars, scaled, missed
    )


def _invariants(span: Array, source: Action, moving: NDArray[np.intp]) -> tuple[Invariants, ...]:
    """What an algebra leaves alone, up to degree three if that is not too much; for scalings the direction of the input."""
    if _is_scaling(span):
        return (Directions(moving),) if np.all(_weights(source)[moving] == 1) else ()
    found = [one for one in (invariant_polynomials(span, source, moving, p) for p in (1, 2, 3)) if len(one)]
    if sum(map(len, found)) > FEATURES:
        found = [one for one in found if one.exponents.shape[1] <= 2]
    return tuple(found) if sum(map(len, found)) <= FEATURES else ()


def _is_scaling(span: Array) -> bool:
    return len(span) == 1 and bool(np.allclose(span[0], span[0, 0, 0] * np.eye(len(span[0]))))


def _weights(action: Action) -> Array:
    """By which power of a scaling each column grows."""
    return np.asarray(np.diagonal(action.rates(np.eye(action.dim)[None])[0]))


def _told(
    span: Array, source: Action, target: Action, moving: NDArray[np.intp], X: Array, Y: Array
) -> tuple[Array, float] | None:
    """Invariant numbers (n, m) that tell the outputs, and the share of these that is not told; None if nothing is."""
    if not np.abs(target.rates(span)).max(initial=0.0) > 1e-12:
        return Y, 0.0
    inputs, outputs = X / source.unit, Y / target.unit
    if _is_scaling(span):
        size = np.sqrt(np.mean(inputs[:, moving] ** 2, axis=1))[:, None]
        return outputs / size ** _weights(target), 0.0
    weights: list[Array] = []
    for degree in (0, 1, 2):
        found = invariant_polynomials(span, source, moving, degree, target)
        if len(found) and sum(one.shape[1] for one in weights) + len(found) <= TARGETS:
            weights.append(found.values(inputs))
    if not weights:
        return None
    E = np.concatenate(weights, axis=1)  # (n, m, q)
    E = E / np.sqrt(np.mean(E**2, axis=(0, 2), keepdims=True) + 1e-300)
    spans = np.linalg.pinv(E, rcond=1e-6) @ E
    rest = outputs - np.einsum("nij,nj->ni", spans, outputs)
    return np.einsum("nmq,nq->nm", E, outputs), float(np.sum(rest**2) / np.sum(outputs**2))


def _scalars(T: Array, dim: int) -> Action:
    """Columns that nothing moves."""
    size = T.shape[1]
    spread = float(T.std()) or 1.0
    unit = np.maximum(T.std(axis=0), 1e-9 * spread)
    return Action(size * Scalar, dim, np.zeros(size, dtype=bool), False, unit, T.mean(axis=0))


def _still(source: Action, span: Array) -> NDArray[np.intp]:
    return np.flatnonzero(np.abs(source.rates(span)).sum(axis=(0, 2)) == 0)
