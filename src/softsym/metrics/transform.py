r"""Data and groups: transforming data by group elements, standardising them, and how much of the orbits they cover.

A representation acts on every copy of a tensor type by the same small matrix, so a batch of elements :math:`g_1, \dots, g_t` transforms
samples :math:`x_1, \dots, x_n` block by block,

.. math:: \mathrm{out}_{ij} = \rho(g_i)\, x_j ,

and the (size, size) matrix of the whole representation is never formed.

**Orbit overlap.** A symmetry that the inputs never show can be assumed but not refuted: if all vectors point up, the data say nothing
about those that point down. So data are compared with data transformed by random elements of the group. With densities p of the data and
q of the transformed data, the orbit overlap is

.. math:: \int \frac{2\, p\, q}{p + q} \in [0, 1] ,

which is 1 if both distributions are equal and 0 if they are disjoint. It is estimated without any density: half of the rows are
transformed, and among the k nearest neighbours of a point the share of the *other* half tends to q / (p + q) (for a data point) and
p / (p + q) (for a transformed one). Both halves estimate the same integral; the smaller estimate is taken, because in many dimensions
the points of the denser half are near to everything. Since neighbours also distinguish little in many dimensions, the estimate is made
in several *views*: all columns, one copy of each type, the mean of its copies, and their length unless the group keeps it; for the whole
group, for the circle of each generator of its Lie algebra and for each of its discrete generators. The smallest counts: what a view leaves
out, and averaging over a whole group, can only make the overlap look larger.

Reference:
    Multivariate generalizations of the Wald-Wolfowitz and Smirnov two-sample tests (Friedman and Rafsky, 1979),
    https://doi.org/10.1214/aos/1176344722; A multivariate two-sample test based on the number of nearest neighbor type
    coincidences (Henze, 1988), https://doi.org/10.1214/aos/1176350835
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm
from scipy.spatial import cKDTree

from softsym.arrays import make_rng, quaternion_hint, read_numbers
from softsym.errors import InputError
from softsym.groups import Group, gaussian, join_groups, read_groups
from softsym.groups import group as read_group
from softsym.reps import Rep, Scalar, TensorType
from softsym.reps import rep as read_rep
from softsym.reps.atoms import group_element
from softsym.reps.particles import has_particles, particles_hint, read_particles
from softsym.spaces import invariants
from softsym.typing import Array

ENTRIES = 4_000_000  # largest number of matrix entries that are computed at once


def act(rep: Rep | str, group: Group | str, parts: Array | Sequence[Array], x: Any) -> Any:
    """Transforms every sample by every group element.

    Args:
        rep: Representation of the samples.
        group: The group.
        parts: Elements as :meth:`~softsym.Group.sample_parts` gives them, one array (t, d_p, d_p) for each part of a direct
            product; or whole matrices (t, d, d).
        x: Samples (n, size), a NumPy array or a torch tensor (differentiable).

    Returns:
        Transformed samples (t, n, size), of the kind, dtype and device of ``x``.

    Example:
        >>> import numpy as np, softsym as ss
        >>> G = ss.O(3)
        >>> x = np.random.default_rng(0).standard_normal((8, 20))
        >>> act("5S + 5V", G, G.sample_parts(4, seed=0), x).shape
        (4, 8, 20)
    """
    rep, group = read_rep(rep), read_group(group)
    x = check_samples(x, rep, group, "rep", "x")
    element = group_element(group, parts if isinstance(parts, np.ndarray) else tuple(parts))
    if element.whole.ndim != 3:
        d = group.dim
        raise InputError(f"`parts` must be a batch of elements (t, {d}, {d}), got {element.whole.shape}")
    t, n, torch = len(element.whole), len(x), torch_of(x)
    library = np if torch is None else torch
    matrices: dict[TensorType, Any] = {}
    pieces = [library.broadcast_to(x[:, :0], (t, n, 0))]
    for segment in rep.segments(group):
        block = x[:, segment.start : segment.stop]
        if segment.type.rank == 0:
            pieces.append(library.broadcast_to(block, (t, *block.shape)))
            continue
        if segment.type not in matrices:
            rho = segment.type.rho(group, element).swapaxes(-1, -2)
            matrices[segment.type] = rho.astype(x.dtype) if torch is None else torch.tensor(rho).to(x)
        product = block.reshape(n * segment.copies, segment.size) @ matrices[segment.type]
        pieces.append(product.reshape(t, n, segment.copies * segment.size))
    return library.concatenate(pieces, axis=-1)


def transforms(group: Group, n: int, seed: int | np.random.Generator = 0, sampler: str = "haar") -> list[Array]:
    """Draws elements, one array (n, d_p, d_p) for each part of the group."""
    if n < 1:
        raise InputError(f"`n_transforms` must be at least 1, got {n}")
    if sampler not in ("haar", "gaussian"):
        raise InputError(f"unknown sampler {sampler!r}; pass 'haar' or 'gaussian'")
    rng = make_rng(seed)
    if sampler == "haar":
        return group.sample_parts(n, rng)
    return [gaussian(group.factor(part), n, rng) for part in range(len(group.part_dims))]


def sample_nontrivial(rep: Rep, group: Group, n: int, rng: np.random.Generator) -> list[Array] | None:
    """Elements that do not act as the identity, one array (n, d_p, d_p) for each part; None if there are none."""
    # At least half of all act non-trivially if any does. With the others a group of two would seem to overlap any data.
    parts = group.sample_parts(2 * n + 32, rng)
    probe = np.tile(rng.standard_normal(rep.size(group)), (len(parts[0]), 1))
    gap = np.linalg.norm(transform_rows(rep, group, parts, probe) - probe, axis=1)
    moving = np.flatnonzero(gap > 1e-9 * (1.0 + np.linalg.norm(probe[0])))
    return [part[np.resize(moving, n)] for part in parts] if len(moving) else None


def transform_rows(rep: Rep, group: Group, parts: list[Array], X: Array) -> Array:
    """Each row transformed by an element of its own, shape (n, size); equal elements are represented once, so types may be large."""
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


def transform_each_row(rep: Rep, group: Group, parts: Sequence[Array], X: Array) -> Array:
    """The same for many different elements and small types, all rows at once."""
    element = group_element(group, tuple(parts))
    out = X.copy()
    for segment in rep.segments(group):
        if segment.type.rank:
            block = X[:, segment.start : segment.stop].reshape(len(X), segment.copies, segment.size)
            transformed = block @ segment.type.rho(group, element).swapaxes(1, 2)
            out[:, segment.start : segment.stop] = transformed.reshape(len(X), -1)
    return out


def check_samples(x: Any, rep: Rep, group: Group, rep_name: str, name: str) -> Any:
    """Samples (n, size) checked against their representation; lists and whole numbers become floating point."""
    torch = torch_of(x)
    if torch is None:
        is_float = type(x) is np.ndarray and x.dtype.kind == "f"
        x = x if is_float else read_numbers(x, name)
    elif not x.is_floating_point():
        if x.is_complex():
            raise InputError(f"`{name}` must hold real numbers, got a tensor of {x.dtype}")
        x = x.to(torch.get_default_dtype())
    size = rep.size(group)
    if x.ndim != 2 or x.shape[1] != size:
        raise InputError(
            f"`{rep_name}` has size {size}, got `{name}` of shape {tuple(x.shape)}; pass shape (n, {size}) for {rep} under {group.name}"
        )
    return x


def torch_of(x: Any) -> Any:
    """Torch if this is one of its tensors, else None; torch is not imported for it, since a tensor exists only after an import."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def read_shape(
    rep_in: Rep | str | None, rep_out: Rep | str | None, groups: Any, X: Array, Y: Array
) -> tuple[Rep, Rep, list[Group]]:
    """Representations and groups that fit the data, or a clear refusal; all groups act on particles where there are any."""
    if rep_in is not None and rep_out is not None and has_particles(read_rep(rep_in), read_rep(rep_out)):
        texts = [groups] if isinstance(groups, str | Group) else list(groups)
        sizes = (X.shape[1], Y.shape[1])
        rep_in, rep_out, groups = read_particles(read_rep(rep_in), read_rep(rep_out), texts, sizes)
    listed = read_groups(groups) if isinstance(groups, str | Group) or len(groups) else []
    if not listed:  # nothing acts: every column is a scalar, whatever it is called
        return X.shape[1] * Scalar, Y.shape[1] * Scalar, []
    if rep_in is None or rep_out is None:
        missing = "rep_in" if rep_in is None else "rep_out"
        raise InputError(f"`{missing}` is None; with candidate groups pass how the data transform, such as '5S + 5V'")
    first, second, whole = read_rep(rep_in), read_rep(rep_out), join_groups(listed)
    for rep, values, name, what in ((first, X, "rep_in", "X"), (second, Y, "rep_out", "y")):
        size = rep.size(whole)
        if size != values.shape[1]:
            raise InputError(
                f"{rep} under {whole.name} has size {size}, {what} has {values.shape[1]} columns; pass another `{name}`"
                + (particles_hint(rep, whole) or quaternion_hint(values))
            )
    return first, second, listed


