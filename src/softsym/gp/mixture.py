r"""A sum of Gaussian processes, one for each symmetry, as one regression: which parts there are, and how large each is.

.. math:: f = \sum_c f_c , \qquad f_c = \Phi_c\, \alpha_c , \quad \alpha_c \sim N(0, \tau_c^2) , \qquad y = f + \text{noise} .

Prior variances and the noise maximise the marginal likelihood, which depends on the rows through sums alone; each variance is updated to
the mean square of its weights over their effective number (MacKay, 1992).

Reference:
    Bayesian Interpolation (MacKay, 1992), https://doi.org/10.1162/neco.1992.4.3.415
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.linalg.lapack import dtrtri

from softsym.gp.arrays import stored
from softsym.gp.features import Part, combine, count_features, count_sums, is_unconstrained, scale_parts, write_out
from softsym.gp.regression import LEAST_RIDGE, ROUNDING, Statistics, add
from softsym.typing import Array, Index

ITERATIONS, STILL = 30, 0.02
"""Updates of the variances at most, and the change of their logarithms below which they end."""
LARGEST_RIDGE = 1e8  # a component with a larger ridge, relative to its features, takes no part
CHUNK = 2_000_000  # numbers in the features of one chunk of rows


@stored
@dataclass(frozen=True, eq=False)
class Component:
    """One part of the sum."""

    features: Any  # its feature map
    groups: tuple[str, ...] = ()  # names of the groups whose symmetry it has


@stored
@dataclass(frozen=True, eq=False)
class BlockModel:
    """A fitted sum for the outputs of one type, which are scaled."""

    columns: Index  # of the outputs (copies, q)
    components: tuple[Component, ...]
    ridges: Array  # of each component, noise over prior variance
    weights: Array  # posterior means (features, copies)
    factor: Array  # upper Cholesky factor of the information (features, features), of one coordinate where all have the same features
    noise: Array  # variance of a coordinate of each copy (copies,)
    log_likelihood: float  # marginal
    sizes: Array  # root mean square of each component's mean over the rows, over that of the outputs

    def parts(self, rows: Any) -> list[Part]:
        """Features of scaled rows."""
        return [part for each in self.components for part in each.features(rows)]

    def mean(self, rows: Any) -> Any:
        """Scaled outputs (n, q, copies) of scaled rows (n, inputs)."""
        return combine(self.parts(rows), self.weights, self.columns.shape[1])

    def variance(self, rows: Array) -> Array:
        """Posterior variance over that of the noise (n, q)."""
        q, parts = self.columns.shape[1], self.parts(rows)
        is_shared = is_unconstrained(parts)
        features = parts[0][1] if is_shared else write_out(parts, q).reshape(len(rows) * q, -1)
        solved = solve_triangular(self.factor, features.T, trans="T", check_finite=False)
        squares = (solved**2).sum(axis=0).reshape(len(rows), 1 if is_shared else q)
        return np.broadcast_to(squares, (len(rows), q))

    def statistics(self, sizes: Sequence[int], rows: int) -> Statistics:
        """The sums over so many rows that it was fitted to; components have so many features each."""
        q, m = self.columns.shape[1], len(self.factor)
        repeats = len(self.weights) // m
        weights = self.weights.reshape(repeats, m, -1).swapaxes(0, 1).reshape(m, -1)
        information = self.factor.T @ self.factor
        b = information @ weights
        explained = (b * weights).sum(axis=0).reshape(repeats, -1).sum(axis=0)
        A = information - np.diag(np.repeat(self.ridges, sizes))
        return Statistics(A, b, self.noise * rows * q + explained, rows * q, repeats)


def count_features_of(components: Sequence[Component], rows: Array, q: int) -> list[int]:
    """Number of features of each component in sums over rows."""
    parts = [each.features(rows[:2]) for each in components]
    return [count_sums(parts[0], q)] if len(parts) == 1 else [count_features(each, q) for each in parts]


def chunks(n: int, features: int) -> Iterator[slice]:
    """Slices of rows whose features stay within bounds."""
    step = max(64, CHUNK // max(1, features))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def sum_rows(
    components: Sequence[Component], rows: Array, Y: Array, roots: Array, folds: Index | None = None
) -> list[Statistics]:
    """Sums of features and outputs (n, q, copies) over rows, for every fold 0, 1, ...

    Args:
        components: Whose features.
        rows: Scaled inputs (n, inputs).
        Y: Scaled outputs (n, q, copies).
        roots: Square roots of the rows' weights (n,).
        folds: The fold of every row (n,); one for all if None.
    """
    labels, q = np.zeros(len(rows), dtype=np.int64) if folds is None else folds, Y.shape[1]
    size = sum(count_features_of(components, rows, q))

    def sum_chunk(some: Index) -> Statistics:
        parts = [part for each in components for part in scale_parts(each.features(rows[some]), roots[some])]
        return Statistics.from_parts(parts, Y[some] * roots[some, None, None], shared=True)

    members = (np.flatnonzero(labels == fold) for fold in np.unique(labels))
    return [add(sum_chunk(own[at]) for at in chunks(len(own), size * q)) for own in members]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Variances of all components and the weights that go with them."""

    ridges: Array  # of every component
    weights: Array  # posterior means for every column of the sums
    factor: Array  # upper Cholesky factor of the information
    noise: Array  # of every copy (copies,)
    log_likelihood: float  # marginal


