r"""The plane of a reflection.

If the target function has the reflection h, the part of its outputs that :math:`\rho_{out}(h)` fixes is even in the inputs, with the
kernel :math:`k(x, x') + k(x, h x')`, and the part that it reverses an odd one, with :math:`k(x, x') - k(x, h x')`. So the rows have a
likelihood under each reflection. A plane in round numbers is taken where its likelihood is not significantly lower.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from softsym.inference.propose.fits.invariant_fit import EXCLUDED
from softsym.inference.propose.fits.noise import best_noise
from softsym.inference.propose.fits.smooth import SmoothKernel
from softsym.inference.propose.matrix_action import Action
from softsym.typing import Array

ROWS = 200
"""By which planes are compared."""
LARGEST = 3
"""Largest number of a direction in round numbers."""
NEARBY = math.cos(math.radians(3.0))
"""Cosine of the angle within which directions in round numbers are compared."""


def reflection(normal: Array) -> Array:
    """The matrix (d, d) of the reflection whose plane is perpendicular to a direction (d,)."""
    unit = normal / np.linalg.norm(normal)
    return np.asarray(np.eye(len(unit)) - 2 * np.outer(unit, unit))


def reflection_likelihood(
    normal: Array, kernel: SmoothKernel, source: Action, target: Action, X: Array, Y: Array
) -> float:
    """Log marginal likelihood of rows (n, D) and (n, q) under a reflection, noise and scale of each part at their best."""
    h = reflection(normal)
    X, Y = X[:ROWS], Y[:ROWS] / target.unit
    here, there = X / source.unit, source.transform(h, X) / source.unit
    same, reflected = kernel.gram(here, here), kernel.gram(here, there)
    signs, vectors = np.linalg.eigh(target.matrix(h))
    even, odd = Y @ vectors[:, signs > 0], Y @ vectors[:, signs < 0]
    parts = ((same + reflected, even - even.mean(axis=0)), (same - reflected, odd))
    return sum(best_noise(gram / 2, part)[2] for gram, part in parts if part.shape[1])


def refined_normal(
    normal: Array, kernel: SmoothKernel, source: Action, target: Action, X: Array, Y: Array
) -> Array:
    """The normal (d,) near to one with the most likely reflection, in round numbers where these are not significantly less likely.

    Example:
        >>> import numpy as np, softsym as ss
        >>> from softsym.inference.propose.matrix_action import actions
        >>> from softsym.inference.propose.fits.smooth import Polynomial
        >>> X = np.random.default_rng(0).standard_normal((100, 2))
        >>> Y = X[:, :1] * X[:, 1:] + X[:, :1] + X[:, 1:]
        >>> rows = (*actions(X, Y, ss.rep("V"), ss.rep("S")), X, Y)
        >>> refined_normal(np.array([0.72, -0.69]), SmoothKernel(Polynomial(2)), *rows)
        array([ 1., -1.])
    """

    def likelihood(direction: Array) -> float:
        return reflection_likelihood(direction, kernel, source, target, X, Y)

    best = _ascend(normal / np.linalg.norm(normal), likelihood)
    enough = likelihood(best) - EXCLUDED
    return next((one for one in _round_directions(best) if likelihood(one) >= enough), best)


def _ascend(unit: Array, likelihood: Callable[[Array], float]) -> Array:
    across = np.linalg.svd(unit[None])[2][1:]  # steps along the sphere

    def there(steps: Array) -> Array:
        return np.asarray(unit + steps @ across)

    first = np.concatenate([np.zeros((1, len(across))), 0.01 * np.eye(len(across))])
    options = {"xatol": 1e-7, "fatol": 1e-2, "maxfev": 100, "initial_simplex": first}
    found = minimize(lambda steps: -likelihood(there(steps)), first[0], method="Nelder-Mead", options=options)
    best = there(found.x)
    return np.asarray(best / np.linalg.norm(best))


def _round_directions(unit: Array) -> list[Array]:
    """Directions of small whole numbers near to one (d,), those of the smallest numbers first."""
    if len(unit) > 3:
        return []
    numbers = itertools.product(range(-LARGEST, LARGEST + 1), repeat=len(unit))
    whole = [np.array(one, dtype=np.float64) for one in numbers if math.gcd(*one) == 1]
    near = [one for one in whole if unit @ one > NEARBY * np.linalg.norm(one)]
    return sorted(near, key=lambda one: float(np.linalg.norm(one)))