CONSTANT = 1e-13  # a standard deviation up to this share of the largest value is rounding: the columns are constant


def fit_shift_and_scale(
    X: ArrayLike, rep: Rep | str | None, groups: Sequence[Group | str], weights: Array | None = None
) -> tuple[Array, Array]:
    """What to subtract from each column and what to divide it by, so that :math:`(x - b) / s` commutes with every group."""
    X = _check_rows(X)
    if not groups:
        return _mean_and_std(X, weights)
    if rep is None:
        raise InputError("`rep` is None; pass how the columns transform, such as '5S + 5V'")
    rep, joined = read_rep(rep), join_groups(dict.fromkeys(read_groups(groups)))
    if rep.size(joined) != X.shape[1]:
        raise InputError(f"{rep} under {joined.name} has size {rep.size(joined)}, the data have {X.shape[1]} columns")
    shift = invariants(rep, joined).project(np.average(X, axis=0, weights=weights))
    scale = np.ones_like(shift)
    for tensor_type, index in columns_by_type(rep, joined).items():
        if tensor_type.rank == 0:
            shift[index], scale[index] = _mean_and_std(X[:, index], weights)
        else:
            scale[index] = _std(X[:, index], shift[index], weights, axis=None)
    return shift, scale


def columns_by_type(rep: Rep, group: Group) -> dict[TensorType, NDArray[np.intp]]:
    """The columns of all copies of each type, wherever they stand."""
    columns: dict[TensorType, list[int]] = {}
    for segment in rep.segments(group):
        columns.setdefault(segment.type, []).extend(range(segment.start, segment.stop))
    return {tensor_type: np.array(index, dtype=np.intp) for tensor_type, index in columns.items()}


