r"""How exactly one symmetry holds: the likelihood as a function of the part that does not have it.

The unconstrained kernel is the sum of a part with the symmetry and its complement, :math:`k I = K_G + K_\perp`. Both scaled to unit mean
diagonal, the prior

.. math:: K(a) = (1 - a^2)\, K_G + a^2\, K_\perp

has a share :math:`a^2` of its variance in functions without the symmetry. The log marginal likelihood is profiled over a, the scale
and noise of every block maximised out. Its maximum against a = 0 says whether the symmetry is exact (twice the difference
is a half-half mixture of 0 and chi^2(1) if it is); the a within 1.92 of the maximum are a 95 % confidence interval. What is reported is
the *relative violation* of the function itself, :math:`|f_\perp| / |f|` over the rows, from the posterior at these a.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator

from softsym.inference.kernels import EquivariantKernel, Kernel, repeated
from softsym.inference.kernels.kernel_blocks import Block
from softsym.inference.likelihood.marginal import (
    Conditioned,
    Spectrum,
    best_noise,
    roots_of,
    scale_by_weights,
)
from softsym.typing import Array, Index

RowGroups = Index | None
START = (0.97, 0.5, 0.2, 0.07, 0.02, 0.0)
"""Values of a at which the likelihood is computed first."""
REFINEMENTS = 5
"""How often it is computed again where its maximum or the ends of its interval lie."""
FINEST = 1e-3
"""Below this a, a part without the symmetry is taken for none."""
DROP = 1.92
"""Half the 95 % quantile of chi^2(1)."""
Z_95 = 1.96
"""Standard errors of a 95 % interval."""
TRIVIAL = 1e-9
"""Share of the kernel below which nothing is left of it."""


@dataclass(frozen=True, eq=False)
class Profile:
    """The profile likelihood of one group.

    Args:
        shares: Values of a, the first 0.
        values: Log marginal likelihood at each.
        unconstrained: Log marginal likelihood of the unconstrained kernel.
        best: The most likely a.
        share_interval: The a within 1.92 of the maximum.
        asymmetry: Relative violation of the posterior at the best a.
        interval: Its 95 % confidence interval.
        errors: Mean squared leave-one-out error, as a share of the outputs' variance: with the symmetry exactly, softly, not at all.
        is_trivial: Whether every function has the symmetry.
        kept: The share of the unconstrained kernel that has the symmetry.
    """

    shares: Array
    values: Array
    unconstrained: float
    best: float
    share_interval: tuple[float, float]
    asymmetry: float
    interval: tuple[float, float]
    errors: tuple[float, float, float]
    is_trivial: bool = False
    kept: float = 1.0

    @property
    def log_evidence(self) -> float:
        """Of exact symmetry against none."""
        return float(self.values[0] - self.unconstrained)

    @property
    def against(self) -> float:
        """How much more likely the best a is than exact symmetry, as a logarithm."""
        return float(self.values.max() - self.values[0])


@dataclass(frozen=True, eq=False)
class _Pair:
    """One block's kernels, scaled, and its outputs, all times the roots of the rows' weights."""

    block: Block
    exact: Array
    rest: Array
    Y: Array
    roots: Array

    def signal(self, a: float) -> Array:
        return (1.0 - a * a) * self.exact + a * a * self.rest


def profile(
    candidate: EquivariantKernel,
    kernel: Kernel,
    blocks: Sequence[Block],
    X: Array,
    Y: Array,
    unconstrained: UnconstrainedFit,
    row_groups: RowGroups = None,
    weights: Array | None = None,
) -> Profile:
    """Profiles one group.

    Args:
        candidate: The group's kernel.
        kernel: The base kernel.
        blocks: Blocks of the outputs that the group does not mix; only those that are not zero.
        X: Scaled inputs (n, d).
        Y: Scaled outputs (n, outputs).
        unconstrained: The fit without symmetry.
        row_groups: Labels of the rows, shape (n,), if rows are dependent.
        weights: Weights of the rows (n,).
    """
    (grams,) = candidate.grams([kernel], blocks, X)
    pairs, kept = [], []
    wholes = [repeated(unconstrained.gram, block.size) for block in blocks]
    complements = candidate.complements(grams, wholes, X)
    for block, gram, whole, rest in zip(blocks, grams, wholes, complements, strict=True):
        kept.append(float(np.trace(gram) / np.trace(whole)))
        roots = roots_of(weights, block.size)
        exact, other = (scale_by_weights(_unit(part, whole), roots) for part in (gram, rest))
        pairs.append(_Pair(block, exact, other, block.read(Y) * roots, roots))
    if candidate.is_projection and min(kept) > 1.0 - TRIVIAL:
        value = unconstrained.value
        return Profile(
            np.zeros(1), np.array([value]), value, 0.0, (0.0, 0.0), 0.0, (0.0, 0.0), (unconstrained.error,) * 3, is_trivial=True
        )  # fmt: skip
    share = float(np.average(kept, weights=[pair.Y.size for pair in pairs]))
    return _profile_shares(pairs, unconstrained, row_groups, share if candidate.is_projection else 0.0)


def _profile_shares(
    pairs: list[_Pair], unconstrained: UnconstrainedFit, row_groups: RowGroups, kept: float
) -> Profile:
    power = sum(float(np.sum(pair.Y**2)) for pair in pairs)
    path = _Path(pairs, unconstrained.noise)
    for a in START:
        path.at(a)
    for _ in range(REFINEMENTS):
        wanted = _next_share(*path.curve())
        if wanted is None:
            break
        path.at(wanted)
    shares, heights = path.curve()
    best = float(shares[heights.argmax()])
    low, high = _within(shares, heights)
    fits = path.at(best)
    estimate, lower, upper = _violation(pairs, fits, best)
    if low > 0:
        lower *= low / best
    if high > best:
        upper = max(upper, _violation(pairs, path.at(high), high)[2])
    exact = _leave_out_error(pairs, path.at(0.0), row_groups) / power
    soft = exact if best == 0 else _leave_out_error(pairs, fits, row_groups) / power
    return Profile(
        *path.curve(), unconstrained.value, best, (low, high), estimate if best > 0 else 0.0,
        (lower if low > 0 else 0.0, upper), (exact, soft, unconstrained.error), kept=kept,
    )  # fmt: skip


class _Path:
    """The likelihood along a, computed on request; matrices are kept only where they will be needed."""

    def __init__(self, pairs: list[_Pair], noise: float) -> None:
        self.pairs, self.first = pairs, noise
        self.values: dict[float, float] = {}
        self.noises: dict[float, list[float]] = {}
        self.kept: dict[float, list[Conditioned]] = {}

    def at(self, a: float) -> list[Conditioned]:
        """The conditioned GP of every block at one a; the search for its noise starts from that of the nearest known a."""
        if a in self.kept:
            return self.kept[a]
        near = min(self.noises, key=lambda known: abs(known - a), default=None)
        guesses = [self.first] * len(self.pairs) if near is None else self.noises[near]
        fits = [
            best_noise(pair.signal(a), pair.Y, guess) for pair, guess in zip(self.pairs, guesses, strict=True)
        ]
        self.values[a] = sum(fit.value for fit in fits)
        self.noises[a] = [fit.noise for fit in fits]
        if a == 0.0 or self.values[a] >= max(self.values.values()) - DROP:
            self.kept[a] = fits
        top = max(self.values, key=lambda known: self.values[known])
        self.kept = {key: value for key, value in self.kept.items() if key in (0.0, top, a)}
        return fits

    def curve(self) -> tuple[Array, Array]:
        """All a so far in order, and their likelihoods."""
        shares = sorted(self.values)
        return np.array(shares), np.array([self.values[a] for a in shares])


def _next_share(shares: Array, values: Array) -> float | None:
    """Where the likelihood should be computed next: next to the maximum, then where it leaves the interval; None if it is known well."""
    top = int(values.argmax())
    floor = values[top] - DROP
    inside = np.flatnonzero(values >= floor)
    gaps = [k for k in (inside[-1], inside[0] - 1, top, top - 1) if 0 <= k < len(shares) - 1]
    for k in gaps:
        low, high = max(shares[k], FINEST), shares[k + 1]
        # Ends of the interval to a factor of 1.5, and no steep slope next to the maximum.
        if high / low > 1.5 and (k != top or values[k] - values[k + 1] > 0.1):
            return float(math.sqrt(low * high)) if shares[k] > 0 or high > 2 * FINEST else None
    return None


def _within(shares: Array, values: Array) -> tuple[float, float]:
    """Ends of the set of a whose likelihood is within :data:`DROP` of the highest, between computed ones by interpolation."""
    position = np.log(np.maximum(shares, FINEST / 2))
    curve = PchipInterpolator(position, values)
    fine = np.linspace(position[0], position[-1], 2001)
    inside = np.flatnonzero(curve(fine) >= values.max() - DROP)
    low, high = np.exp(fine[inside[[0, -1]]])
    return 0.0 if inside[0] == 0 else float(low), float(high)


def _violation(pairs: list[_Pair], fits: list[Conditioned], a: float) -> tuple[float, float, float]:
    """The size of the part without the symmetry over that of the whole, with ends of an interval.

    The ends take in the posterior's own uncertainty (the upper one) and that the rows are a sample (both; the delta method).
    """
    n = len(pairs[0].Y) // pairs[0].block.size
    rest, whole, variance_sum = np.zeros(n), np.zeros(n), 0.0
    for pair, fit in zip(pairs, fits, strict=True):
        part = a * a * pair.rest
        rest += _by_row((part @ fit.alpha / pair.roots) ** 2, n)
        whole += _by_row(((pair.Y - fit.noise * fit.alpha) / pair.roots) ** 2, n)
        variance = fit.posterior_variances(part) / pair.roots[:, 0] ** 2 if a > 0 else np.zeros(1)
        variance_sum += fit.scale * float(variance.sum()) * pair.Y.shape[1]
    total = float(whole.sum())
    if not total > 0:
        return 1.0, 0.0, 1.0
    share = float(rest.sum()) / total
    error = Z_95 * math.sqrt(float(np.sum((rest - share * whole) ** 2))) / total
    with_variance = share + variance_sum / total
    ends = (with_variance / (1 + variance_sum / total), max(share - error, 0.0), with_variance + error)
    return tuple(min(1.0, math.sqrt(end)) for end in ends)  # type: ignore[return-value]


def _by_row(squares: Array, n: int) -> Array:
    """Sums over coordinates and copies of each row, shape (n,)."""
    return np.asarray(squares.reshape(-1, n, squares.shape[1]).sum(axis=(0, 2)))


def _leave_out_error(pairs: list[_Pair], fits: list[Conditioned], row_groups: RowGroups) -> float:
    return sum(
        float(np.sum(fit.leave_out_errors(pair.block.size, row_groups) ** 2))
        for pair, fit in zip(pairs, fits, strict=True)
    )


def _unit(gram: Array, whole: Array) -> Array:
    """A Gram matrix of unit mean diagonal; one that is nothing but rounding is zero."""
    size = float(np.trace(gram))
    return np.zeros_like(gram) if size <= TRIVIAL * float(np.trace(whole)) else gram * (len(gram) / size)


@dataclass(frozen=True, eq=False)
class UnconstrainedFit:
    """The fit of an unconstrained kernel.

    Args:
        gram: Its Gram matrix (n, n), not scaled.
        noise: Noise relative to the signal.
        value: Log marginal likelihood of all blocks.
        error: Mean squared leave-one-out error as a share of the outputs' variance.
    """

    gram: Array
    noise: float
    value: float
    error: float

    @classmethod
    def fit(
        cls,
        kernel: Kernel,
        blocks: Sequence[Block],
        X: Array,
        Y: Array,
        row_groups: RowGroups = None,
        weights: Array | None = None,
    ) -> UnconstrainedFit:
        """All blocks from one factorisation each: k I is a Kronecker product."""
        gram = kernel.gram(X, X)
        roots = roots_of(weights)
        unit = scale_by_weights(gram * (len(gram) / np.trace(gram)), roots)
        value = error = power = 0.0
        noises = []
        for block in blocks:
            outputs = (
                block.read(Y).reshape(block.size, len(X), -1).transpose(1, 0, 2).reshape(len(X), -1) * roots
            )
            noise, height = Spectrum.of(unit, outputs).best()
            fit = best_noise(unit, outputs, noise)
            noises.append(noise)
            value, error = value + height, error + float(np.sum(fit.leave_out_errors(1, row_groups) ** 2))
            power += float(np.sum(outputs**2))
        return cls(gram, float(np.exp(np.mean(np.log(noises)))), value, error / power)
