r"""Fits through the invariants of an algebra.

An unconstrained fit of a target function that is no polynomial is often too poor to establish that a symmetry is exact. As a function
of the invariants, with a share :math:`\varepsilon` of the inputs (:mod:`softsym.inference.propose.fits.features`), the target function is
fitted far better if it has the symmetry. The marginal likelihood selects the share, and with the largest share that it does not exclude
the Lie derivative of the fit bounds the violation. Outputs that are not scalars are replaced by their invariant targets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from softsym.inference.propose.algebra.closure import orthonormal
from softsym.inference.propose.derivative import LieDerivative
from softsym.inference.propose.fits.features import Features
from softsym.inference.propose.fits.fit import KERNELS, RADIAL, Fit, best_kernel, centre_of, likelihood_of
from softsym.inference.propose.fits.invariant_polynomials import (
    AtDirections,
    Directions,
    Invariants,
    Polynomials,
    invariant_polynomials,
)
from softsym.inference.propose.fits.invariant_targets import InvariantTargets, invariant_targets
from softsym.inference.propose.fits.smooth import SmoothKernel
from softsym.inference.propose.matrix_action import Action
from softsym.typing import Array

LEANS = (1e-3, 0.01, 0.02, 0.04, 0.1, 0.3, 1.0)
"""Shares of the inputs that are tried."""
PROFILED = 300
"""Rows by which shares are compared."""
EXCLUDED = 2.7
"""Drop of the log likelihood from which a larger share is excluded: one-sided at one percent."""
SAME = 1e-9
"""Up to this matrices differ by rounding."""
FEATURES = 60
"""At most so many invariants are used."""


@dataclass(frozen=True, eq=False)
class InvariantFit:
    """A fit through the invariants of an algebra.

    Args:
        features: Of the inputs, with the most likely share.
        highest: The largest share that is not excluded.
        kernel: The most likely kernel.
        target: Columns of the invariant targets.
        T: These, scaled, (n, m).
        likelihood: Log marginal likelihood of the first rows, with the most likely share.
        invariant_targets: How they follow from the outputs.
        residual: Mean square of the part of the scaled outputs that they do not determine, and its number of dimensions.
    """

    features: Features
    highest: float
    fit: Fit
    target: Action
    T: Array
    likelihood: float
    invariant_targets: InvariantTargets
    residual: tuple[float, float]

    def refined(self, X: Array) -> InvariantFit:
        """The fit with the smallest share of the inputs, which has the symmetry."""
        features = self.features.leaning(LEANS[0])
        if self.features.lean == LEANS[0]:
            return self
        return replace(self, features=features, fit=Fit.of(features.values(X), self.T, [self.fit.kernel]))

    def undetected_bound(self, noise: float, signal: float, level: float) -> float:
        """Upper bound of the relative size of a part of the outputs that invariant targets do not determine and that is not noise.

        Args:
            noise: Variance of the noise of a scaled output.
            signal: Mean square of the scaled outputs.
            level: Chance that it is more.
        """
        square, dimensions = self.residual
        expected, freedom = noise * dimensions, max(1.0, len(self.T) * dimensions)
        error = float(norm.ppf(1 - level)) * expected * math.sqrt(2.0 / freedom)
        return math.sqrt(max(0.0, square - expected + error) / signal)

    def lie(self, basis: Array, X: Array, lean: float | None = None) -> LieDerivative:
        """The Lie derivative of the fit, with the most likely share or another."""
        if lean is None:
            return LieDerivative.of(self.fit, self.features, self.target, basis, X)
        features = self.features.leaning(lean)
        fit = Fit.of(features.values(X), self.T, [self.fit.kernel])
        return LieDerivative.of(fit, features, self.target, basis, X)


def fit_invariants(
    span: Array,
    source: Action,
    target: Action,
    X: Array,
    Y: Array,
    kernel: SmoothKernel | None = None,
    *,
    is_sharp: bool = False,
    is_bounded: bool = False,
) -> InvariantFit | None:
    """Fits rows (n, D) and (n, q) through the invariants of an algebra (k, d, d); None if it has none.

    Args:
        span: The algebra.
        source: The input columns.
        target: The output columns.
        X: Inputs.
        Y: Outputs.
        kernel: One that suits an algebra nearby; the most likely one if None.
        is_sharp: Whether the share of the inputs is the smallest, not the most likely one.
        is_bounded: Whether targets are products with directions of equivariant polynomials: for outputs that do not grow.
    """
    if source.affine:
        return None
    still = _still(source, span)
    moving = np.setdiff1d(np.arange(X.shape[1]), still)
    invariants = _invariants(span, source, moving)
    targets = (
        invariant_targets(
            span, source, target, moving, X, is_scaling=_is_scaling(span), is_bounded=is_bounded
        )
        if invariants
        else None
    )
    if targets is None:
        return None
    T = targets.values(X, Y)
    columns = targets.columns(T, target)
    scaled = columns.scaled(T)
    features = Features.of(source, X, invariants, still)
    features = replace(features, is_bent=targets.is_bounded, gain=targets.gain)
    few, values = X[:PROFILED], scaled[:PROFILED]
    if kernel is None:
        kernels = RADIAL if targets.is_bounded else KERNELS
        tried = [replace(one, has_gain=targets.gain is not None) for one in kernels]
        kernel = best_kernel(features.leaning(LEANS[0]).values(few), values, tried)[0]
    centred = values - centre_of(values, kernel)
    leans = LEANS[:1] if is_sharp else LEANS
    likelihoods = {lean: likelihood_of(kernel, features.leaning(lean).values(few), centred) for lean in leans}
    best = max(leans, key=lambda lean: likelihoods[lean])
    highest = max(lean for lean in leans if likelihoods[lean] > likelihoods[best] - EXCLUDED)
    features = features.leaning(best)
    return InvariantFit(
        features,
        highest,
        Fit.of(features.values(X), scaled, [kernel]),
        columns,
        scaled,
        likelihoods[best],
        targets,
        targets.residual(X, Y),
    )


def has_invariants(span: Array, source: Action) -> bool:
    """Whether an algebra (k, d, d) has invariant polynomials of a low degree, or invariant directions."""
    if source.affine:
        return False
    moving = np.setdiff1d(np.arange(len(source.unit)), _still(source, span))
    if _is_scaling(span) or _without_scaling(span) is not None:
        return bool(_invariants(span, source, moving))
    few = sum(len(invariant_polynomials(span, source, moving, p)) for p in (1, 2))
    return 0 < few <= FEATURES or bool(_polynomials(span, source, moving))


def _invariants(span: Array, source: Action, moving: NDArray[np.intp]) -> tuple[Invariants, ...]:
    """Invariants of an algebra, up to degree three if these are not too many; of scalings the direction of the input."""
    if _is_scaling(span):
        return (Directions(moving),) if np.all(_weights(source)[moving] == 1) else ()
    rotations = _without_scaling(span)
    if rotations is not None:
        if not np.all(_weights(source)[moving] == 1):
            return ()
        return tuple(AtDirections(one, Directions(moving)) for one in _polynomials(rotations, source, moving))
    return _polynomials(span, source, moving)


def _polynomials(span: Array, source: Action, moving: NDArray[np.intp]) -> tuple[Polynomials, ...]:
    found = [one for one in (invariant_polynomials(span, source, moving, p) for p in (1, 2, 3)) if len(one)]
    if sum(map(len, found)) > FEATURES:
        found = [one for one in found if one.exponents.shape[1] <= 2]
    return tuple(found) if sum(map(len, found)) <= FEATURES else ()


def _without_scaling(span: Array) -> Array | None:
    """The rotations (k - 1, d, d) of an algebra that consists of these and all multiples of the identity; None for others."""
    one = np.eye(span.shape[-1]) / math.sqrt(span.shape[-1])
    shares = np.tensordot(span, one, 2)
    if float(shares @ shares) < 1.0 - SAME:
        return None
    rest = orthonormal(span - shares[:, None, None] * one)
    return rest if np.abs(rest + rest.swapaxes(1, 2)).max() < SAME else None


def _is_scaling(span: Array) -> bool:
    return len(span) == 1 and bool(np.allclose(span[0], span[0, 0, 0] * np.eye(len(span[0]))))


def _weights(action: Action) -> Array:
    """By which power of a scaling each column grows."""
    return np.asarray(np.diagonal(action.rates(np.eye(action.dim)[None])[0]))


def _still(source: Action, span: Array) -> NDArray[np.intp]:
    return np.flatnonzero(np.abs(source.rates(span)).sum(axis=(0, 2)) == 0)
