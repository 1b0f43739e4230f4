r"""The rows of a question about symmetries, as all statements about all candidates use them.

Inputs have one scale for each copy of a type, outputs are divided into copies of their types. Linear maps that every matrix respects
(multiples of input copies of the same type, constants and multiples of scalars) are subtracted from the outputs: they say nothing about any
candidate, and motion from one time to the next, which is mostly such a map, must not make violations look small. Rows of equal inputs are
one row with their mean, and rows of one row group stay together in every fold.
"""

from __future__ import annotations

import functools
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softsym.arrays import join_equal_inputs
from softsym.gp.features import (
    FeatureMap,
    InducingPoints,
    choose_features,
    combine,
    scale_copies,
    unconstrained_features,
)
from softsym.gp.mixture import Component, sum_rows
from softsym.gp.regression import Likelihood, Statistics, add, fit
from softsym.groups import Group
from softsym.metrics.transform import fit_shift_and_scale
from softsym.reps import Rep, TensorType
from softsym.typing import Array, Index

FOLDS = 5
WIDTHS = 5  # widths of the remainder, from the spacing of the rows to twice their extent
RESOLVABLE = 4.0  # violations of this many times the spacing of the rows and wider should be seen
REMAINDER_FEATURES = 320  # features of a remainder, over all coordinates of a type
CHOOSING, CHOOSING_OF_MANY, CHOSEN_SHARE = 3_000, 60_000, 0.25
"""Rows times coordinates on which feature maps are compared: so many, or a share of the rows, up to a limit."""
CHUNK = 2_000_000  # numbers in the features of one chunk of rows
LEAST_DEVIATION = 1e-3
NEAR_IDENTITY = 0.7
"""Outputs are an input at a later time if half of their variance is left, or less, when it is subtracted."""
TREES, TREE_ROWS = 50, 6_000
MANY_ROWS = 6_000  # from here on fewer features and elements are taken, because there are rows enough


