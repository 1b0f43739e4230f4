r"""How exactly one symmetry holds: the likelihood as a function of the part that does not have it.

The kernel without symmetry falls into the part that has it and the rest, :math:`k I = K_G + K_\perp`. Both scaled to unit mean
diagonal, the prior

.. math:: K(a) = (1 - a^2)\, K_G + a^2\, K_\perp

has a share :math:`a^2` of its variance in functions without the symmetry. The log marginal likelihood is profiled over a, the scale
and noise of every block maximised out. Its maximum against a = 0 says whether the symmetry is exact (twice the difference
is a half-half mixture of 0 and chi^2(1) if it is); the a within 1.92 of the maximum are a 95 % interval. What is reported is
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
from softsym.inference.likelihood.marginal import Conditioned, Spectrum, best_noise, counted, roots_of
from softsym.typing import Array, Index

Sources = Index | None
START = (0.97, 0.5, 0.2, 0.07, 0.02, 0.0)
"""Values of a at which the likelihood is computed first."""
REFINEMENTS = 5
"""How often it is computed again where its maximum or the ends of its interval lie."""
FINEST = 1e-3
"""Below this a, a part without the symmetry is not told from none."""
DROP = 1.92
"""Half the 95 % quantile of chi^2(1)."""
SPREAD = 1.96
"""Standard errors of a 95 % interval."""
TRIVIAL = 1e-9
"""Share of the kernel below which nothing is left of it."""


@dataclass(frozen=True, eq=False)
class Profile:
    """What the likelihood says about one group.

    Args:
        shares: Values of a, the first 0.
        values: Log marginal likelihood at each.
        plain: Log marginal likelihood of the kernel without symmetry.
        best: The most likely a.
        share_interval: The a within 1.92 of the maximum.
        asymmetry: Relative violation of the posterior at the best a.
        interval: Its 95 % interval.
        errors: Mean squared leave-one-out error, as a share of the outputs' variance: with the symmetry exactly, softly, not at all.
        is_trivial: Whether every function has the symmetry.
        kept: The share of the kernel without symmetry that has it.
    """

    shares: Array
    values: Array
    plain: float
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
        return float(self.values[0] - self.plain)

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
    plain: Plainly,
    sources: Sources = None,
    weights: Array | None = None,
) -> Profile:
    """Profiles one group.

    Args:
        candidate: The group's kernel.
        kernel: The base kernel.
        blocks: Blocks of the outputs that the group does not mix; only those that are not zero.
        X: Scaled inputs (n, d).
        Y: Scaled outputs (n, outputs).
        plain: The same without symmetry.
        sources: Labels of the rows, shape (n,), if rows belong together.
        weights: How much every row counts (n,).
    """
    (grams,) = candidate.grams([kernel], blocks, X)
    pairs, kept = [], []
    wholes = [repeated(plain.gram, block.size) for block in blocks]
    rests = candidate.rests(grams, wholes, X)
    for block, gram, whole, rest in zip(blocks, grams, wholes, rests, strict=True):
        kept.append(float(np.trace(gram) / np.trace(whole)))
        roots = roots_of(weights, block.size)
        exact, other = (counted(_unit(part, whole), roots) for part in (gram, rest))
        pairs.append(_Pair(block, exact, other, block.read(Y) * roots, roots))
    if candidate.is_projection and min(kept) > 1.0 - TRIVIAL:
        value = plain.value
        return Profile(
            np.zeros(1), np.array([value]), value, 0.0, (0.0, 0.0), 0.0, (0.0, 0.0), (plain.error,) * 3, is_trivial=True
        )  # fmt: skip
    share = float(np.average(kept, weights=[pair.Y.size for pair in pairs]))
    return _profiled(pairs, plain, sources, share if candidate.is_projection else 0.0)


def _profiled(pairs: list[_Pair], plain: Plainly, sources: Sources, kept: float) -> Profile:
    power = sum(float(np.sum(pair.Y**2)) for pair in pairs)
    path = _Path(pairs, plain.noise)
    for a in START:
        path.at(a)
    for _ in range(REFINEMENTS):
        wanted = _worth_knowing(*path.curve())
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
    exact = _left_out(pairs, path.at(0.0), sources) / power
    soft = exact if best == 0 else _left_out(pairs, fits, sources) / power
    return Profile(
        *path.curve(), plain.value, best, (low, high), estimate if best > 0 else 0.0,
        (lower if low > 0 else 0.0, upper), (exact, soft, plain.error), kept=kept,
    )  # fmt: skip


class _Path:
    """The likelihood along a, computed where it is asked for; matrices are kept only where they will be needed."""

    def __init__(self, pairs: list[_Pair], noise: float) -> None:
        self.pairs, self.first = pairs, noise
        self.values: dict[float, float] = {}
        self.noises: dict[float, list[float]] = {}
        self.kept: dict[float, list[Conditioned]] = {}

    def at(self, a: float) -> list[Conditioned]:
        """The process of every block at one a, its noise found from that of the nearest a known."""
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


def _worth_knowing(shares: Array, values: Array) -> float | None:
    """Where the likelihood should be computed next: beside the maximum, then where it leaves the interval; None if known well."""
    top = int(values.argmax())
    floor = values[top] - DROP
    inside = np.flatnonzero(values >= floor)
    gaps = [k for k in (inside[-1], inside[0] - 1, top, top - 1) if 0 <= k < len(shares) - 1]
    for k in gaps:
        low, high = max(shares[k], FINEST), shares[k + 1]
        # Ends of the interval to a factor of 1.5, and no steep slope beside the maximum.
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
    rest, whole, spread = np.zeros(n), np.zeros(n), 0.0
    for pair, fit in zip(pairs, fits, strict=True):
        part = a * a * pair.rest
        rest += _by_row((part @ fit.alpha / pair.roots) ** 2, n)
        whole += _by_row(((pair.Y - fit.noise * fit.alpha) / pair.roots) ** 2, n)
        variance = fit.spread_of(part) / pair.roots[:, 0] ** 2 if a > 0 else np.zeros(1)
        spread += fit.scale * float(variance.sum()) * pair.Y.shape[1]
    total = float(whole.sum())
    if not total > 0:
        return 1.0, 0.0, 1.0
    share = float(rest.sum()) / total
    error = SPREAD * math.sqrt(float(np.sum((rest - share * whole) ** 2))) / total
    with_spread = share + spread / total
    ends = (with_spread / (1 + spread / total), max(share - error, 0.0), with_spread + error)
    return tuple(min(1.0, math.sqrt(end)) for end in ends)  # type: ignore[return-value]


def _by_row(squares: Array, n: int) -> Array:
    """Sums over coordinates and copies of each row, shape (n,)."""
    return np.asarray(squares.reshape(-1, n, squares.shape[1]).sum(axis=(0, 2)))


def _left_out(pairs: list[_Pair], fits: list[Conditioned], sources: Sources) -> float:
    return sum(
        float(np.sum(fit.left_out(pair.block.size, sources) ** 2))
        for pair, fit in zip(pairs, fits, strict=True)
    )


def _unit(gram: Array, whole: Array) -> Array:
    """A Gram matrix of unit mean diagonal; one that is nothing but rounding is zero."""
    size = float(np.trace(gram))
    return np.zeros_like(gram) if size <= TRIVIAL * float(np.trace(whole)) else gram * (len(gram) / size)


@dataclass(frozen=True, eq=False)
class Plainly:
    """What a kernel without symmetry makes of the data.

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
    def of(
        cls,
        kernel: Kernel,
        blocks: Sequence[Block],
        X: Array,
        Y: Array,
        sources: Sources = None,
        weights: Array | None = None,
    ) -> Plainly:
        """All blocks from one factorisation each: k I is a Kronecker product."""
        gram = kernel.gram(X, X)
        roots = roots_of(weights)
        unit = counted(gram * (len(gram) / np.trace(gram)), roots)
        value = error = power = 0.0
        noises = []
        for block in blocks:
            outputs = (
                block.read(Y).reshape(block.size, len(X), -1).transpose(1, 0, 2).reshape(len(X), -1) * roots
            )
            noise, height = Spectrum.of(unit, outputs).best()
            fit = best_noise(unit, outputs, noise)
            noises.append(noise)
            value, error = value + height, error + float(np.sum(fit.left_out(1, sources) ** 2))
            power += float(np.sum(outputs**2))
        return cls(gram, float(np.exp(np.mean(np.log(noises)))), value, error / power)
