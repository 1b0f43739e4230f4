r"""Whether a symmetry holds at every element of its group, not only where a kernel was averaged.

The likelihood of :mod:`softsym.inference.likelihood` averages kernels of continuous groups over finite subgroups, and looks only for
violations in the span of the outputs' own kernel. Before a candidate is called exact, three more statements are made about

.. math:: y = f_G(x) + r(x) + \text{noise} ,

where :math:`f_G` has equivariant features (:mod:`softsym.gp.features`) and the remainder r a squared-exponential kernel of its own, whose
width is profiled from the spacing of the rows to their extent. The violation is that of r under Haar elements, an own sample for every row,

.. math:: v(x) = r(x) - \frac1L \sum_l \rho_{out}(g_l)^{-1} r(\rho_{in}(g_l) x) ,

so that equivariant functions which :math:`f_G` cannot follow do not count.

- *Violation*: the posterior of :math:`|v| / |t|`, its prior size log-uniform from a thousandth to one.
- *Score test* of equivariance: rows are divided into folds; the direction v is fitted to earlier folds, made orthogonal to the equivariant
  features under the inputs at hand, and multiplied by the residuals of :math:`f_G` on the next fold. Under equivariance the sum of these
  products is a martingale with mean zero up to a product of two regression errors, whatever the distribution of the inputs.
- *Cost*: the difference of squared errors with and without the remainder on rows that neither was fitted to.

*Resolution* says what the rows could show: the share of the prior variance of a violation as large as the tolerance that they would
remove when the equivariant part is flexible, for the least favourable width of at least four times their spacing.

References:
    Double/debiased machine learning for treatment and structural parameters (Chernozhukov et al., 2018),
    https://doi.org/10.1111/ectj.12097; The hardness of conditional independence testing and the generalised covariance measure
    (Shah and Peters, 2020), https://doi.org/10.1214/19-AOS1857
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from softsym.gp.features import FeatureMap, InducingPoints, equivariant_features, scale_copies
from softsym.gp.regression import Statistics, fit
from softsym.gp.remainder import Remainder, RemainderSums
from softsym.groups import Group
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.randomization import transform_each_row
from softsym.inference.shape import join_equal_inputs, output_blocks
from softsym.reps import Rep, TensorType
from softsym.reps.atoms import group_element
from softsym.typing import Array, Index

MAX_ROWS, MAX_COORDINATES = 1_500, 3_600
"""Of more rows, or rows times coordinates of the largest type of outputs, a sample is taken."""
CHOOSING = 2_500
"""Rows times coordinates on which feature maps are compared."""
ELEMENTS = 24
"""Haar elements of every row."""
FOLDS, FIRST_TESTED = 5, 2
"""Folds of rows, and the first that is tested: those before it choose the width."""
WIDTHS = 5
"""Widths of the remainder, from the spacing of the rows to twice their extent."""
REMAINDER_FEATURES = 320
"""Features of the remainder, over all coordinates of a type."""
SIZES = np.geomspace(1e-3, 1.0, 13)
"""Prior sizes of a violation, relative to the outputs."""
EVALUATED = 300
"""Rows at which the size of a violation is taken."""
RESOLVABLE = 4.0
"""Violations of this many times the spacing of the rows and wider should be seen."""
FLEXIBLE = "width 0.7"
"""Features with which resolution is computed: of polynomials alone, rows seem to tell more than they do."""
DRAWS = 4_000


@dataclass(frozen=True)
class Exactness:
    """What rows say about a symmetry at every element of its group.

    Args:
        p_value: Of the score test against equivariance.
        interval: 95 % interval of the relative violation, if it is as smooth as the kernels here.
        cost: 95 % confidence interval of the cost of building the symmetry in, as a share of the variance.
        resolution: Share of a violation as large as the tolerance that the rows would reveal, 0 to 1.
        rows: How many rows were used.
    """

    p_value: float
    interval: tuple[float, float]
    cost: tuple[float, float]
    resolution: float
    rows: int


def measure_exactness(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    group: Group,
    *,
    row_groups: Index | None = None,
    weights: Array | None = None,
    tolerance: float = 0.05,
    seed: int = 0,
) -> Exactness:
    """Makes the three statements about one group.

    Args:
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: Representation of the inputs.
        rep_out: Representation of the outputs.
        group: The group.
        row_groups: Labels of rows that belong together (n,); rows of equal inputs always do.
        weights: Sample weights (n,).
        tolerance: The violation for which the resolution is computed.
        seed: Of folds and elements.

    Example:
        >>> import numpy as np, softsym as ss
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((300, 2))
        >>> angle, radius = np.arctan2(X[:, 1], X[:, 0]), np.hypot(X[:, 0], X[:, 1])
        >>> for c in (0.0, 0.5):
        ...     Y = (radius**2 + c * np.cos(8 * angle))[:, None] + 0.1 * rng.standard_normal((300, 1))
        ...     found = measure_exactness(X, Y, ss.rep("V"), ss.rep("S"), ss.SO(2))
        ...     print(found.p_value < 0.01, found.interval[1] < 0.05)
        False True
        True False
    """
    rng = np.random.default_rng(seed)
    labels = join_equal_inputs(X, row_groups)
    if int(labels.max()) + 1 < 2 * FOLDS:
        return Exactness(1.0, (0.0, 1.0), (0.0, 1.0), 0.0, len(X))
    size = max((segment.size for segment in rep_out.segments(group)), default=1)
    most = min(MAX_ROWS, max(300, MAX_COORDINATES // size))
    if len(X) > most:
        order = rng.permutation(int(labels.max()) + 1)
        rows = np.argsort(order[labels], kind="stable")[:most]
        X, Y, labels = X[rows], Y[rows], labels[rows]
        weights = None if weights is None else weights[rows]
    design = _Design.make(X, rep_in, group, labels, rng)
    roots = np.ones(len(X)) if weights is None else np.sqrt(weights / weights.mean())
    parts = [
        _examine(design, kind, values * roots[:, None, None], roots, tolerance, rng)
        for kind, values in output_blocks(Y, rep_out, group)
    ]
    return _combine(parts, design, rng)


@dataclass(frozen=True, eq=False)
class _Design:
    """Rows, their images under Haar elements and their folds: the same for all outputs."""

    rep: Rep
    group: Group
    X: Array
    images: Array
    elements: list[Array]
    labels: Index
    folds: Index
    widths: Array
    spacing: float
    inflation: float

    @classmethod
    def make(cls, X: Array, rep: Rep, group: Group, labels: Index, rng: np.random.Generator) -> _Design:
        shift, scale = scale_copies(X, rep, group)
        is_small = group.is_finite and (group.order or math.inf) <= ELEMENTS
        if is_small:
            elements = [np.repeat(part[:, None], len(X), axis=1) for part in finite_subgroup(group).parts]
        else:
            drawn = group.sample_parts(ELEMENTS * len(X), rng)
            elements = [part.reshape(ELEMENTS, len(X), *part.shape[1:]) for part in drawn]
        images = [
            (transform_each_row(rep, group, [part[k] for part in elements], X) - shift) / scale
            for k in range(len(elements[0]))
        ]
        count = int(labels.max()) + 1
        folds = (rng.permutation(count) % min(FOLDS, count))[labels]
        rows = (X - shift) / scale
        spacing, extent = _spacing(rows), 2.0 * math.sqrt(X.shape[1])
        widths = np.geomspace(min(spacing, extent / RESOLVABLE), 2.0 * extent, WIDTHS)
        inflation = 1.0 if is_small else 1.0 + 1.0 / len(images)
        return cls(rep, group, rows, np.stack(images), elements, labels, folds, widths, spacing, inflation)

    def inverse_rho(self, kind: TensorType) -> list[Array]:
        """For each of the elements, the inverse matrices (n, q, q) of every row."""
        if not kind.rank:
            return len(self.images) * [np.ones((len(self.X), 1, 1))]
        inverse = [np.linalg.inv(part) for part in self.elements]
        return [
            kind.rho(self.group, group_element(self.group, tuple(part[k] for part in inverse)))
            for k in range(len(self.images))
        ]


@dataclass(frozen=True, eq=False)
class _Part:
    """What one type of outputs says.

    Args:
        scores: Products of residuals and the direction of a violation (n,).
        with_symmetry: Squared errors of predictions with the symmetry (n,).
        without: The same with the remainder.
        squares: Squared outputs (n,).
        draws: Posterior draws of the squared violation, a mean over rows (draws,).
        noise: Variance of the noise of a row.
        resolution: See :class:`Exactness`.
    """

    scores: Array
    with_symmetry: Array
    without: Array
    squares: Array
    draws: Array
    noise: float
    resolution: float


def _examine(
    design: _Design, kind: TensorType, Y: Array, roots: Array, tolerance: float, rng: np.random.Generator
) -> _Part:
    n, q, copies = Y.shape
    best, flexible = (
        chosen(design.X) * roots[:, None, None] for chosen in _choose_features(design, kind, Y, roots, rng)
    )
    is_early = design.folds < FIRST_TESTED
    features, halves = (
        best,
        [(rows, Statistics.from_rows(best[rows], Y[rows])) for rows in (is_early, ~is_early)],
    )
    ridge = fit(halves[0][1] + halves[1][1]).ridge
    flexible_sums = Statistics.from_rows(flexible, Y)
    inverse = design.inverse_rho(kind)
    evaluated = rng.permutation(n)[:EVALUATED]
    heights, violations, resolutions, noises = [], [], [], []
    best_width, best_early = design.widths[0], -math.inf
    size = 1.0 / copies  # of one copy, of all copies together
    for width in design.widths:
        inducing = InducingPoints.select(design.X, width, max(20, REMAINDER_FEATURES // q))
        K = inducing(design.X) * roots[:, None]
        sums = [RemainderSums.from_rows(features[rows], K[rows], Y[rows], own) for rows, own in halves]
        found, _ = (sums[0] + sums[1]).remainder(ridge)
        operator = _violation_operator(design, inducing, inverse, evaluated, q)
        H = found.vectors.T @ (operator.T @ operator) @ found.vectors / (len(evaluated) * design.inflation)
        diagonal = np.diag(H)
        total = max(float(diagonal.sum()), 1e-300)
        for prior_size in SIZES:
            height, own_ridge, noises_of_copies = found.profile(prior_size**2 / total)
            heights.append(height)
            violations.append(_moments(found, H, own_ridge, noises_of_copies))
            noises.append(float(noises_of_copies.sum()) * q)
        if width >= RESOLVABLE * design.spacing * 0.999:
            noise = max(float((found.left / found.count).mean()), 1e-300)
            rest, _ = RemainderSums.from_rows(flexible, K, Y, flexible_sums).remainder(noise)
            along = ((operator @ rest.vectors) ** 2).sum(axis=0)
            revealed = 1.0 - 1.0 / (1.0 + rest.values * tolerance**2 / (total * noise))
            resolutions.append(float((along * revealed).sum() / max(float(along.sum()), 1e-300)))
        early, _ = sums[0].remainder(ridge)
        height = max(early.profile(prior_size**2 / total)[0] for prior_size in SIZES)
        if height > best_early:
            best_width, best_early = width, height
    draws = _draw_mixture(np.array(heights), violations, rng) * size
    scores, with_symmetry, without = _cross_fit(design, kind, features, Y, roots, ridge, best_width, inverse)
    return _Part(
        scores * size,
        with_symmetry * size,
        without * size,
        (Y**2).sum(axis=(1, 2)) * size,
        draws,
        noises[int(np.argmax(heights))] * size,
        min(resolutions, default=0.0),
    )


def _choose_features(
    design: _Design, kind: TensorType, Y: Array, roots: Array, rng: np.random.Generator
) -> tuple[FeatureMap, FeatureMap]:
    """The equivariant features under which some of the rows are most likely, and flexible ones that leave less to the remainder."""
    rows = rng.permutation(len(Y))[: max(100, CHOOSING // Y.shape[1])]
    best, height, flexible = None, -math.inf, None
    for name, features in equivariant_features(design.rep, kind, design.group, design.X):
        values = features(design.X[rows]) * roots[rows, None, None]
        found = fit(Statistics.from_rows(values, Y[rows])).log_likelihood if values.shape[2] else -math.inf
        if best is None or found > height:
            best, height = features, found
        flexible = features if flexible is None or FLEXIBLE in name else flexible
    assert best is not None
    assert flexible is not None
    return best, flexible


def _violation_operator(
    design: _Design, inducing: InducingPoints, inverse: Sequence[Array], rows: Index, q: int
) -> Array:
    """From weights of the remainder to its violation at some rows, (rows q, q r)."""
    K = inducing(design.X[rows])
    operator = np.einsum("ab,nr->nabr", np.eye(q), K)
    for images, matrices in zip(design.images, inverse, strict=True):
        operator -= np.einsum("nab,nr->nabr", matrices[rows], inducing(images[rows])) / len(inverse)
    return np.asarray(operator.reshape(len(rows) * q, -1))


def _moments(found: Remainder, H: Array, ridge: float, noise: Array) -> tuple[float, float]:
    """Posterior mean and variance of the squared violation."""
    variance = 1.0 / (found.values + ridge)
    mean = found.along * variance[:, None]
    HS = H * variance
    expected = float(
        np.einsum("ic,ij,jc->", mean, H, mean, optimize=True) + (np.diag(HS)).sum() * noise.sum()
    )
    square_variance = 2.0 * float((HS * HS.T).sum() * (noise**2).sum())
    square_variance += 4.0 * float(np.einsum("ic,ij,jc,c->", mean, HS @ H, mean, noise, optimize=True))
    return max(expected, 1e-300), max(square_variance, 1e-300)


def _draw_mixture(
    heights: Array, violations: Sequence[tuple[float, float]], rng: np.random.Generator
) -> Array:
    """Draws of the squared violation: gamma distributions of the posterior moments, mixed by likelihood."""
    shares = np.exp(heights - heights.max())
    chosen = rng.choice(len(shares), DRAWS, p=shares / shares.sum())
    mean, variance = np.array(violations)[chosen].T
    return np.asarray(rng.gamma(np.maximum(mean**2 / variance, 1e-3), variance / mean))


def _cross_fit(
    design: _Design,
    kind: TensorType,
    features: Array,
    Y: Array,
    roots: Array,
    ridge: float,
    width: float,
    inverse: Sequence[Array],
) -> tuple[Array, Array, Array]:
    """Scores of the test, fitted to earlier folds; squared errors with and without the symmetry, fitted to all other folds."""
    n, q, copies = Y.shape
    inducing = InducingPoints.select(design.X, width, max(20, REMAINDER_FEATURES // q))
    K = inducing(design.X) * roots[:, None]
    count = int(design.folds.max()) + 1
    own = [design.folds == k for k in range(count)]
    sums = [RemainderSums.from_rows(features[rows], K[rows], Y[rows]) for rows in own]
    total = max(float(np.trace(sums[0].scalar)) * q / own[0].sum(), 1e-300)
    errors, others = np.zeros(n), np.zeros(n)
    for k, rows in enumerate(own):
        rest = [each for j, each in enumerate(sums) if j != k]
        found, weights = sum(rest[1:], rest[0]).remainder(ridge)
        mean = found.mean(_best_ridge(found, total))
        plain = features[rows] @ weights
        cross = sum(rest[1:], rest[0])
        moved_weights = np.linalg.solve(
            cross.own.A + ridge * np.eye(len(weights)), cross.own.b - cross.cross @ mean
        )
        full = features[rows] @ moved_weights + np.einsum("nr,qrc->nqc", K[rows], mean.reshape(q, -1, copies))
        errors[rows] = ((Y[rows] - plain) ** 2).sum(axis=(1, 2))
        others[rows] = ((Y[rows] - full) ** 2).sum(axis=(1, 2))
    scores = np.zeros(n)
    F = features.reshape(-1, features.shape[2])
    projector = cho_factor(
        F.T @ F + (1e-8 * np.trace(F.T @ F) / max(1, F.shape[1]) + 1e-12) * np.eye(F.shape[1])
    )
    for k in range(min(FIRST_TESTED, count - 1), count):
        found, weights = sum(sums[1:k], sums[0]).remainder(ridge)
        mean = found.mean(_best_ridge(found, total)).reshape(q, -1, copies)
        direction = np.einsum("nr,qrc->nqc", K, mean)
        for images, matrices in zip(design.images, inverse, strict=True):
            values = np.einsum("nr,qrc->nqc", inducing(images), mean) * roots[:, None, None]
            direction -= np.einsum("nab,nbc->nac", matrices, values) / len(inverse)
        inside = cho_solve(projector, F.T @ direction.reshape(-1, copies))
        direction = (direction - features @ inside)[own[k]]
        residual = Y[own[k]] - features[own[k]] @ weights
        scores[own[k]] = (residual * direction).sum(axis=(1, 2))
    return scores, errors, others


def _best_ridge(found: Remainder, total: float) -> float:
    """The ridge of the likeliest prior size."""
    return max((found.profile(size**2 / total) for size in SIZES), key=lambda each: each[0])[1]


def _combine(parts: Sequence[_Part], design: _Design, rng: np.random.Generator) -> Exactness:
    """The statements over all types of outputs; row groups are the units of the tests."""
    n, count = len(design.X), int(design.labels.max()) + 1
    squares = sum(float(part.squares.mean()) for part in parts)
    if not squares > 0:
        return Exactness(1.0, (0.0, 1.0), (0.0, 1.0), 0.0, n)
    scores = np.sum([part.scores for part in parts], axis=0)
    z = []
    for k in range(min(FIRST_TESTED, int(design.folds.max())), int(design.folds.max()) + 1):
        rows = design.folds == k
        by_group = np.bincount(design.labels[rows], scores[rows], minlength=count)
        z.append(float(by_group.sum()) / max(float(np.sqrt((by_group**2).sum())), 1e-300))
    p_value = float(ndtr(-sum(z) / math.sqrt(len(z))))
    gaps = np.sum([part.with_symmetry - part.without for part in parts], axis=0) / squares
    middle = float(gaps.mean())
    error = float(np.sqrt((np.bincount(design.labels, gaps - middle, minlength=count) ** 2).sum())) / n
    signal = max(squares - sum(part.noise for part in parts), 1e-6 * squares)
    violation = np.sqrt(np.sum([part.draws for part in parts], axis=0) / signal)
    low, high = np.quantile(violation, [0.025, 0.975])
    interval = (float(min(low, 1.0)), float(min(high, 1.0)))
    resolution = min((part.resolution for part in parts), default=0.0)
    return Exactness(p_value, interval, (middle - 1.96 * error, middle + 1.96 * error), resolution, n)


def _spacing(X: Array) -> float:
    """Median distance of a row to its nearest neighbour among different rows."""
    from scipy.spatial import cKDTree

    rows = np.unique(X, axis=0)
    return float(np.median(cKDTree(rows).query(rows, k=2)[0][:, 1])) if len(rows) > 2 else 1.0