@dataclass(frozen=True, eq=False)
class Block:
    """Outputs of one type."""

    kind: TensorType
    columns: Index  # of the outputs (copies, q)
    values: Array  # outputs after the linear map (n, q, copies), each copy divided by its size
    linear: Array  # the linear map (n, q, copies), divided likewise
    sizes: Array  # root mean square lengths of the copies (copies,), after the linear map
    whole: Array  # the same before it
    change: Array  # the same of changes from an input copy, where outputs are mostly the nearest one of their type; else `whole`
    weights: Array  # what squares of each copy count (copies,): as many as it has coordinates, whatever its unit


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, folds and blocks."""

    rep_in: Rep
    rep_out: Rep
    X: Array  # inputs as they are (n, inputs)
    shift: Array  # of the inputs
    scale: Array  # of the inputs
    deviations: Array  # standard deviation of each copy about its mean, in units of the scale (inputs,)
    blocks: tuple[Block, ...]  # the outputs
    labels: Index  # row groups, equal inputs joined (n,)
    folds: Index  # the fold of every row (n,)
    roots: Array  # square roots of the rows' weights (n,)
    widths: Array  # of remainders
    spacing: float  # median distance of an input to its nearest neighbour
    seed: int  # of elements
    size: int  # number of outputs

    @classmethod
    def make(
        cls,
        X: Array,
        Y: Array,
        rep_in: Rep,
        rep_out: Rep,
        groups: Sequence[Group],
        row_groups: Index | None = None,
        weights: Array | None = None,
        seed: int = 0,
        centre: int = 0,
    ) -> Sample:
        """Sorts rows by fold and divides outputs into blocks, less the part of their mean that all candidates leave invariant.

        The last ``centre`` columns of the inputs are a mean point, which translations act on: no linear map of it is subtracted.
        """
        group = groups[0]  # says how many coordinates a type has
        X, Y, row_groups, weights = _merge_equal_inputs(X, Y, row_groups, weights)
        labels = join_equal_inputs(X, row_groups)
        count = int(labels.max()) + 1
        rng = np.random.default_rng(seed)
        folds = (rng.permutation(count) % min(FOLDS, count))[labels]
        order = np.argsort(folds, kind="stable")
        X, Y, labels, folds = X[order], Y[order], labels[order], folds[order]
        weights = None if weights is None else weights[order]
        roots = np.ones(len(X)) if weights is None else np.sqrt(weights / weights.mean())
        shift, scale = scale_copies(X, rep_in, group, weights)
        deviations = _deviations((X - shift) / scale, rep_in, group)
        spacing, extent = _spacing((X - shift) / scale / deviations), 2.0 * math.sqrt(X.shape[1])
        widths = np.geomspace(min(spacing, extent / RESOLVABLE), 2.0 * extent, WIDTHS)
        Y = Y - fit_shift_and_scale(Y, rep_out, groups, weights)[0]
        terms = Rep(rep_in.terms[:-1]) if centre else rep_in
        blocks = _blocks(X, Y, terms, rep_out, group, roots)
        scales = shift, scale, deviations
        rows = labels, folds, roots
        return cls(rep_in, rep_out, X, *scales, blocks, *rows, widths, spacing, seed, Y.shape[1])

    def __len__(self) -> int:
        return len(self.X)

    @functools.cached_property
    def rows(self) -> Array:
        """Scaled inputs (n, inputs)."""
        return (self.X - self.shift) / self.scale

    @functools.cached_property
    def lock(self) -> threading.Lock:
        """Held while something is computed that all candidates use."""
        return threading.Lock()

    def chunks(self, features: int) -> Iterator[slice]:
        """Slices of rows of one fold each, so long that features of a row times rows stay within bounds."""
        step = max(64, CHUNK // max(1, features))
        bounds = np.searchsorted(self.folds, np.arange(int(self.folds.max()) + 2))
        for first, last in itertools.pairwise(bounds):
            for start in range(first, last, step):
                yield slice(start, min(start + step, last))

    def some(self, rows: int) -> Index:
        """A few rows at random, in order."""
        rng = np.random.default_rng(self.seed + 1)
        return np.sort(rng.permutation(len(self))[:rows])

    @functools.cached_property
    def most_features(self) -> int:
        """Number of features that these rows pay for."""
        return 1_100 if len(self) <= MANY_ROWS else 450

    @functools.cached_property
    def _kept(self) -> dict[tuple[int, ...], Any]:
        """What was computed before: inducing points by width and size of a type, predictors by number of folds."""
        return {}

    def inducing(self, width: int, q: int) -> InducingPoints:
        """The remainder's functions for one of the widths."""
        if (width, q) not in self._kept:
            share = REMAINDER_FEATURES if len(self) <= MANY_ROWS else REMAINDER_FEATURES // 2
            count = max(40, share // q)
            widths = float(self.widths[width]) * self.deviations
            self._kept[width, q] = InducingPoints.select(self.rows[self.some(4 * count)], widths, count)
        return self._kept[width, q]

    def choose(
        self, maps: Sequence[FeatureMap], block: Block, X: Array | None = None
    ) -> tuple[FeatureMap | None, float]:
        """The map of rows, as they are or mapped, under which some of them are most likely, with its log likelihood."""
        X = self.rows if X is None else X
        most = int(np.clip(CHOSEN_SHARE * len(self), CHOOSING, CHOOSING_OF_MANY))
        rows = self.some(max(100, most // block.values.shape[1]))
        score = Likelihood(X[rows], block.values[rows], self.roots[rows], self.most_features)
        return choose_features(maps, score, X)

    @functools.cached_property
    def unconstrained(self) -> list[tuple[FeatureMap, float]]:
        """For every block the likeliest features without a group, and their log likelihood."""
        found = []
        for block in self.blocks:
            maps = list(unconstrained_features(self.rows, self.most_features))
            best, height = self.choose(maps, block)
            assert best is not None
            found.append((best, height))
        return found

    @functools.cached_property
    def unconstrained_errors(self) -> list[Array]:
        """For every block squared errors (n, copies) of an unconstrained Gaussian process fitted to the other folds."""
        found = zip(self.blocks, self.unconstrained, strict=True)
        return [self.cross_fit(features, block)[1] for block, (features, _) in found]

    def cross_fit(self, features: FeatureMap, block: Block) -> tuple[Array, Array]:
        """Weights of features fitted to all rows, and squared errors (n, copies) of fits to the other folds."""
        sums, q = self._sum_rows(features, block), block.values.shape[1]
        total = add(sums)
        ridge = fit(total).ridge
        weights, out = [(total - own).weights(ridge) for own in sums], np.empty((len(self), block.values.shape[2]))
        for rows in self.chunks(self.most_features * q):
            values = combine(features(self.rows[rows]), weights[self.folds[rows.start]], q)
            out[rows] = ((block.values[rows] - values) ** 2).sum(axis=1) * self.roots[rows, None] ** 2
        return total.weights(ridge), out

    def _sum_rows(self, features: FeatureMap, block: Block) -> list[Statistics]:
        """Sums of the features and outputs of a block, for every fold."""
        return sum_rows([Component(features)], self.rows, block.values, self.roots, self.folds)

    @functools.cached_property
    def outputs(self) -> Array:
        """What linear maps leave of the outputs (n, outputs), blocks as they count; zero where outputs do not vary."""
        return self._join([block.values for block in self.blocks])

    def _join(self, values: Sequence[Array]) -> Array:
        """Outputs (n, outputs) of values (n, q, copies) of the blocks, as they count."""
        out = np.zeros((len(values[0]), self.size))
        for block, own in zip(self.blocks, values, strict=True):
            scaled = own * block.sizes * np.sqrt(block.weights)
            out[:, block.columns.ravel()] = scaled.swapaxes(1, 2).reshape(len(own), -1)
        return out

    def early_predictor(self, folds: int) -> Callable[[Array], Array]:
        """Predicts outputs, as :attr:`outputs`, of inputs (n, inputs): an unconstrained Gaussian process fitted to the first folds."""
        fitted = list(zip(self.blocks, self.unconstrained, strict=True))
        if (folds,) not in self._kept:
            totals = [add(self._sum_rows(features, block)[:folds]) for block, (features, _) in fitted]
            self._kept[folds,] = [total.weights(fit(total).ridge) for total in totals]
        weights = self._kept[folds,]

        def predict(X: Array) -> Array:
            rows = (X - self.shift) / self.scale
            pairs = zip(fitted, weights, strict=True)
            return self._join([combine(each(rows), own, block.values.shape[1]) for (block, (each, _)), own in pairs])

        return predict

    @functools.cached_property
    def tree_errors(self) -> tuple[Index, list[Array]]:
        """Some rows, and for every block their squared errors (rows, copies) under trees fitted to the other half of them."""
        from sklearn.ensemble import ExtraTreesRegressor  # half a second to import

        rows = self.some(TREE_ROWS)
        half = (self.folds[rows] + self.labels[rows]) % 2
        outputs = np.concatenate([block.values[rows].reshape(len(rows), -1) for block in self.blocks], axis=1)
        predicted = np.zeros_like(outputs)
        for side in (0, 1):
            fitted, held = half == side, half != side
            if fitted.any() and held.any():
                target = outputs[fitted][:, 0] if outputs.shape[1] == 1 else outputs[fitted]
                trees = ExtraTreesRegressor(TREES, random_state=self.seed % 2**31, min_samples_leaf=2)
                trees.fit(self.X[rows][fitted], target, sample_weight=self.roots[rows][fitted] ** 2)
                predicted[held] = trees.predict(self.X[rows][held]).reshape(-1, outputs.shape[1])
        errors, start = [], 0
        for block in self.blocks:
            size = block.values[0].size
            own = (outputs - predicted)[:, start : start + size].reshape(len(rows), *block.values.shape[1:])
            errors.append((own**2).sum(axis=1) * self.roots[rows, None] ** 2)
            start += size
        return rows, errors


def _merge_equal_inputs(
    X: Array, Y: Array, row_groups: Index | None, weights: Array | None
) -> tuple[Array, Array, Index | None, Array | None]:
    """Rows of equal inputs as one row with their mean: they may be copies of each other, and then say nothing more than one."""
    _, first, equal = np.unique(X, axis=0, return_index=True, return_inverse=True)
    if len(first) == len(X):
        return X, Y, row_groups, weights
    equal = equal.reshape(-1)
    counts = np.ones(len(X)) if weights is None else weights
    total = np.bincount(equal, counts)
    Y = np.stack([np.bincount(equal, counts * column) for column in Y.T], axis=1) / total[:, None]
    labels = None if row_groups is None else join_equal_inputs(X, row_groups)[first]
    return X[first], Y, labels, None if weights is None else total / np.bincount(equal)


def _blocks(X: Array, Y: Array, rep_in: Rep, rep_out: Rep, group: Group, roots: Array) -> tuple[Block, ...]:
    """Outputs by type; copies that do not vary are left out."""
    inputs: dict[TensorType, list[Array]] = {}
    for segment in rep_in.segments(group):
        values = X[:, segment.start : segment.stop].reshape(len(X), segment.copies, segment.size)
        inputs.setdefault(segment.type, []).append(values.swapaxes(1, 2))
    blocks = []
    for segment in rep_out.segments(group):
        columns = np.arange(segment.start, segment.stop).reshape(segment.copies, segment.size)
        values = Y[:, columns].swapaxes(1, 2)
        if not segment.type.rank:
            values = values - np.average(values, axis=0, weights=roots**2)
        whole = np.sqrt(((values * roots[:, None, None]) ** 2).sum(axis=1).mean(axis=0))
        rest = _without_linear(values, inputs.get(segment.type, []), roots, is_scalar=not segment.type.rank)
        sizes = np.sqrt(((rest * roots[:, None, None]) ** 2).sum(axis=1).mean(axis=0))
        floor = 1e-12 * float(np.abs(Y).max(initial=1e-300))
        rest, sizes = (np.where(sizes > 1e-9 * whole, rest, values), np.where(sizes > 1e-9 * whole, sizes, whole))
        varies = whole > floor
        if varies.any():
            weights = segment.size / whole[varies] ** 2
            scaled, linear = ((each[:, :, varies] / sizes[varies]) for each in (rest, values - rest))
            change = _change(values, whole, inputs.get(segment.type, []), roots)
            sizes, whole, change = sizes[varies], whole[varies], change[varies]
            blocks.append(Block(segment.type, columns[varies], scaled, linear, sizes, whole, change, weights))
    return tuple(blocks)


def _change(values: Array, whole: Array, inputs: list[Array], roots: Array) -> Array:
    """See :class:`Block`, (copies,)."""
    found = whole.copy()
    for copy in np.concatenate(inputs, axis=2).transpose(2, 0, 1) if inputs else ():
        gaps = values - (copy - np.average(copy, axis=0, weights=roots**2) * (values.shape[1] == 1))[:, :, None]
        sizes = np.sqrt(((gaps * roots[:, None, None]) ** 2).sum(axis=1).mean(axis=0))
        found = np.where(sizes < NEAR_IDENTITY * whole, np.minimum(sizes, found), found)
    return found


def _without_linear(values: Array, inputs: list[Array], roots: Array, *, is_scalar: bool) -> Array:
    """Outputs (n, q, copies) minus their best multiples of inputs of the same type."""
    if not inputs:
        return values
    same = np.concatenate(inputs, axis=2)
    if is_scalar:
        same = same - np.average(same, axis=0, weights=roots**2)
    if same.shape[2] * 10 > len(values) * values.shape[1]:  # too few rows for so many coefficients
        return values
    weighted = roots[:, None, None]
    A, B = (same * weighted).reshape(-1, same.shape[2]), (values * weighted).reshape(-1, values.shape[2])
    return np.asarray(values - same @ np.linalg.lstsq(A, B, rcond=1e-10)[0])


def _deviations(rows: Array, rep: Rep, group: Group) -> Array:
    """Standard deviation of every copy about its mean, (inputs,): vectors may be far from the origin and close to each other."""
    deviations = np.ones(rows.shape[1])
    for segment in rep.segments(group):
        for start in range(segment.start, segment.stop, segment.size):
            columns = slice(start, start + segment.size)
            deviations[columns] = max(float(np.sqrt(rows[:, columns].var(axis=0).mean())), LEAST_DEVIATION)
    return deviations


def _spacing(X: Array) -> float:
    """Median distance of a row to its nearest neighbour among different rows."""
    from scipy.spatial import cKDTree

    rows = np.unique(X, axis=0)
    if len(rows) < 3:
        return 1.0
    asked = rows[:: max(1, len(rows) // 4_000)]
    return float(np.median(cKDTree(rows).query(asked, k=2)[0][:, 1]))
