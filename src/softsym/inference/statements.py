r"""Three statements about one candidate group, from all rows and at Haar elements.

Outputs are :math:`y = f_G(x) + r(x) + \text{noise}`, where :math:`f_G` has equivariant features (:mod:`softsym.gp.features`) and the
remainder r a squared-exponential kernel of its own, whose width is profiled from the spacing of the rows to their extent. The violation is
that of r under Haar elements, an own sample for every row,

.. math:: v(x) = r(x) - \frac1L \sum_l \rho_{out}(g_l)^{-1} r(\rho_{in}(g_l) x) ,

so that equivariant functions which :math:`f_G` cannot follow do not count. Groups that are not compact have no Haar average: v is what is
left of r after regression on equivariant features.

- *R, refuted*: the orthogonal score test of equivariance of y given x. The direction v is fitted to earlier folds, made orthogonal to the
  equivariant features under the inputs at hand, and multiplied by the residuals of the equivariant predictor on later folds. Under
  equivariance the sum of these products has mean zero up to a product of two regression errors, whatever the distribution of the inputs.
- *C, cost*: the difference of squared errors with and without the symmetry on rows that neither predictor was fitted to.
- *M, model-based*: the posterior of :math:`|v| / |t|`, its prior size log-uniform, for every copy of the outputs.

*Resolution* says what the rows could show: the share of the prior variance of a violation as large as the tolerance that they would
remove when the equivariant part is flexible, for the least favourable width of at least four times their spacing. The *certified tolerance*
needs no model: it is the root of an upper limit of the error with the symmetry, minus a lower limit of the noise where one is known.

References:
    Double/debiased machine learning for treatment and structural parameters (Chernozhukov et al., 2018),
    https://doi.org/10.1111/ectj.12097; The hardness of conditional independence testing and the generalised covariance measure
    (Shah and Peters, 2020), https://doi.org/10.1214/19-AOS1857
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial import cKDTree
from scipy.special import ndtri, stdtr, stdtrit

from softsym.gp.features import (
    FeatureMap,
    InducingPoints,
    Part,
    can_follow_all,
    combine,
    correlate,
    equivariant_features,
    gram,
    scale_parts,
)
from softsym.gp.regression import Remainder, RemainderSums, Statistics, add, fit
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.points import Action
from softsym.inference.sample import MANY_ROWS, RESOLVABLE, Sample
from softsym.inference.verdict import Findings
from softsym.metrics.transform import transform_each_row
from softsym.reps import TensorType
from softsym.reps.atoms import group_element
from softsym.typing import Array, Index

ELEMENTS, FEWEST_ELEMENTS = 24, 4  # haar elements of every row; fewer where there are many rows
FIRST_TESTED = 2  # the first fold whose scores count: the folds before it choose the width
SIZES = np.geomspace(1e-4, 100.0, 25)
"""Prior sizes of a violation, relative to the outputs; smooth kernels need large ones for the functions of high order among them."""
PRIOR_SIZE = 0.05  # size up to which the prior of a violation's size is uniform
EVALUATED = 300, 900  # rows, and rows times coordinates, at which the size of a violation is taken at most
FLEXIBLE = "width 0.7 of lengths", "width 0.7"
"""Features with which resolution is computed: of polynomials alone, rows seem to tell more than they do."""
RESOLUTION_ROWS = 1_000
DRAWS, LEAST_MEAN = 4_000, math.sqrt(1e-3)  # of a squared violation: least mean, in standard deviations
POOL, NEAR = (
    100_000,
    4,
)  # rows from which mean points are taken, and of how many times as many the nearest of other row groups
KEPT = 10_000_000  # numbers in equivariant features that are kept
LEAST_PREDICTED = 0.1
"""Share of what linear maps leave that must be predicted on held-out rows for violations to be measured against it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Statements(Findings):
    """What the rows say about one group: what the rule takes, and what a table shows next to it.

    Args:
        violation: Posterior median of the relative violation of all outputs.
        errors: Shares of the variance that predictions leave on held-out rows: with the symmetry, as far as it holds, without.
        log_evidence: Log likelihood with the symmetry minus that without a group.
        log_likelihoods: Log likelihood for every prior size of a violation, the first of none at all.
        method: The features.
        exact_errors: Squared error of every row with the symmetry (n,).
    """

    violation: float
    errors: tuple[float, float, float]
    log_evidence: float
    log_likelihoods: Array
    method: str
    exact_errors: Array