def _check_rows(X: ArrayLike) -> Array:
    X = read_numbers(X, "X")
    if X.ndim != 2 or not len(X):
        raise InputError(f"the data must have shape (rows, columns) and at least one row, got {X.shape}")
    if not np.isfinite(X).all():
        raise InputError("the data contain NaN or infinity; leave those rows out")
    return X


def _mean_and_std(X: Array, weights: Array | None) -> tuple[Array, Array]:
    mean = np.average(X, axis=0, weights=weights)
    return mean, _std(X, mean, weights, axis=0)


def _std(X: Array, shift: Array, weights: Array | None, axis: int | None) -> Array:
    """Root mean square of X - shift; 1 where that is only rounding. Squares of large numbers do not overflow."""
    largest = np.abs(X).max(axis=axis, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)
    sample_weight = None if weights is None else np.broadcast_to(weights[:, None], X.shape)
    std = unit * np.sqrt(np.average(((X - shift) / unit) ** 2, axis=axis, weights=sample_weight))
    return np.where(std > CONSTANT * largest, std, 1.0)


NEIGHBOURS = 5
ROWS = 2000  # largest number of rows that are compared at once; smaller data are compared several times
MOST_REPEATS = 10
MOST_PIECES, ANGLES = 6, 64  # generators of each kind that are looked at, and angles on a circle
BLUR = 0.05  # standard deviation of the noise added to standardised columns: smaller differences do not count
MIN_ROWS = 20  # smallest number of different rows
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


def _estimates(rows: Array, rep: Rep, group: Group, draw: Draw, rng: np.random.Generator) -> list[tuple[float, float]]:
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
    """The matrix that makes the variance of points equal in every direction; the identity for too few points."""
    # Few neighbours tell flat data from transformed ones only if the flat direction counts as much as the others.
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
