r"""Statistics of how much a fitted model violates each candidate symmetry.

The error of a group is the model's equivariance error on held-out rows, over elements that act nontrivially on inputs. The invariant
part of the mean output is subtracted first: a constant says nothing about a symmetry and would make every violation look small. Further
statistics are

- the *control*: the error a model would have that ignores the group altogether, comparing :math:`\rho(g) f(x)` with the prediction
  for an unrelated row transformed by an unrelated element;
- the *noise ratio*: the squared violation over twice the squared mistake on held-out rows, where transformed rows lie among the data, as
  medians over rows, since a few rows can be far off. A model of a symmetric truth that errs independently at x and at g x has a
  ratio of one, a regularised one less;
- the *refutation*: how many standard errors worse held-out rows are predicted by the model averaged over the group. Noise of the
  labels is in both and cancels, so a violation smaller than the mistakes is still seen if it costs anything;
- the *coverage*: the orbit overlap, how much transformed data look like data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softsym.discovery.fit.compare import standard_errors
from softsym.discovery.fit.fitted import FittedEnsemble, explained
from softsym.discovery.judge.model_verdict import REFUTED, ModelStatistics
from softsym.groups import Group
from softsym.metrics.equivariance import relative_error
from softsym.metrics.overlap import MIN_ROWS, orbit_overlap
from softsym.metrics.transform import act, sample_nontrivial, transforms
from softsym.spaces import invariants
from softsym.typing import Array

JUDGED_ROWS, JUDGED_ELEMENTS = 400, 24
RESAMPLES = 1_000
USUAL = 0.99
FEWEST_PAIRS = 50


def measure_group(fit: FittedEnsemble, group: Group, seed: int = 0) -> ModelStatistics:
    """Statistics of one group for its verdict, on validation rows: test rows decide nothing.

    Args:
        fit: The fitted ensemble.
        group: One of its candidates.
        seed: Seed of the elements that are drawn.
    """
    rows = fit.judged
    X, Y = rows.X[:JUDGED_ROWS], rows.Y[:JUDGED_ROWS]
    shape, rng = fit.shape, np.random.default_rng(seed)
    moving = sample_nontrivial(shape.rep_in, group, JUDGED_ELEMENTS, rng)
    elements = moving or transforms(group, JUDGED_ELEMENTS, rng)
    transformed = act(shape.rep_in, group, elements, X)
    resting = fit.judged_outputs[:, :JUDGED_ROWS]
    after = fit.unconstrained_outputs(transformed.reshape(-1, X.shape[1])).reshape(
        len(resting), JUDGED_ELEMENTS, len(X), -1
    )
    before = np.stack([act(shape.rep_out, group, elements, member) for member in resting])
    unrelated = before.mean(0)[rng.permutation(JUDGED_ELEMENTS)][:, rng.permutation(len(X))]
    among = _find_neighbours(fit, transformed, X)
    rest = invariants(shape.rep_out, group).project(Y.mean(axis=0))
    errors = relative_error(before - rest, after - rest)
    distinct = len(np.unique(X, axis=0)) >= MIN_ROWS
    return ModelStatistics(
        error=float(errors.mean()),
        interval=bootstrap_interval(errors, seed),
        control=float(relative_error(unrelated - rest, after.mean(0) - rest).mean()),
        noise_ratio=_noise_ratio(before.mean(0) - after.mean(0), resting.mean(0) - Y, among),
        refutation=_refutation(fit, group, elements, after.mean(0), resting.mean(0), Y, among),
        explained=explained(rows.Y, float(np.mean((fit.judged_outputs.mean(0) - rows.Y) ** 2))),
        rows=fit.n_train,
        coverage=orbit_overlap(rows.X, shape.rep_in, group, seed).value if distinct else None,
        held_out=rows.is_separate,
        hidden=_hidden(fit, Y - rest),
        acts=bool(moving)
        or sample_nontrivial(shape.rep_out, group, 1, np.random.default_rng(seed)) is not None,
    )


def _hidden(fit: FittedEnsemble, Y: Array) -> float:
    """An equivariance error that penalties may hide, from the excess of the squared error over that of the best baseline."""
    if fit.baseline_models is None:
        return 0.0
    own = fit.judged.errors(fit.judged_outputs.mean(0))
    if standard_errors(own, fit.baseline_models.errors, fit.judged.row_groups) <= REFUTED:
        return 0.0
    excess = float(np.mean(own - fit.baseline_models.errors))
    return float((excess / (2 * float(np.mean(Y**2)) + 1e-300)) ** 0.5)


def bootstrap_interval(errors: Array, seed: int = 0) -> tuple[float, float]:
    """Where the mean of errors (members, elements, rows) lies with 95 % certainty: a bootstrap over all three.

    Example:
        >>> bootstrap_interval(np.full((2, 3, 4), 0.5))
        (0.5, 0.5)
    """
    rng = np.random.default_rng(seed)
    draws = [rng.integers(n, size=(RESAMPLES, n)) for n in errors.shape]
    means = [errors[np.ix_(m, e, r)].mean() for m, e, r in zip(*draws, strict=True)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _noise_ratio(gaps: Array, mistakes: Array, among: NDArray[np.bool_]) -> float | None:
    """Median over rows of the squared violation (averaged over elements), over twice that of the squared mistakes."""
    usual = float(np.median(np.sum(mistakes**2, axis=-1)))
    rows = among.any(0)
    if among.sum() < FEWEST_PAIRS or not usual:
        return None
    sums = np.sum(np.where(among, np.sum(gaps**2, axis=-1), 0.0), axis=0)[rows]
    return float(np.median(sums / among.sum(0)[rows])) / (2 * usual)


def _refutation(
    fit: FittedEnsemble,
    group: Group,
    elements: list[Array],
    after: Array,
    resting: Array,
    Y: Array,
    among: NDArray[np.bool_],
) -> float | None:
    """The paired difference of squared errors, of the group average and of the model itself, in standard errors."""
    if among.sum() < FEWEST_PAIRS:
        return None
    inverse: list[Array] = [np.linalg.inv(part).astype(np.float64) for part in elements]
    back = np.stack(
        [
            act(fit.shape.rep_out, group, [part[k : k + 1] for part in inverse], after[k])[0]
            for k in range(len(after))
        ]
    )
    weight = among[..., None]
    average = (resting + np.sum(np.where(weight, back, 0.0), axis=0)) / (1 + weight.sum(0))
    worse = np.sum((average - Y) ** 2, axis=-1) - np.sum((resting - Y) ** 2, axis=-1)
    standard_error = float(worse.std(ddof=1)) / len(worse) ** 0.5
    return float(worse.mean()) / standard_error if standard_error > 0 else 0.0


def _find_neighbours(fit: FittedEnsemble, transformed: Array, X: Array) -> NDArray[np.bool_]:
    """Which transformed rows (elements, rows, inputs) have a neighbour among the data as near as nearly all data have."""
    from scipy.spatial import KDTree

    points = fit.predictor.scale_in.transform(X)
    tree = KDTree(points)
    usual = np.quantile(tree.query(points, k=2)[0][:, 1], USUAL)
    distance = tree.query(fit.predictor.scale_in.transform(transformed.reshape(-1, X.shape[1])))[0]
    return np.asarray(distance <= usual).reshape(transformed.shape[:2])
