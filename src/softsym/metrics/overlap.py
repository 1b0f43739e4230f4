r"""Orbit overlap: how much of a group's orbits the inputs of a data set cover.

A symmetry that the inputs never show can be assumed but not refuted: if all vectors point up, the data say nothing about those that
point down. So data are compared with data transformed by random elements of the group. With densities p of the data and q of the
transformed data, the orbit overlap is

.. math:: \int \frac{2\, p\, q}{p + q} \in [0, 1] ,

which is 1 if both distributions are equal and 0 if they are disjoint. It is estimated without any density: half of the rows are
transformed, and among the k nearest neighbours of a point the share of the *other* half tends to q / (p + q) (for a data point) and
p / (p + q) (for a transformed one). Both halves estimate the same integral; the smaller estimate is taken, because in many dimensions
the points of the denser half are near to everything. Since neighbours also distinguish little in many dimensions, the estimate is made
in several *views*: all columns, one copy of each type, the mean of its copies, and their length unless the group keeps it. The
smallest counts: what a view leaves out can only make the overlap look larger. So does averaging over a whole group: a half plane has no
overlap with its reflection, however well rotations by small angles overlap. The estimate is made for the whole group, for the circle of
each generator of its Lie algebra and for each of its discrete generators, and the smallest counts.

Reference:
    Multivariate generalizations of the Wald-Wolfowitz and Smirnov two-sample tests (Friedman and Rafsky, 1979),
    https://doi.org/10.1214/aos/1176344722; A multivariate two-sample test based on the number of nearest neighbor type
    coincidences (Henze, 1988), https://doi.org/10.1214/aos/1176350835
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm
from scipy.spatial import cKDTree

from softsym.arrays import make_rng, read_numbers
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.metrics.normalisation import columns_by_type, fit_shift_and_scale
from softsym.metrics.transform import check_samples, sample_nontrivial, transform_rows
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array

NEIGHBOURS = 5
ROWS = 2000
"""Largest number of rows that are compared at once; smaller data are compared several times."""
MOST_REPEATS = 10
MOST_PIECES, ANGLES = 6, 64
"""Generators of each kind that are looked at, and angles on a circle."""
BLUR = 0.05
"""Standard deviation of the noise added to standardised columns: smaller differences do not count."""
MIN_ROWS = 20
"""Smallest number of different rows."""
HIGH_OVERLAP, LOW_OVERLAP = 0.7, 0.3

Grade = Literal["well", "partly", "hardly", "still"]


@dataclass(frozen=True)
class OrbitOverlap:
    """How much of the orbits of one group the data cover.

    Args:
        group: The group's name.
        value: Between 0 (transformed data lie where there are no data) and 1 (transformed data look like data).
        acts: Whether the group acts on the data at all; if not, every symmetry under it holds.
    """

    group: str
    value: float
    acts: bool = True

    @property
    def grade(self) -> Grade:
        """``well``, ``partly`` or ``hardly`` covered; ``still`` if the group does not act."""
        if not self.acts:
            return "still"
        return "well" if self.value >= HIGH_OVERLAP else "partly" if self.value >= LOW_OVERLAP else "hardly"

    @property
    def meaning(self) -> str:
        """Consequence for discovery, in one sentence."""
        return {
            "well": "transformed data look like data; a symmetry that fails will be seen to fail",
            "partly": "some transformed data lie where there are few data; the verdict rests on the rest",
            "hardly": "transformed data lie where there are no data; the data cannot refute this symmetry",
            "still": "the group does not act on these data; every map respects it",
        }[self.grade]


def orbit_overlap(X: ArrayLike, rep: Rep | str, group: Group | str, seed: int = 0) -> OrbitOverlap:
    """Estimates the overlap of data with data transformed by the group.

    Neighbouring rows of one recording resemble each other more than transformed ones, so the value is too low for overlapping windows.

    Args:
        X: Data (n, size of ``rep``); repeated rows count once.
        rep: How the columns transform.
        group: The group. Non-compact groups are drawn from a bounded set, see :meth:`softsym.Group.sample`.
        seed: Seed of rows and group elements.

    Example:
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal([0.0, 0.0, 5.0], 1.0, size=(500, 3))
        >>> orbit_overlap(X, "V", "O(2)@z").grade, orbit_overlap(X, "V", "O(3)").grade
        ('well', 'hardly')
    """
    rep, group = read_rep(rep), read_group(group)
    data: Array = check_samples(read_numbers(X, "X"), rep, group, "rep", "X")
    rng = make_rng(seed)
    rows = np.unique(data[rng.permutation(len(data))[: 2 * ROWS]], axis=0)
    if len(rows) < MIN_ROWS:
        raise InputError(
            f"the orbit overlap of {len(rows)} different rows cannot be estimated; at least {MIN_ROWS} are needed"
        )
    shift, scale = fit_shift_and_scale(rows, rep, [group])
    rows = (rows - shift) / scale
    if sample_nontrivial(rep, group, 1, rng) is None:
        return OrbitOverlap(group.name, 1.0, acts=False)
    values = [_overlap(rows, rep, group, draw, rng) for draw in _pieces(rep, group)]
    return OrbitOverlap(group.name, float(np.clip(min(values, default=1.0), 0.0, 1.0)))


Draw = Callable[[int, np.random.Generator], "list[Array] | None"]
"""Draws so many elements, one array for each part of the group; None if none acts."""


def _pieces(rep: Rep, group: Group) -> Iterator[Draw]:
    """How to draw from the whole group, from the circle of each Lie generator, and each discrete generator."""
    yield lambda n, rng: sample_nontrivial(rep, group, n, rng)
    if len(group.lie) + len(group.discrete) < 2:
        return

    def elements(part: int, matrices: Array) -> list[Array]:
        eyes = [np.tile(np.eye(d), (len(matrices), 1, 1)) for d in group.part_dims]
        return [matrices if k == part else eye for k, eye in enumerate(eyes)]

    for generator in group.discrete[:MOST_PIECES]:
        yield lambda n, rng, g=generator: elements(g.part, np.tile(g.matrix, (n, 1, 1)))  # type: ignore[misc]
    for generator in group.lie[:MOST_PIECES]:
        speeds, size = np.linalg.eigvals(generator.matrix), float(np.linalg.norm(generator.matrix))
        is_rotation = bool(np.abs(speeds.real).max() < 1e-6 * size < 1e-2 * np.abs(speeds.imag).max())
        reach = math.pi / float(np.abs(speeds.imag).max()) if is_rotation else 1.0

        def circle(n: int, rng: np.random.Generator, g: Any = generator, reach: float = reach) -> list[Array]:
            steps = rng.uniform(-reach, reach, ANGLES)
            return elements(g.part, expm(steps[:, None, None] * g.matrix)[rng.integers(ANGLES, size=n)])

        yield circle


def _overlap(rows: Array, rep: Rep, group: Group, draw: Draw, rng: np.random.Generator) -> float:
    """The smallest mean of estimates over views."""
    repeats = min(MOST_REPEATS, max(2, 2 * ROWS // len(rows)))
    estimates = [_estimates(rows, rep, group, draw, rng) for _ in range(repeats)]
    return float(np.mean(estimates, axis=0).min())


def _estimates(
    rows: Array, rep: Rep, group: Group, draw: Draw, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """For every view, the overlap estimated from data points and from transformed points."""
    half = min(len(rows), ROWS) // 2
    chosen = rows[rng.permutation(len(rows))[: 2 * half]]
    elements = draw(half, rng)
    if elements is None:
        return [(1.0, 1.0)]
    pool = np.concatenate([chosen[:half], transform_rows(rep, group, elements, chosen[half:])])
    return [_shares(view, half) for view in _views(pool, rows, rep, group, rng)]


def _views(pool: Array, rows: Array, rep: Rep, group: Group, rng: np.random.Generator) -> Iterator[Array]:
    """The views of the module's text, blurred and whitened."""
    all_columns, views = [], []
    for tensor_type, index in columns_by_type(rep, group).items():
        size = tensor_type.size(group)
        copies = pool[:, index].reshape(len(pool), -1, size)
        whitening = _whitening(rows[:, index].reshape(-1, size))
        all_columns.append((_blur(copies, rng) @ whitening).reshape(len(pool), -1))
        if tensor_type.rank and size < pool.shape[1]:  # else it is all columns once more
            single = copies[np.arange(len(pool)), rng.integers(copies.shape[1], size=len(pool))]
            views += [_blur(view, rng) @ whitening for view in (single, copies.mean(axis=1))]
        if tensor_type.rank and not group.is_orthogonal:
            length = np.linalg.norm(copies, axis=(1, 2))[:, None]
            views.append(_blur(np.log(length + 1e-9), rng))
    yield from (np.concatenate(all_columns, axis=1), *views)


def _blur(points: Array, rng: np.random.Generator) -> Array:
    return points + BLUR * rng.standard_normal(points.shape)


def _whitening(points: Array) -> Array:
    """The matrix that makes the variance of points equal in every direction; the identity for too few points.

    Flat data and transformed ones are distinguished by few neighbours only if the flat direction counts as much as the others.
    """
    n, size = points.shape
    if n < 10 * size:
        return np.eye(size)
    values, vectors = np.linalg.eigh(np.cov(points.T).reshape(size, size) + BLUR**2 * np.eye(size))
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T, dtype=np.float64)


def _shares(points: Array, half: int) -> tuple[float, float]:
    """Share of the other half among the neighbours of each half, relative to the share under equal distributions."""
    is_transformed = np.arange(2 * half) >= half
    other = is_transformed[nearest(points, NEIGHBOURS)] != is_transformed[:, None]
    expected = half / (2 * half - 1)
    return float(other[:half].mean() / expected), float(other[half:].mean() / expected)


def nearest(points: Array, k: int) -> NDArray[np.intp]:
    """The k nearest other points of each point, shape (n, k)."""
    return np.asarray(cKDTree(points).query(points, k + 1)[1][:, 1:])
