r"""The noise under which outputs are most likely.

:math:`K = Q T Q'` with a tridiagonal T takes a fraction of the time of an eigendecomposition, and then :math:`T + \lambda I` is factored
and solved in linear time for every noise :math:`\lambda` that is tried. Reflections go through the whole matrix once for each row, which
is slow where it does not stay in the cache; so with more rows the first ones give a start for a search by Cholesky factors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.lapack import dormqr, dpttrf, dpttrs, dsytrd, dsytrd_lwork

from softsym.typing import Array

NOISES = np.logspace(-9, 1, 31)
"""Ratios of noise to the mean eigenvalue that are tried; the smallest is what rounding leaves."""
CACHED = 300
"""So many rows are reflected."""
NoiseFit = tuple[float, float, float]
"""Noise, signal variance and log likelihood."""


def best_noise(gram: Array, Y: Array) -> NoiseFit:
    """Noise, signal variance and log marginal likelihood at its maximum, of outputs (n, q) under a matrix (n, n).

    Example:
        >>> import numpy as np
        >>> Y = np.random.default_rng(0).standard_normal((50, 1))
        >>> noise, scale, _ = best_noise(np.eye(50), Y)
        >>> bool(np.isclose((1 + noise) * scale, np.mean(Y**2)))
        True
    """
    noises = NOISES * max(float(np.trace(gram)) / len(gram), 1e-300)
    first = _reflected(gram[:CACHED, :CACHED], Y[:CACHED], noises)
    return first if len(gram) <= CACHED else _ascend(partial(_factored, gram, Y), noises, first[0])


def _reflected(gram: Array, Y: Array, noises: Array) -> NoiseFit:
    """The best of all noises: every third, then those near the best of them."""
    diagonal, off_diagonal, rotated = _tridiagonal(gram, Y)

    def at(noise: float) -> NoiseFit:
        factors, lower, failed = dpttrf(diagonal + noise, off_diagonal)
        if failed:  # rounding made it indefinite: such a noise cannot be compared
            return noise, 1.0, -math.inf
        square = float(np.sum(rotated * dpttrs(factors, lower, rotated)[0]))
        return _noise_fit(noise, square, float(np.log(factors).sum()), Y)

    return _ascend(at, noises, max(map(at, noises[::3].tolist()), key=lambda fit: fit[2])[0])


def _ascend(at: Callable[[float], NoiseFit], noises: Array, start: float) -> NoiseFit:
    """The best noise that steps upwards from one lead to."""
    seen: dict[int, NoiseFit] = {}
    place = int(np.abs(np.log(noises) - math.log(start)).argmin())
    while True:
        near = [p for p in (place, place - 1, place + 1) if 0 <= p < len(noises)]
        seen.update((p, at(float(noises[p]))) for p in near if p not in seen)
        best = max(near, key=lambda p: seen[p][2])
        if best == place:
            return seen[place]
        place = best


def _factored(gram: Array, Y: Array, noise: float) -> NoiseFit:
    noisy = gram.copy()
    noisy[np.diag_indices(len(gram))] += noise
    try:
        factor = cholesky(noisy, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return noise, 1.0, -math.inf
    solved = cho_solve((factor, True), Y, check_finite=False)
    return _noise_fit(noise, float(np.sum(Y * solved)), 2.0 * float(np.log(np.diag(factor)).sum()), Y)


def _noise_fit(noise: float, square: float, logdet: float, Y: Array) -> NoiseFit:
    n, q = Y.shape
    scale = max(square / (n * q), 1e-300)
    return float(noise), scale, -0.5 * q * (n * math.log(scale) + logdet)


def _tridiagonal(gram: Array, Y: Array) -> tuple[Array, Array, Array]:
    """Diagonal (n,) and off-diagonal (n - 1,) of T, and Q'Y."""
    n = len(gram)
    reflectors, diagonal, off_diagonal, factors, _ = dsytrd(
        gram, lower=1, lwork=int(dsytrd_lwork(n, lower=1)[0])
    )
    rotated = np.array(Y, order="F")
    reflectors = np.asfortranarray(reflectors[1:, :-1])
    rotated[1:] = dormqr("L", "T", reflectors, factors, rotated[1:], lwork=64 * Y.shape[1])[0]
    return diagonal, off_diagonal, rotated