def optimise(statistics: Statistics, sizes: Sequence[int], start: Array | None = None) -> Mixture:
    """The likeliest variances of components with so many features each.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X, one = rng.standard_normal((300, 1, 2)), np.ones((300, 1))
        >>> Y = X[:, :, :1] + 0.1 * rng.standard_normal((300, 1, 1))
        >>> found = optimise(Statistics.from_parts([(X, one)], Y), [1, 1])
        >>> bool(found.ridges[1] > 100 * found.ridges[0])
        True
    """
    A, b = statistics.A, statistics.b
    owner = np.repeat(np.arange(len(sizes)), sizes)
    lengths = np.maximum(np.bincount(owner, np.diag(A), minlength=len(sizes)) / np.maximum(sizes, 1), 1e-300)
    ridges = 1e-3 * lengths / max(1.0, float(np.sqrt(statistics.count))) if start is None else start.copy()
    columns = b.shape[1]
    for _ in range(ITERATIONS):
        mixture, inverse_diagonal = _solve(statistics, ridges, owner)
        effective = np.array([n - ridges[c] * inverse_diagonal[owner == c].sum() for c, n in enumerate(sizes)])
        squares = (mixture.weights**2 / np.tile(mixture.noise, statistics.repeats)).sum(axis=1)
        squares = np.bincount(owner, squares, minlength=len(sizes))
        updated = columns * np.maximum(effective, 1e-9) / np.maximum(squares, 1e-300)
        updated = np.clip(updated, LEAST_RIDGE * lengths.max() / 10, LARGEST_RIDGE * lengths)
        change = float(np.abs(np.log(updated / ridges)).max())
        ridges = updated
        if change < STILL:
            break
    return _solve(statistics, ridges, owner)[0]


def _solve(statistics: Statistics, ridges: Array, owner: Index) -> tuple[Mixture, Array]:
    """The regression with given ridges, and the diagonal of its inverse information."""
    diagonal = ridges[owner]
    factor = cholesky(statistics.A + np.diag(diagonal), check_finite=False)
    weights = cho_solve((factor, False), statistics.b, check_finite=False)
    left = statistics.squares - statistics.sum_copies((statistics.b * weights).sum(axis=0))
    noise = np.maximum(left, ROUNDING * statistics.squares + 1e-300) / statistics.count
    inverse, _ = dtrtri(factor)
    determinant = 2.0 * float(np.log(np.diag(factor)).sum()) - float(np.log(diagonal).sum())
    determinant *= statistics.repeats
    height = float(-0.5 * (statistics.count * (np.log(noise) + 1.0) + determinant).sum())
    return Mixture(ridges, weights, factor, noise, height), (inverse**2).sum(axis=1)


