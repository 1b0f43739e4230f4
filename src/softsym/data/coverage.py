r"""How well data cover the orbits of a group.

A symmetry that the data never show can be assumed but not refuted: if all vectors point up, nothing tells what happens to those that
point down. So data are compared with data that were moved by random elements of the group. With densities p of the data and q of
the moved data, the coverage is

.. math:: \int \frac{2\, p\, q}{p + q} \in [0, 1] ,

which is 1 if moved data look like data and 0 if they lie where there are none. It is estimated without any density: half of the rows
are moved, and among the k nearest neighbours of a point the share of the *other* kind tends to q / (p + q) (for a data point) and
p / (p + q) (for a moved one). Both kinds give the same integral; the smaller estimate is taken, because in many dimensions the
points of the denser kind are near to everything. Neighbours also tell little apart in many dimensions, so the estimate is made in
several *views*, all columns, one copy of each type, the mean of its copies, their length unless the group keeps it, and the
smallest counts: what a view leaves out can only make the coverage look larger.

Reference:
    Multivariate generalizations of the Wald-Wolfowitz and Smirnov two-sample tests (Friedman and Rafsky, 1979),
    https://doi.org/10.1214/aos/1176344722; A multivariate two-sample test based on the number of nearest neighbor type
    coincidences (Henze, 1988), https://doi.org/10.1214/aos/1176350835
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.data.scaler import SymmetricScaler, columns_by_type
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.metrics.action import samples
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.atoms import group_element
from softsym.typing import Array

NEIGHBOURS = 5
ROWS = 2000
"""At most so many rows are compared at once; fewer are compared several times."""
MOST_REPEATS = 20
BLUR = 0.05
"""Differences below this share of the data's size do not count: both kinds are blurred by it."""
SMALLEST = 20
"""Fewer different rows tell nothing."""
ENTRIES = 4_000_000
"""Numbers of the matrices by which rows are moved, at once."""
WELL, HARDLY = 0.7, 0.3

Grade = Literal["well", "partly", "hardly", "still"]


@dataclass(frozen=True)
class Coverage:
    """How well data cover the orbits of one group.

    Args:
        group: The group's name.
        value: Between 0 (moved data lie where there are no data) and 1 (moved data look like data).
        moves: Whether the group moves the data at all; if not, every symmetry under it holds.
    """

    group: str
    value: float
    moves: bool = True

    @property
    def grade(self) -> Grade:
        """The word for it."""
        if not self.moves:
            return "still"
        return "well" if self.value >= WELL else "partly" if self.value >= HARDLY else "hardly"

    @property
    def meaning(self) -> str:
        """What it means for discovery, in one sentence."""
        return {
            "well": "moved data look like data; a symmetry that fails will be seen to fail",
            "partly": "some moved data lie where there are few data; the verdict rests on the rest",
            "hardly": "moved data lie where there are no data; the data cannot refute this symmetry",
            "still": "the group does not move these data; every map respects it",
        }[self.grade]