def examine(sample: Sample, action: Action, *, tolerance: float, noise: float, candidates: int = 1) -> Statements:
    """Makes the statements about one group.

    Args:
        sample: The rows.
        action: How the group acts.
        tolerance: The violation for which the resolution is computed.
        noise: Lower limit of the share of the variance that is noise.
        candidates: Intervals hold for so many candidates together.

    Example:
        >>> import numpy as np, softsym as ss
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((300, 2))
        >>> angle, radius = np.arctan2(X[:, 1], X[:, 0]), np.hypot(X[:, 0], X[:, 1])
        >>> for c in (0.0, 0.5):
        ...     Y = (radius**2 + c * np.cos(8 * angle))[:, None] + 0.1 * rng.standard_normal((300, 1))
        ...     sample = Sample.make(X, Y, ss.rep("V"), ss.rep("S"), [ss.SO(2)])
        ...     found = examine(sample, Action(ss.SO(2), ss.SO(2), ss.rep("V")), tolerance=0.05, noise=0.0)
        ...     print(found.p_value < 0.01, found.interval[1] < 0.05)
        False True
        True False
    """
    orbit = Orbit.draw(sample, action)
    parts = [_Part(sample, orbit, index, tolerance) for index in range(len(sample.blocks))]
    return _combine(sample, parts, tolerance, noise, candidates)