def fit_block(components: Sequence[Component], columns: Index, rows: Array, Y: Array, roots: Array) -> BlockModel:
    """Fits a sum to columns (copies, q) of all rows, see :func:`sum_rows`; components that take no part are left out."""
    sizes = count_features_of(components, rows, Y.shape[1])
    (statistics,) = sum_rows(components, rows, Y, roots)
    found = optimise(statistics, sizes)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    lengths = np.bincount(owner, np.diag(statistics.A), minlength=len(sizes)) / np.maximum(sizes, 1)
    kept = np.flatnonzero(found.ridges < 0.99 * LARGEST_RIDGE * lengths).tolist()
    if 0 < len(kept) < len(sizes):
        fewer = [components[k] for k in kept]
        if len(kept) == 1 and is_unconstrained(fewer[0].features(rows[:2])):
            return fit_block(fewer, columns, rows, Y, roots)
        features = np.isin(owner, kept)
        statistics = replace(statistics, A=statistics.A[np.ix_(features, features)], b=statistics.b[features])
        components, sizes = fewer, [sizes[k] for k in kept]
        found = optimise(statistics, sizes, found.ridges[kept])
    return _block(components, columns, statistics, sizes, found)


def _block(
    components: Sequence[Component], columns: Index, statistics: Statistics, sizes: Sequence[int], found: Mixture
) -> BlockModel:
    """The fitted sum with the size of every component."""
    owner, contributions = np.repeat(np.arange(len(sizes)), sizes), []
    for c in range(len(sizes)):
        own = np.where((owner == c)[:, None], found.weights, 0.0)
        contributions.append(float((own * (statistics.A @ own)).sum()))
    total = max(float(statistics.squares.sum()), 1e-300)
    shares, weights = np.sqrt(np.maximum(contributions, 0.0) / total), statistics.order_weights(found.weights)
    fitted = found.ridges, weights, found.factor, found.noise, found.log_likelihood
    return BlockModel(columns, tuple(components), *fitted, shares)


def add_rows(block: BlockModel, sums: Statistics, sizes: Sequence[int], rows: int) -> BlockModel:
    """The same components fitted to the ``rows`` rows of before and others with these sums; variances are chosen anew."""
    statistics = block.statistics(sizes, rows) + sums
    return _block(block.components, block.columns, statistics, sizes, optimise(statistics, sizes, block.ridges))


def refit_block(block: BlockModel, rows: Array, Y: Array, roots: Array) -> BlockModel:
    """The same components and ridges, fitted to other rows."""
    sizes = count_features_of(block.components, rows, Y.shape[1])
    (statistics,) = sum_rows(block.components, rows, Y, roots)
    found, _ = _solve(statistics, block.ridges, np.repeat(np.arange(len(sizes)), sizes))
    return replace(_block(block.components, block.columns, statistics, sizes, found), sizes=block.sizes)


def leave_folds_out(
    components: Sequence[Component], ridges: Array, rows: Array, Y: Array, roots: Array, folds: Index
) -> Array:
    """Predictions (n, q, copies) of every row by fits without its fold, with the ridge of each component; see :func:`sum_rows`."""
    sums = sum_rows(components, rows, Y, roots, folds)
    total = add(sums)
    q, out = Y.shape[1], np.empty_like(Y)
    sizes = count_features_of(components, rows, q)
    for fold, own in zip(np.unique(folds), sums, strict=True):
        weights, held = (total - own).weights(np.repeat(ridges, sizes)), np.flatnonzero(folds == fold)
        for some in (held[at] for at in chunks(len(held), sum(sizes) * q)):
            out[some] = combine([part for each in components for part in each.features(rows[some])], weights, q)
    return out
