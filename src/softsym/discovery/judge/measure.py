r"""How much a fitted ensemble breaks each candidate symmetry, with what it takes to judge that number.

The error of a group is the model's equivariance error on held-out rows, over elements that move the inputs at all. Beside it stand

- the *control*: the error a model would have that ignores the group altogether, comparing :math:`\rho(g) f(x)` with the prediction
  for an unrelated row moved by an unrelated element;
- the *noise ratio*: the squared violation over twice the squared mistake on held-out rows, where moved rows lie among the data, as
  medians over rows, since a few rows can be far off. A model of a symmetric truth that errs independently at x and at g x has a
  ratio of one, a regularised one less;
- the *refutation*: how many standard errors worse held-out rows are predicted by the model averaged over the group. Noise of the
  labels is in both and cancels, so a violation smaller than the mistakes is still seen if it costs anything;
- the *coverage*: how much moved data look like data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.data.coverage import SMALLEST, Coverage, coverage, moving_elements
from softsym.discovery.fit.ensemble import make_regularizer
from softsym.discovery.fit.fit import Fit
from softsym.groups import Group
from softsym.measure.action import act, transforms
from softsym.measure.error import relative_error

Array = NDArray[np.float64]
ROWS, TRANSFORMS, RESAMPLES = 400, 24, 1_000
USUAL = 0.99
FEWEST_PAIRS = 50


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured for one group.

    Args:
        group: The group.
        errors: Equivariance error of each member under each element at each row, shape (members, elements, rows).
        control: The error of a model that ignores the group.
        noise_ratio: The violation over what the model's own mistakes explain; None if no moved row lies among the data.
        refutation: By how many standard errors averaging over the group makes predictions worse; None if unknown.
        coverage: How much moved data look like data; None if there are too few rows to tell.
    """

    group: Group
    errors: Array
    control: float
    noise_ratio: float | None
    refutation: float | None
    coverage: Coverage | None

    @property
    def error(self) -> float:
        """The mean over members, elements and rows."""
        return float(self.errors.mean())

    def interval(self, seed: int = 0) -> tuple[float, float]:
        """Where the error lies with 95 % certainty: a bootstrap over members, elements and rows."""
        rng = np.random.default_rng(seed)
        draws = [rng.integers(n, size=(RESAMPLES, n)) for n in self.errors.shape]
        means = [self.errors[np.ix_(m, e, r)].mean() for m, e, r in zip(*draws, strict=True)]
        low, high = np.quantile(means, [0.025, 0.975])
        return float(low), float(high)


def measure_group(fit: Fit, group: Group, seed: int = 0) -> Measured:
    """Measures one group on the held-out rows."""
    X, Y = fit.held.X[:ROWS], fit.held.Y[:ROWS]
    shape, rng = fit.shape, np.random.default_rng(seed)
    elements = moving_elements(shape.rep_in, group, TRANSFORMS, rng) or transforms(group, TRANSFORMS, rng)
    moved = act(shape.rep_in, group, elements, X)
    resting = fit.outputs(X)
    after = fit.outputs(moved.reshape(-1, X.shape[1])).reshape(len(resting), TRANSFORMS, len(X), -1)
    before = np.stack([act(shape.rep_out, group, elements, member) for member in resting])
    unrelated = before.mean(0)[rng.permutation(TRANSFORMS)][:, rng.permutation(len(X))]
    among = _among(fit, moved, X)
    distinct = len(np.unique(X, axis=0)) >= SMALLEST
    return Measured(
        group=group,
        errors=relative_error(before, after),
        control=float(relative_error(unrelated, after.mean(0)).mean()),
        noise_ratio=_noise_ratio(before.mean(0) - after.mean(0), resting.mean(0) - Y, among),
        refutation=_refutation(fit, group, elements, after.mean(0), resting.mean(0), Y, among),
        coverage=coverage(fit.held.X, shape.rep_in, group, seed) if distinct else None,
    )


def _noise_ratio(gaps: Array, mistakes: Array, among: NDArray[np.bool_]) -> float | None:
    """Median over rows of the squared violation (averaged over elements), over twice that of the squared mistakes."""
    usual = float(np.median(np.sum(mistakes**2, axis=-1)))
    rows = among.any(0)
    if among.sum() < FEWEST_PAIRS or not usual:
        return None
    sums = np.sum(np.where(among, np.sum(gaps**2, axis=-1), 0.0), axis=0)[rows]
    return float(np.median(sums / among.sum(0)[rows])) / (2 * usual)


def _refutation(
    fit: Fit,
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
    spread = float(worse.std(ddof=1)) / len(worse) ** 0.5
    return float(worse.mean()) / spread if spread > 0 else 0.0


def _among(fit: Fit, moved: Array, X: Array) -> NDArray[np.bool_]:
    """Which moved rows (elements, rows, inputs) have a neighbour among the data as near as nearly all data have."""
    from scipy.spatial import KDTree

    points = fit.scale_in.transform(X)
    tree = KDTree(points)
    usual = np.quantile(tree.query(points, k=2)[0][:, 1], USUAL)
    distance = tree.query(fit.scale_in.transform(moved.reshape(-1, X.shape[1])))[0]
    return np.asarray(distance <= usual).reshape(moved.shape[:2])


def weight_distances(fit: Fit, group: Group) -> tuple[float, dict[str, float]]:
    """How far weights are from the group's space: the share of their squared norm outside, and each layer's relative distance."""
    shares, layers = [], []
    for member in fit.members:
        per = make_regularizer(member.model, fit.shape, 0.0)
        if per is None:
            return 0.0, {}
        outside = per.residuals()[group.name]
        squares = per.stacked.by_layer(
            [float(p.detach().double().square().sum()) for p in per.stacked.parameters]
        )
        shares.append(2 * sum(outside.values()) / sum(squares.values()))
        layers.append([np.sqrt(2 * outside[name] / max(squares[name], 1e-300)) for name in squares])
    named = {f"layer {k + 1}": float(value) for k, value in enumerate(np.mean(layers, axis=0))}
    return float(np.mean(shares)), named


def final_strength(fit: Fit, group: Group) -> float:
    """The final strength of the group's penalty, a geometric mean over members."""
    values = [member.strengths[group.name] for member in fit.members]
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-300))))) if min(values) > 0 else 0.0