@dataclass(frozen=True, eq=False)
class Orbit:
    """Elements that transform every row, an own sample for each.

    Args:
        sample: The rows.
        action: How the group acts.
        elements: Parts (L, n or 1, d, d) of the elements.
        is_complete: Whether these are all elements of the group.
        others: Rows (L, n) to whose mean points mean points are translated, like each row otherwise; empty without translations.
    """

    sample: Sample
    action: Action
    elements: tuple[Array, ...]
    is_complete: bool
    others: Index

    @classmethod
    def draw(cls, sample: Sample, action: Action) -> Orbit:
        """All elements of a small group, Haar elements of others, translations to other rows; none of other groups that are not compact."""
        group, nothing = action.linear, np.zeros((0, 0), dtype=np.int64)
        if not group.is_orthogonal:
            return cls(sample, action, (), True, nothing)
        if group.is_finite and (group.order or math.inf) <= ELEMENTS and not action.has_translations:
            return cls(sample, action, tuple(part[:, None] for part in finite_subgroup(group).parts), True, nothing)
        rng, n = np.random.default_rng(sample.seed), len(sample)
        count = int(np.clip(ELEMENTS * MANY_ROWS // n, FEWEST_ELEMENTS, ELEMENTS))
        drawn = group.sample_parts(count * n, rng)
        elements = tuple(part.reshape(count, n, *part.shape[1:]) for part in drawn)
        return cls(sample, action, elements, False, _draw_others(sample, action, count, rng))

    def __len__(self) -> int:
        return len(self.elements[0]) if self.elements else 0

    def transform(self, rows: slice | Index, kind: TensorType) -> Iterator[tuple[Array, Array]]:
        """For each element of some rows: their scaled images (n, inputs), and inverse matrices (n, q, q) of an output type."""
        X, group = self.sample.X[rows], self.action.linear
        for k in range(len(self)):
            own = [part[k] if part.shape[1] == 1 else part[k][rows] for part in self.elements]
            own = [np.broadcast_to(part, (len(X), *part.shape[1:])) for part in own]
            images = transform_each_row(self.sample.rep_in, group, own, X)
            if self.action.inputs is not None:
                forgotten = np.eye(X.shape[1]) - self.action.inputs @ self.action.inputs.T
                images += (self.sample.X[self.others[k][rows]] - images) @ forgotten
            matrices = np.ones((len(X), 1, 1))
            if kind.rank:
                back = tuple(part.swapaxes(1, 2) for part in own)
                matrices = kind.rho(group, group_element(group, back))
            yield (images - self.sample.shift) / self.sample.scale, matrices


def _draw_others(sample: Sample, action: Action, count: int, rng: np.random.Generator) -> Index:
    """For every row the rows of other row groups (count, n) that are most like it but for translations; empty without these.

    They are a sample of the mean points that go with such a row.
    """
    if action.inputs is None:
        return np.zeros((0, 0), dtype=np.int64)
    points, pool = (sample.rows / sample.deviations) @ action.inputs, sample.some(POOL)
    tree, drawn = cKDTree(points[pool]), []
    for some in (slice(start, start + POOL) for start in range(0, len(points), POOL)):
        near = pool[tree.query(points[some], k=min(NEAR * count, len(pool)))[1].reshape(len(points[some]), -1)]
        is_own = sample.labels[near] == sample.labels[some, None]
        nearest = np.argsort(is_own, axis=1, kind="stable")[:, :count]  # rows of the same row group come last
        drawn.append(rng.permuted(np.take_along_axis(near, nearest, axis=1), axis=1))
    return np.resize(np.concatenate(drawn).T, (count, len(points)))


class _Part:
    """What one type of outputs says: scores (n,), errors (n, copies), draws (draws, copies) and so on, in units of each copy."""

    def __init__(self, sample: Sample, orbit: Orbit, index: int, tolerance: float) -> None:
        self.sample, self.orbit, self.block = sample, orbit, sample.blocks[index]
        self.q, self.copies = self.block.values.shape[1:]
        action = orbit.action
        self.is_complete = can_follow_all(action.rep_in, action.linear)
        rows = sample.rows if action.inputs is None else sample.rows @ action.inputs
        maps = equivariant_features(action.rep_in, self.block.kind, action.linear, rows, sample.most_features)
        listed = list(maps) or [_Zero(self.q)]
        best, height = sample.choose(listed, self.block, rows)
        assert best is not None
        self.features: FeatureMap = _Mapped(best, action.inputs)
        with sample.lock:
            self.without = sample.unconstrained_errors[index]
            self.log_evidence = height - sample.unconstrained[index][1]
        flexible = next((each for name in FLEXIBLE for each in listed if name in each.name), best)
        flexible = _Mapped(flexible, action.inputs)
        self.inducing = [sample.inducing(w, self.q) for w in range(len(sample.widths))]
        self._kept: dict[int, list[Part]] = {}
        self.own, self.sums = self._sum_rows()
        own = add(self.own)
        total = [add(folds) for folds in self.sums]
        self.ridge = fit(own).ridge
        remainders = [sums.remainder(own, self.ridge) for sums in total]
        if (ridge := self._next_ridge(own, total, remainders)) != self.ridge:
            self.ridge = ridge
            remainders = [sums.remainder(own, self.ridge) for sums in total]
        self.evaluated = sample.some(min(EVALUATED[0], EVALUATED[1] // self.q))
        squares = self._squares()
        self.traces = [max(float(np.trace(at_rows)), 1e-300) for at_rows, _ in squares]
        self._cross_fit()
        self._measure(remainders, squares)
        at_rows = [each for each, _ in squares]
        self.resolution = self._resolve(flexible, at_rows, tolerance * math.sqrt(float(self.reference.min())))

    def _sum_rows(self) -> tuple[list[Statistics], list[list[RemainderSums]]]:
        """Sums of the equivariant features for every fold, and of remainders next to them for every width and fold."""
        sample, block = self.sample, self.block
        own: dict[int, Statistics] = {}
        sums: dict[int, list[RemainderSums]] = {}
        for rows in sample.chunks(sample.most_features * self.q):
            roots, fold = sample.roots[rows], int(sample.folds[rows.start])
            parts = scale_parts(self._parts(rows), roots)
            Y = block.values[rows] * roots[:, None, None]
            here = Statistics.from_parts(parts, Y)
            own[fold] = own[fold] + here if fold in own else here
            remainders = [inducing(sample.rows[rows]) * roots[:, None] for inducing in self.inducing]
            found = RemainderSums.from_parts(parts, remainders, Y)
            sums[fold] = [a + b for a, b in zip(sums[fold], found, strict=True)] if fold in sums else found
        return list(own.values()), [list(each) for each in zip(*sums.values(), strict=True)]

    def _parts(self, rows: slice) -> list[Part]:
        """The equivariant features of some rows, kept where all rows' are few enough."""
        if rows.start not in self._kept:
            parts = self.features(self.sample.rows[rows])
            size = sum(phi.size + (0 if C is None else C.size) for C, phi in parts)
            if size * len(self.sample) > KEPT * (rows.stop - rows.start):
                return parts
            self._kept[rows.start] = parts
        return self._kept[rows.start]

    def _next_ridge(self, own: Statistics, total: list[RemainderSums], remainders: list[Remainder]) -> float:
        """The ridge of the equivariant features that is likeliest next to a remainder: alone they may fit what it explains."""
        found = [self._profile(each) for each in remainders]
        best = int(np.argmax([height for height, _ in found]))
        sums, (height, mean) = total[best], found[best]
        by_coordinate = mean.reshape(self.q, -1, self.copies)
        squares = np.einsum("qrc,rs,qsc->c", by_coordinate, sums.scalar, by_coordinate, optimize=True)
        left = own.squares - 2.0 * (mean * sums.b).sum(axis=0) + squares
        left = np.maximum(left, 1e-12 * own.squares)
        ridge = fit(Statistics(own.A, own.b - sums.cross @ mean, left, own.count), self.ridge).ridge
        if ridge == self.ridge:
            return ridge
        here = height - 0.5 * self.copies * own.log_determinant(self.ridge)
        other = self._profile(sums.remainder(own, ridge))[0] - 0.5 * self.copies * own.log_determinant(ridge)
        return ridge if other > here else self.ridge

    def _profile(self, found: Remainder) -> tuple[float, Array]:
        """Log likelihood and weights of the likeliest remainder."""
        heights, ridges, _ = found.profile(SIZES**2 * (found.count / max(float(found.values.sum()), 1e-300)))
        chosen = np.argmax(heights, axis=0)
        mean = found.mean(ridges[chosen, np.arange(self.copies)])
        alone = -0.5 * found.count * np.log(found.left / found.count)
        return float(np.maximum(heights.max(axis=0), alone).sum()), mean

    def _squares(self) -> list[tuple[Array, Array]]:
        """Mean squares of the violation, at the rows and on orbits, for every width as quadratic forms (q r, q r) of the weights.

        Averages over the two halves of the elements are multiplied, so that the error of so few elements is not part of the product.
        """
        rows, unit = self.evaluated, np.eye(self.q)
        functions = [inducing(self.sample.rows[rows]) for inducing in self.inducing]
        here = [(unit[:, :, None] * K[:, None, None]).reshape(len(rows) * self.q, -1) for K in functions]
        if not len(self.orbit):
            parts = self.features(self.sample.rows[rows])
            A = gram(parts, parts, self.q)
            factor = cho_factor(A + (1e-6 * float(np.diag(A).mean()) + 1e-300) * np.eye(len(A)))
            forms = []
            for K, whole in zip(functions, here, strict=True):
                inside = cho_solve(factor, gram(parts, [(None, K)], self.q))
                rest = whole - combine(parts, inside, self.q).reshape(whole.shape)
                forms.append(2 * (rest.T @ rest / len(rows),))
            return forms
        is_complete, L = self.orbit.is_complete, len(self.orbit)
        halves = [[np.zeros((len(rows), self.q, self.q, K.shape[1])) for _ in range(2)] for K in functions]
        on_orbits = [np.zeros((K.shape[1], K.shape[1])) for K in functions]
        for k, (images, matrices) in enumerate(self.orbit.transform(rows, self.block.kind)):
            for inducing, own, total in zip(self.inducing, halves, on_orbits, strict=True):
                values = inducing(images)
                total += values.T @ values / (L * len(rows))
                share = matrices / (L if is_complete else L // 2)
                own[0 if is_complete else k % 2] += share[..., None] * values[:, None, None]
        forms = []
        for whole, own, total in zip(here, halves, on_orbits, strict=True):
            first, second = (each.reshape(whole.shape) for each in (own[0], own[0 if is_complete else 1]))
            at_rows = (whole - first).T @ (whole - second) / len(rows)
            orbits = np.kron(unit, total) - first.T @ second / len(rows)
            forms.append(((at_rows + at_rows.T) / 2, (orbits + orbits.T) / 2))
        return forms

    def _measure(self, remainders: list[Remainder], squares: list[tuple[Array, Array]]) -> None:
        """Draws (2, draws, copies) of the squared violation, at the rows and on their orbits: gamma distributions of posterior moments.

        Prior sizes are mixed by their likelihood; their prior is uniform below the tolerance of verdicts, and log-uniform above.
        """
        heights, moments, noises = [], [], []
        for found, given, trace in zip(remainders, squares, self.traces, strict=True):
            height, ridges, noise = found.profile(SIZES**2 / trace)
            heights.append(height / self.dependence)
            noises.append(noise)
            moments.append([_moments(found, form, ridges, noise * self.dependence) for form in given])
            self.unbroken = -0.5 * found.count * np.log(found.left / found.count)
        height = np.concatenate(heights)
        prior = np.tile(np.log(SIZES / (SIZES + PRIOR_SIZE)), len(remainders))
        rng = np.random.default_rng(self.sample.seed)
        self.draws = np.empty((2, DRAWS, self.copies))
        self.noise = np.empty(self.copies)
        for c in range(self.copies):
            shares = np.exp(height[:, c] + prior - (height[:, c] + prior).max())
            chosen = rng.choice(len(shares), DRAWS, p=shares / shares.sum())
            for kind in range(2):
                mean, variance = np.concatenate([each[kind] for each in moments], axis=1)[:, chosen, c]
                mean = np.maximum(mean, LEAST_MEAN * np.sqrt(variance))  # which products of two averages may miss
                self.draws[kind, :, c] = rng.gamma(mean**2 / variance, variance / mean)
            self.noise[c] = float(np.concatenate(noises)[:, c] @ shares / shares.sum()) * self.q
        # Relative to what is left of a copy after linear maps and noise, if anything of it can be predicted; else to its change from an
        # input copy, if that is more than noise; else to the whole copy.
        predicted = 1.0 - np.minimum(self.softly.mean(axis=0), self.without.mean(axis=0))
        whole, change = ((each / self.block.sizes) ** 2 for each in (self.block.whole, self.block.change))
        full = np.where(change - self.noise > LEAST_PREDICTED * change, change, whole) - self.noise
        rest = np.where(predicted > LEAST_PREDICTED, np.maximum(1.0 - self.noise, predicted), full)
        self.reference: Array = np.maximum(rest, 1e-6)
        self.curve = np.concatenate([[self.unbroken.sum()], np.max(heights, axis=0).sum(axis=1)])

    def _resolve(self, flexible: FeatureMap, squares: list[Array], tolerance: float) -> float:
        """See the module's text; from some of the rows, as if all were like them."""
        sample = self.sample
        rows = sample.some(RESOLUTION_ROWS // self.q if self.q > 1 else RESOLUTION_ROWS)
        growth = len(sample) / len(rows)
        parts = scale_parts(flexible(sample.rows[rows]), sample.roots[rows])
        Y = self.block.values[rows] * sample.roots[rows, None, None]
        own = Statistics.from_parts(parts, Y)
        noise, found = max(float(self.noise.mean()) / self.q, 1e-300), []
        wide = [w for w, width in enumerate(sample.widths) if width >= RESOLVABLE * sample.spacing * 0.999]
        functions = [self.inducing[w](sample.rows[rows]) * sample.roots[rows, None] for w in wide]
        for w, sums in zip(wide, RemainderSums.from_parts(parts, functions, Y) if wide else (), strict=True):
            rest = sums.remainder(own, noise / growth)
            along = np.maximum((rest.vectors * (squares[w] @ rest.vectors)).sum(axis=0), 0.0)
            revealed = 1.0 - 1.0 / (1.0 + growth * rest.values * tolerance**2 / (self.traces[w] * noise))
            found.append(float((along * revealed).sum() / max(float(along.sum()), 1e-300)))
        return min(found, default=0.0)

    def _cross_fit(self) -> None:
        """Scores of the test, fitted to earlier folds; squared errors with and without the symmetry, fitted to all other folds."""
        sample, block = self.sample, self.block
        folds = len(self.own)
        is_long = len(sample) > MANY_ROWS
        first = min(FIRST_TESTED, folds - 1)
        stages = [first] if is_long else list(range(first, folds))
        before = [add(self.own[:k]) for k in stages]
        early = [add(sums[:first]).remainder(before[0], self.ridge) for sums in self.sums]
        likelihoods = [
            found.profile(SIZES**2 / t)[0].sum(axis=1).max() for found, t in zip(early, self.traces, strict=True)
        ]
        best = int(np.argmax(likelihoods))
        sums, prior, inducing = self.sums[best], SIZES**2 / self.traces[best], self.inducing[best]
        own, everything = add(self.own), add(sums)
        fits = [  # without each fold
            self._fit(own - a, everything - b, prior) for a, b in zip(self.own, sums, strict=True)
        ]
        directions = [self._fit(a, add(sums[:k]), prior) for a, k in zip(before, stages, strict=True)]
        n = len(sample)
        self.with_symmetry, self.averaged, self.softly, self.signals, self.projected = (
            np.empty((n, self.copies)) for _ in range(5)
        )
        self.violations = np.empty((2, n, self.copies))  # at the rows, and on their orbits
        along = np.zeros((len(stages), n, self.q, self.copies))
        residuals = np.zeros((2, len(stages), n, self.q, self.copies))
        left, shared = np.empty((n, self.q, self.copies)), np.zeros((len(stages), n, self.copies))
        drawn = 0 if self.orbit.is_complete else len(self.orbit)
        for rows in sample.chunks(sample.most_features * self.q):
            fold, Y = int(sample.folds[rows.start]), block.values[rows]
            parts, K = self._parts(rows), inducing(sample.rows[rows])
            used = [fits[fold], *directions]
            means = np.concatenate([each.mean.reshape(self.q, -1, self.copies) for each in used], axis=2)
            here = _values(K, means)
            average, variance = self._average(rows, inducing, means)
            weights = np.concatenate([each.weights for each in used] + [each.next_to for each in used], axis=1)
            plain, moved = (
                np.split(half, len(used), axis=2) for half in np.split(combine(parts, weights, self.q), 2, axis=2)
            )
            own = slice(0, self.copies)
            counts = sample.roots[rows, None] ** 2
            self.with_symmetry[rows] = ((Y - plain[0]) ** 2).sum(axis=1) * counts
            self.averaged[rows] = ((Y - moved[0] - average[:, :, own]) ** 2).sum(axis=1) * counts
            self.softly[rows] = ((Y - moved[0] - here[:, :, own]) ** 2).sum(axis=1) * counts
            left[rows] = (Y - plain[0]) * sample.roots[rows, None, None]
            soft = moved[0] + here[:, :, own]
            self.violations[0, rows] = ((here - average)[:, :, own] ** 2).sum(axis=1) * counts
            self.violations[1, rows] = variance[:, own] * counts if len(self.orbit) else self.violations[0, rows]
            self.signals[rows] = ((soft + block.linear[rows]) ** 2).sum(axis=1) * counts
            projected = moved[0] + average[:, :, own] + block.linear[rows]
            self.projected[rows] = (projected**2).sum(axis=1) * counts
            for k in range(len(stages)):
                at = slice((k + 1) * self.copies, (k + 2) * self.copies)
                along[k, rows] = (here - average)[:, :, at] * sample.roots[rows, None, None]
                shared[k, rows] = variance[:, at] * counts / drawn if drawn else 0.0  # of an average, in both factors
                for kind, predicted in enumerate((plain[k + 1], moved[k + 1] + average[:, :, at])):
                    residuals[kind, k, rows] = (Y - predicted) * sample.roots[rows, None, None]
        self.dependence = _dependence(left, sample.labels)
        better = int(
            bool(len(self.orbit)) and (not self.is_complete or self.averaged.mean() < self.with_symmetry.mean())
        )
        self.scores, self.directions = np.zeros((n, self.copies)), np.zeros((n, self.copies))
        later = sample.folds >= first if is_long else np.ones(n, dtype=bool)
        along = self._orthogonal(along, later)
        for k, stage in enumerate(stages):
            tested = later if is_long else sample.folds == stage
            self.scores[tested] = ((residuals[better, k] * along[k]).sum(axis=1) - better * shared[k])[tested]
            self.directions[tested] = (along[k] ** 2).sum(axis=1)[tested]

    def _fit(self, own: Statistics, sums: RemainderSums, prior: Array) -> _Fitted:
        """Weights of the features alone, and next to the likeliest remainder."""
        found = sums.remainder(own, self.ridge)
        heights, ridges, _ = found.profile(prior)
        chosen = np.argmax(heights, axis=0)
        mean = found.mean(ridges[chosen, np.arange(self.copies)])
        return _Fitted(own.weights(self.ridge), sums.weights_next_to(own, mean, self.ridge), mean)

    def _average(self, rows: slice, inducing: InducingPoints, means: Array) -> tuple[Array, Array]:
        """The Haar average (n, q, k) of remainders with weights (q, r, k) at some rows, and their variance about it (n, k) on orbits.

        Both are zero without a Haar measure.
        """
        total, L = np.zeros((rows.stop - rows.start, self.q, means.shape[2])), len(self.orbit)
        squares = np.zeros((len(total), means.shape[2]))
        for images, matrices in self.orbit.transform(rows, self.block.kind):
            values = _values(inducing(images), means)
            total += matrices @ values / L
            squares += (values**2).sum(axis=1) / L
        variance = np.maximum(squares - (total**2).sum(axis=1), 0.0)
        return total, variance if self.orbit.is_complete else variance * L / (L - 1)

    def _orthogonal(self, directions: Array, is_used: Any) -> Array:
        """Directions (stages, n, q, copies) minus their regressions on the equivariant features, over some of the rows."""
        sample, sums = self.sample, []
        chunks = [rows for rows in sample.chunks(sample.most_features * self.q) if is_used[rows.start]]
        flat = np.moveaxis(directions, 0, 2).reshape(*directions.shape[1:3], -1)
        if is_used.all():
            A = np.sum([each.A for each in self.own], axis=0)
        for rows in chunks:
            parts = scale_parts(self._parts(rows), sample.roots[rows])
            sums.append(correlate(parts, flat[rows]))
            if not is_used.all():
                matrix = gram(parts, parts, self.q)
                A = matrix if len(sums) == 1 else A + matrix
        least = 1e-8 * float(np.trace(A)) / len(A) + 1e-12
        inside = cho_solve(cho_factor(A + least * np.eye(len(A))), np.sum(sums, axis=0))
        out = flat.copy()
        for rows in chunks:
            parts = scale_parts(self._parts(rows), sample.roots[rows])
            out[rows] -= combine(parts, inside, self.q)
        return np.moveaxis(out.reshape(*flat.shape[:2], len(directions), -1), 2, 0)


@dataclass(frozen=True, eq=False)
class _Fitted:
    weights: Array
    next_to: Array
    mean: Array


class _Mapped:
    """Features of some of the inputs, by a matrix; None for all."""

    def __init__(self, features: FeatureMap, matrix: Array | None) -> None:
        self.features, self.matrix, self.name = features, matrix, features.name

    def __call__(self, X: Array) -> list[tuple[Any, Any]]:
        """Parts of scaled rows."""
        return self.features(X if self.matrix is None else X @ self.matrix)


class _Zero:
    """No features: only zero is equivariant."""

    name = "zero"

    def __init__(self, q: int) -> None:
        self.q = q

    def __call__(self, X: Array) -> list[tuple[Array, Array]]:
        """A feature that is zero."""
        return [(np.zeros((len(X), self.q, 1)), np.ones((len(X), 1)))]


def _values(K: Array, means: Array) -> Array:
    """Functions (n, q, k) of weights (q, r, k) of a remainder's features (n, r)."""
    q, r, k = means.shape
    return (K @ means.swapaxes(0, 1).reshape(r, q * k)).reshape(len(K), q, k)


def _moments(found: Remainder, form: Array, ridges: Array, noise: Array) -> Array:
    """Posterior means and variances (2, k, copies) of a quadratic form of the remainder's weights, for ridges and noises (k, copies)."""
    H = found.vectors.T @ form @ found.vectors
    variance = 1.0 / (found.values[:, None, None] + ridges)  # (m, k, copies)
    mean = found.along[:, None] * variance
    bent = (H @ mean.reshape(len(H), -1)).reshape(mean.shape)
    expected = (mean * bent).sum(axis=0) + np.tensordot(np.diag(H), variance, 1) * noise
    squares = (variance * (H**2 @ variance.reshape(len(H), -1)).reshape(variance.shape)).sum(axis=0)
    square_variance = 2.0 * squares * noise**2 + 4.0 * (bent**2 * variance).sum(axis=0) * noise
    return np.maximum([expected, square_variance], 1e-300)


def _combine(sample: Sample, parts: Sequence[_Part], tolerance: float, noise: float, candidates: int) -> Statements:
    """The statements over all types of outputs; row groups are the units of the tests."""
    weights = [part.block.weights * part.block.sizes**2 for part in parts]

    def over_copies(of: Callable[[_Part], Array]) -> Any:
        """The sum over all copies of what parts hold for each, (..., copies)."""
        return sum(of(part) @ w for part, w in zip(parts, weights, strict=True))

    labels, level = sample.labels, 0.025 / max(1, candidates)
    exact = over_copies(lambda part: min(part.averaged, part.with_symmetry, key=np.mean))
    free = over_copies(lambda part: min(part.softly, part.without, key=np.mean))
    total = over_copies(
        lambda part: ((part.block.values + part.block.linear) ** 2).sum(axis=1) * sample.roots[:, None] ** 2
    )
    whole = float(over_copies(lambda part: (part.block.whole / part.block.sizes) ** 2))
    without = float(over_copies(lambda part: part.without.mean(axis=0)))
    soft = float(over_copies(lambda part: np.minimum(part.softly.mean(axis=0), part.without.mean(axis=0))))
    noises = float(over_copies(lambda part: part.noise))
    signal = max(whole - noises, 1e-6 * whole)
    largest_signal = max(whole * (1.0 - noise), signal)  # what models take for noise may be signal

    scores, least = over_copies(lambda part: part.scores), 0.0
    tested = scores != 0
    if tested.any():
        bound = mean_interval(scores[tested], np.unique(labels[tested], return_inverse=True)[1].reshape(-1), level)[0]
        squares = float(over_copies(lambda part: part.directions)[tested].mean())
        least = max(0.0, bound) / math.sqrt(max(squares * signal, 1e-300))

    draws, violations = [], []
    for kind in range(2):
        found = over_copies(lambda part, kind=kind: part.violations[kind])  # type: ignore[misc]
        some = float(over_copies(lambda part, kind=kind: part.violations[kind, part.evaluated].mean(axis=0)))  # type: ignore[misc]
        growth = float(np.clip(found.mean() / some, 0.5, 2.0)) if some > 0 else 1.0  # from those rows to all
        draws.append(over_copies(lambda part, kind=kind: part.draws[kind]) * growth)  # type: ignore[misc]
        violations.append(found)
    signals = over_copies(lambda part: part.signals)
    symmetric = over_copies(lambda part: part.projected)
    on_orbits = symmetric + violations[1]
    levels, size = [level, 0.5, 1.0 - level], max(float(on_orbits.mean()), 1e-300)
    ends = np.quantile(_over_rows(draws[0] / signal, violations[0] / signal, signals / signal, sample), levels)
    shares = draws[1] / np.maximum(float(symmetric.mean()) + draws[1], 1e-300)
    orbit_ends = np.quantile(_over_orbits(shares, violations[1] / size, on_orbits / size, sample), levels)
    lower = math.sqrt(min(ends[0], orbit_ends[0]) * signal / largest_signal)
    upper = math.sqrt(max(ends[2], orbit_ends[2]))
    by_copy = (np.quantile(part.draws, 1.0 - level, axis=1).max(axis=0) / part.reference for part in parts)
    errors = float(exact.mean()) / whole, soft / whole, without / whole
    is_testable = all(part.is_complete or len(part.orbit) for part in parts)
    return Statements(
        p_value=_score_test(scores, sample) if is_testable else math.nan,
        violation=min(math.sqrt(ends[1]), 1.0),
        interval=(min(lower, 1.0), min(upper, 1.0)),
        largest=max(float(np.sqrt(each.max())) for each in by_copy),
        cost=_ratio_interval(exact - free, total, labels, level),
        certified=math.sqrt(max(0.0, _ratio_interval(exact, total, labels, level)[1] - noise)),
        resolution=min(part.resolution for part in parts),
        unexplained=min(errors),
        rows=len(sample),
        tolerance=tolerance,
        row_groups=count if (count := int(labels.max()) + 1) < len(sample) else None,
        errors=errors,
        log_evidence=sum(part.log_evidence for part in parts),
        log_likelihoods=np.sum([part.curve for part in parts], axis=0),
        method=", ".join(dict.fromkeys(part.features.name for part in parts)),
        exact_errors=exact,
        unresolved=max(0.0, soft - noises) / signal,
        least=min(1.0, least),
    )


def _over_rows(draws: Array, violations: Array, signals: Array, sample: Sample) -> Array:
    """Draws of the squared relative violation over the rows, as draws over what these are a sample of."""
    middle = float(np.median(draws))
    _, _, error = mean_interval(violations - middle * signals, sample.labels, 0.025)
    noise = np.random.default_rng(sample.seed).standard_normal(len(draws))
    return np.maximum(draws + error * noise, 0.0)


def _over_orbits(draws: Array, violations: Array, totals: Array, sample: Sample) -> Array:
    """The same on orbits, with the relative error of held-out fits: these overrate violations that the rows hardly show."""
    share = float(violations.mean() / totals.mean())
    if share <= 0.0:
        return draws
    _, _, error = mean_interval(violations - share * totals, sample.labels, 0.025)
    noise = np.random.default_rng(sample.seed).standard_normal(len(draws))
    return draws * np.maximum(1.0 + error / share * noise, 0.0)


def _dependence(residuals: Array, labels: Index) -> float:
    """By how much rows of one row group say the same: the variance of their sums over that of independent rows, at least one."""
    count = int(labels.max()) + 1
    if count == len(labels):
        return 1.0
    flat = residuals.reshape(len(labels), -1)
    sums = np.stack([np.bincount(labels, column, minlength=count) for column in flat.T], axis=1)
    return max(1.0, float((sums**2).sum()) / max(float((flat**2).sum()), 1e-300))


def _score_test(scores: Array, sample: Sample) -> float:
    """One-sided p-value of a t-test on sums over row groups; scores of each fold in units of their own, because directions differ."""
    scaled = np.zeros(len(scores))
    for fold in np.unique(sample.folds[scores != 0]):
        rows = sample.folds == fold
        scaled[rows] = scores[rows] / np.sqrt((scores[rows] ** 2).mean())
    sums = np.bincount(sample.labels[scores != 0], scaled[scores != 0])
    sums = sums[np.bincount(sample.labels[scores != 0]) > 0]
    count = len(sums)
    if count < 2:
        return 1.0
    z = float(sums.sum() / max(float(np.sqrt((sums**2).sum())), 1e-300))
    return float(stdtr(count - 1, -z * math.sqrt((count - 1) / max(count - z**2, 1e-300))))


def mean_interval(values: Array, labels: Index, level: float) -> tuple[float, float, float]:
    """Interval of a mean and its standard error, from sums over row groups."""
    middle, count = float(values.mean()), int(labels.max()) + 1
    by_group = np.bincount(labels, values - middle, minlength=count)
    error = float(np.sqrt((by_group**2).sum() * count / max(1, count - 1))) / len(values)
    z = -float(stdtrit(count - 1, level)) if count < 100 else -float(ndtri(level))
    return middle - z * error, middle + z * error, error


def _ratio_interval(values: Array, total: Array, labels: Index, level: float) -> tuple[float, float]:
    """Interval of the ratio of two means over the same rows, by the delta method."""
    ratio, size = float(values.mean() / total.mean()), float(total.mean())
    low, high, _ = mean_interval(values - ratio * total, labels, level)
    return ratio + low / size, ratio + high / size
