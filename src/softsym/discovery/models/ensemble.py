r"""A convex combination of rungs, weighted by what validation rows say.

With errors :math:`e_k` of rung k on validation rows, weights :math:`w_k \ge 0, \sum_k w_k = 1` minimise
:math:`\lVert \sum_k w_k e_k \rVert^2`. Where one rung is much better than the others it is taken alone; where several are about as
good, their mixture is safer than a choice that a few rows decide.

Reference:
    Stacked regressions (Breiman, 1996), https://doi.org/10.1007/BF00117832
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from softsym.discovery.models.protocol import Rung
from softsym.typing import Array

LEAST = 0.05
"""A rung with a smaller part in the combination is left out."""


@dataclass(frozen=True, eq=False)
class Part:
    """One rung of a blend.

    Args:
        weight: Its weight.
        early: The rung as it was fitted to training rows, which is what may be judged by other rows.
        final: The same fitted to all rows, which is what predicts.
    """

    weight: float
    early: Rung
    final: Rung

    @property
    def name(self) -> str:
        """The rung's."""
        return self.early.name


@dataclass(frozen=True, eq=False)
class Blend:
    """Rungs that predict together.

    Args:
        parts: The heaviest first.
    """

    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The heaviest rung's."""
        return self.parts[0].name

    @property
    def weights(self) -> dict[str, float]:
        """By name, the heaviest first."""
        return {part.name: part.weight for part in self.parts}

    @property
    def has(self) -> tuple[str, ...]:
        """Groups that all parts have exactly."""
        first, *rest = (part.early.has for part in self.parts)
        return tuple(name for name in first if all(name in other for other in rest))

    def early(self, X: Array) -> Array:
        """What training rows alone predict, (n, outputs)."""
        return np.asarray(sum(part.weight * part.early(X) for part in self.parts))

    def __call__(self, X: Array) -> Array:
        """What all rows predict, (n, outputs)."""
        return np.asarray(sum(part.weight * part.final(X) for part in self.parts))

    def spread(self, X: Array, *, early: bool = False) -> Array:
        """Standard deviations (n, outputs) of the mixture: what parts say of themselves, and how they differ."""
        rungs = [part.early if early else part.final for part in self.parts]
        if len(rungs) == 1:
            return rungs[0].spread(X)
        means, weights = np.stack([rung(X) for rung in rungs]), np.array([part.weight for part in self.parts])
        spreads = np.stack([rung.spread(X) for rung in rungs])
        variance = np.tensordot(weights, spreads**2 + (means - np.tensordot(weights, means, 1)) ** 2, 1)
        return np.asarray(np.sqrt(variance))

    def refitted(self, X: Array, Y: Array, weights: Array | None = None) -> Blend:
        """With the final form of every part fitted to these rows, each counting as its weight says."""
        return Blend(
            tuple(Part(part.weight, part.early, part.early.on(X, Y, weights)) for part in self.parts)
        )


def convex_weights(errors: Sequence[Array]) -> Array:
    """Weights (k,) of k models from their errors on the same rows, each (n, outputs).

    Example:
        >>> rng = np.random.default_rng(0)
        >>> first, second = rng.standard_normal((2, 500, 1))
        >>> convex_weights([first, second, 10 * first]).round(1)
        array([0.5, 0.5, 0. ])
        >>> convex_weights([1e-9 * first, second])
        array([1., 0.])
    """
    flat = np.stack([error.ravel() for error in errors], axis=1)
    flat = np.where(np.isfinite(flat), flat, 1e150)  # a model that diverged is not taken
    best = int(np.argmin(np.sum(np.square(flat / (np.abs(flat).max() or 1.0)), axis=0)))
    steps = np.delete(flat, best, axis=1) - flat[:, [best]]
    sizes = np.linalg.norm(steps / (np.abs(steps).max(initial=0.0) or 1.0), axis=0) * (
        np.abs(steps).max(initial=0.0) or 1.0
    )
    useful = sizes > 0
    others = np.zeros(steps.shape[1])
    if useful.any():
        others[useful] = nnls(steps[:, useful] / sizes[useful], -flat[:, best])[0] / sizes[useful]
    weights = np.insert(others, best, max(0.0, 1.0 - float(others.sum())))
    weights /= weights.sum()
    weights[weights < LEAST] = 0.0
    return np.asarray(weights / weights.sum())


def blended(rungs: Sequence[Rung], X: Array, Y: Array, weights: Array | None = None) -> Blend:
    """The blend that suits validation rows best, its final form as its early one.

    Args:
        rungs: What may take part.
        X: Validation inputs (n, inputs).
        Y: Validation outputs (n, outputs).
        weights: How much every row counts (n,).
    """
    roots = 1.0 if weights is None else np.sqrt(weights)[:, None]
    shares = convex_weights([roots * (rung(X) - Y) for rung in rungs])
    order = np.argsort(-shares, kind="stable")
    return Blend(tuple(Part(float(shares[k]), rungs[k], rungs[k]) for k in order if shares[k] > 0))


def alone(rung: Rung) -> Blend:
    """One rung by itself."""
    return Blend((Part(1.0, rung, rung),))