def coverage(X: ArrayLike, rep: Rep | str, group: Group | str, seed: int = 0) -> Coverage:
    """Compares data with data moved by the group.

    Neighbouring rows of one recording resemble each other more than moved ones, so for overlapping windows the value is too low.

    Args:
        X: Data (n, size of ``rep``); repeated rows count once.
        rep: How the columns transform.
        group: The group. Non-compact groups are drawn from a bounded set, see :meth:`softsym.Group.sample`.
        seed: Seed of rows and group elements.

    Example:
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal([0.0, 0.0, 5.0], 1.0, size=(500, 3))
        >>> coverage(X, "V", "O(2)@z").grade, coverage(X, "V", "O(3)").grade
        ('well', 'hardly')
    """
    rep, group = read_rep(rep), read_group(group)
    data: Array = samples(X, rep, group, "rep", "X").astype(np.float64)
    rng = np.random.default_rng(seed)
    rows = np.unique(data[rng.permutation(len(data))[: 2 * ROWS]], axis=0)
    if len(rows) < SMALLEST:
        raise InputError(
            f"{len(rows)} different rows tell nothing about coverage; at least {SMALLEST} are needed"
        )
    rows = SymmetricScaler.fit(rows, rep, [group]).transform(rows)
    if moving_elements(rep, group, 1, rng) is None:
        return Coverage(group.name, 1.0, moves=False)
    repeats = min(MOST_REPEATS, max(2, 2 * ROWS // len(rows)))
    shares = [_shares(rows, rep, group, rng) for _ in range(repeats)]
    return Coverage(group.name, float(np.clip(np.mean(shares, axis=0).min(), 0.0, 1.0)))


def _shares(rows: Array, rep: Rep, group: Group, rng: np.random.Generator) -> list[tuple[float, float]]:
    """For every view, estimates of the coverage from data points and from moved points."""
    half = min(len(rows), ROWS) // 2
    chosen = rows[rng.permutation(len(rows))[: 2 * half]]
    elements = moving_elements(rep, group, half, rng)
    if elements is None:
        return [(1.0, 1.0)]
    pool = np.concatenate([chosen[:half], moved(rep, group, elements, chosen[half:])])
    return [_share(view, half) for view in _views(pool, rows, rep, group, rng)]


def _views(pool: Array, rows: Array, rep: Rep, group: Group, rng: np.random.Generator) -> Iterator[Array]:
    """What the module says, blurred, in units of the data's spread in every direction."""
    everything, single = [], []
    for tensor_type, index in columns_by_type(rep, group).items():
        size = tensor_type.size(group)
        copies = pool[:, index].reshape(len(pool), -1, size)
        sphering = _sphering(rows[:, index].reshape(-1, size))
        everything.append((_blurred(copies, rng) @ sphering).reshape(len(pool), -1))
        if tensor_type.rank and size < pool.shape[1]:  # else it is all columns once more
            one = copies[np.arange(len(pool)), rng.integers(copies.shape[1], size=len(pool))]
            single += [_blurred(view, rng) @ sphering for view in (one, copies.mean(axis=1))]
        if tensor_type.rank and not group.is_orthogonal:
            length = np.linalg.norm(copies, axis=(1, 2))[:, None]
            single.append(_blurred(np.log(length + 1e-9), rng))
    yield from (np.concatenate(everything, axis=1), *single)


def _blurred(points: Array, rng: np.random.Generator) -> Array:
    return points + BLUR * rng.standard_normal(points.shape)


def _sphering(points: Array) -> Array:
    """The matrix that makes the spread of points equal in every direction, if they are enough to tell the spread.

    Flat data are told from moved ones by few neighbours only if the flat direction counts as much as the others.
    """
    n, size = points.shape
    if n < 10 * size:
        return np.eye(size)
    values, vectors = np.linalg.eigh(np.cov(points.T).reshape(size, size) + BLUR**2 * np.eye(size))
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T, dtype=np.float64)


def _share(points: Array, half: int) -> tuple[float, float]:
    """Shares of the other kind among the neighbours of data, the first half, and of moved points, relative to equal kinds."""
    is_moved = np.arange(2 * half) >= half
    other = is_moved[nearest(points, NEIGHBOURS)] != is_moved[:, None]
    expected = half / (2 * half - 1)
    return float(other[:half].mean() / expected), float(other[half:].mean() / expected)


def nearest(points: Array, k: int) -> NDArray[np.intp]:
    """The k nearest other points of each point, shape (n, k)."""
    square = np.einsum("ij,ij->i", points, points)
    distance = square[:, None] + square[None, :] - 2 * points @ points.T
    np.fill_diagonal(distance, np.inf)
    return np.argpartition(distance, k, axis=1)[:, :k]


def moving_elements(rep: Rep, group: Group, n: int, rng: np.random.Generator) -> list[Array] | None:
    """Elements that move the representation, one array (n, d_p, d_p) for each part; None if there are none.

    At least half of all elements move it if any does. Those that do not would make a group of two elements look covered by
    any data.
    """
    parts = group.sample_parts(2 * n + 32, rng)
    probe = np.tile(rng.standard_normal(rep.size(group)), (len(parts[0]), 1))
    gap = np.linalg.norm(moved(rep, group, parts, probe) - probe, axis=1)
    moving = np.flatnonzero(gap > 1e-9 * (1.0 + np.linalg.norm(probe[0])))
    return [part[np.resize(moving, n)] for part in parts] if len(moving) else None


def moved(rep: Rep, group: Group, parts: list[Array], X: Array) -> Array:
    """Each row moved by an element of its own, shape (n, size); equal elements are represented once."""
    flat = np.concatenate([part.reshape(len(X), -1) for part in parts], axis=1)
    _, first, which = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    rows_of = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    out = X.copy()
    for segment in rep.segments(group):
        if segment.type.rank == 0:
            continue
        columns, step = slice(segment.start, segment.stop), max(1, ENTRIES // segment.size**2)
        for start in range(0, len(first), step):
            chunk = first[start : start + step]
            matrices = segment.type.rho(group, group_element(group, tuple(part[chunk] for part in parts)))
            for matrix, rows in zip(matrices, rows_of[start : start + step], strict=True):
                block = X[rows, columns].reshape(-1, segment.size)
                out[rows, columns] = (block @ matrix.T).reshape(len(rows), -1)
    return out
