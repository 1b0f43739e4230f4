r"""True violations of targets, by Haar averages that have nothing to do with the quadratures of the product.

For a group G, rows x of the inputs' distribution and Haar elements g, :math:`r_g(x) = \rho_{out}(g)^{-1} f(\rho_{in}(g) x)` has the mean
:math:`P_G f(x)`. All truths are quadratic in f, so that second moments of the two maps of a target serve all its variants:

- ``orbit``: :math:`|t - P_G t| / |t|` over the orbits of the inputs, every copy of an output type with a scale of its own;
- ``data``: the same at the inputs themselves; ``pooled``: copies of one type with a common scale; ``worst``: of the worst output block;
- ``cost``: :math:`\min_h |t - h|` over equivariant h, under the inputs' distribution, over the standard deviation of t;
- ``residual``: relative to what the best equivariant linear map leaves of t.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import softsym as ss
from softsym.errors import InputError
from softsym.groups import Group
from softsym.metrics import act
from softsym.reps import Rep
from softsym.typing import Array
from softsym_lab.benchmarks.calibration.targets import Target, normal

ROWS, ELEMENTS, CHUNK = 2_000, 1_024, 16
"""Rows and Haar elements of a truth; elements at once."""
ROUNDING = 1e-6
"""A violation up to this is zero."""
LARGEST = 0.97
"""Share of the largest violation a target can have that its variants go up to."""


@dataclass(frozen=True)
class Moments:
    """Second moments of the maps of a target, one matrix for each output block, shape (blocks, 2, 2).

    Args:
        sizes: Columns of each block.
        types: A number for each block's type.
        is_compact: Whether the group has a Haar probability; without one, zero is zero and anything else is only "not zero".
        orbit: Of t - P t over orbits.
        orbit_norm: Of t over orbits.
        data: Of t - P t at inputs.
        data_norm: Of t at inputs.
        cost: Of t - h for the best equivariant h.
        variance: Of t minus its mean.
        residual: Of t minus the best equivariant linear map.
    """

    sizes: Array
    types: Array
    is_compact: bool
    orbit: Array
    orbit_norm: Array
    data: Array
    data_norm: Array
    cost: Array
    variance: Array
    residual: Array

    def truths(self, c: float) -> dict[str, float]:
        """All truths of the variant s + c b."""
        form = functools.partial(_form, v=np.array([1.0, c]))
        orbit, data, residual = (
            form(top) / np.maximum(form(bottom), 1e-300)
            for top, bottom in (
                (self.orbit, self.orbit_norm),
                (self.data, self.data_norm),
                (self.data * (form(self.data) > 1e-11 * form(self.data_norm))[:, None, None], self.residual),
            )
        )
        present = form(self.orbit_norm) > 1e-20
        weights = self.sizes * present
        types = np.unique(self.types)
        pooled = np.array(
            [
                form(self.orbit)[self.types == k].sum() / max(form(self.orbit_norm)[self.types == k].sum(), 1e-300)
                for k in types
            ]
        )
        by_type = np.array([weights[self.types == k].sum() for k in types])
        squares = {
            "orbit": np.average(orbit, weights=weights),
            "data": np.average(data, weights=weights),
            "pooled": np.average(pooled, weights=by_type),
            "worst": (orbit * present).max(),
            "cost": np.average(form(self.cost) / np.maximum(form(self.variance), 1e-300), weights=weights),
            "residual": np.average(np.minimum(residual, 1.0), weights=weights),
            "residual_worst": (np.minimum(residual, 1.0) * present).max(),
        }
        return {name: _root(value) for name, value in squares.items()}

    def scale(self, c: float, residual: bool) -> Array:
        """Root mean squares of the blocks' columns: of what varies, or of what a linear map leaves."""
        return np.sqrt(_form(self.residual if residual else self.variance, np.array([1.0, c])) / self.sizes)


@functools.lru_cache(maxsize=512)
def moments(target: Target, candidate: str) -> Moments:
    """The second moments of a target under one of its candidates."""
    rng = np.random.default_rng([7, *target.name.encode()])
    size = ss.rep(target.rep_in).size(ss.group(candidate))
    return moments_at((target.inputs or normal()).draw(rng, ROWS, size), target, candidate)


def moments_at(X: Array, target: Target, candidate: str) -> Moments:
    """The second moments at given inputs (n, size): their own orbits, not those of the whole distribution."""
    n = len(X)
    rep_in, rep_out, group = ss.rep(target.rep_in), ss.rep(target.rep_out), ss.group(candidate)
    F = target.parts(X)
    slices, types = blocks(rep_out, group)
    parts = haar_elements(group)
    count = len(parts[0])
    density = target.inputs.log_density if target.inputs else None
    first, second = np.zeros_like(F), np.zeros((2, 2, *F.shape[1:]))
    weight, weighted, products = np.zeros((n, 1)), np.zeros_like(F), np.zeros((2, 2, *F.shape[1:]))
    base = np.zeros(n) if density is None else density(X)
    for start in range(0, count, CHUNK):
        some = [part[start : start + CHUNK] for part in parts]
        returned, there = returned_values(target.parts, X, rep_in, rep_out, group, some)
        first += returned.sum(axis=1)
        second += np.einsum("ignc,jgnc->ijnc", returned, returned)
        if density is None:
            continue
        w = np.exp(np.minimum(density(there).reshape(len(some[0]), n) - base, 30.0))
        weight += w.sum(axis=0)[:, None]
        weighted += np.einsum("gn,ignc->inc", w, returned)
        products += np.einsum("gn,ignc,jgnc->ijnc", w, returned, returned)
    mean = first / count
    shift = invariant_shift(F.mean(axis=1), rep_out, target.candidates)
    variance = second / count - mean[:, None] * mean[None]
    if density is None:
        cost = (F - mean)[:, None] * (F - mean)[None]
    else:
        h = weighted / weight
        cost = products / weight - h[:, None] * h[None]
    centred = F - shift[:, None]
    orbit_norm = (
        second / count
        - mean[:, None] * shift[None, :, None]
        - shift[:, None, None] * mean[None]
        + (shift[:, None] * shift[None])[:, :, None]
    )
    left = linear_residual(X, centred, rep_in, rep_out, group, slices)
    pairs = {
        "orbit": variance,
        "orbit_norm": orbit_norm,
        "data": (F - mean)[:, None] * (F - mean)[None],
        "data_norm": centred[:, None] * centred[None],
        "cost": cost,
        "variance": _products(F - F.mean(axis=1, keepdims=True)),
        "residual": _products(left),
    }
    sums = {name: np.stack([value[..., s].sum(axis=-1).mean(axis=-1) for s in slices]) for name, value in pairs.items()}
    sizes = np.array([s.stop - s.start for s in slices], dtype=np.float64)
    return Moments(sizes, types, group.is_orthogonal, **sums)


@functools.lru_cache(maxsize=4096)
def strength(target: Target, level: float) -> float:
    """The c of the variant with a violation of the first candidate; for groups that are not compact, with a share of the breaking part."""
    if level == 0 or target.broken is None:
        return 0.0
    table = moments(target, target.candidates[0])
    if not table.is_compact:
        s, b = table.data_norm.sum(axis=0)[[0, 1], [0, 1]]
        return float(level / np.sqrt(max(1.0 - level**2, 1e-3)) * np.sqrt(s / b))
    name = "residual_worst" if target.residual else "worst"
    largest = max(table.truths(c)[name] for c in np.logspace(-4, 6, 60))
    goal = min(level, LARGEST * largest)
    low, high = -6.0, 6.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if table.truths(10**middle)[name] < goal else (low, middle)
    return float(10**high)


def haar_elements(group: Group, count: int = ELEMENTS) -> list[Array]:
    """All elements of a small finite group, random ones of Haar measure otherwise (of a bounded set where there is none)."""
    if group.is_finite:
        try:
            if len(group.elements) <= 2 * count and len(group.part_dims) == 1:
                return [group.elements]
        except InputError:
            pass
    return list(group.sample_parts(count, np.random.default_rng([11, count])))


def returned_values(
    maps: Callable[[Array], Array], X: Array, rep_in: Rep, rep_out: Rep, group: Group, parts: Sequence[Array]
) -> tuple[Array, Array]:
    """rho_out(g)^-1 f(rho_in(g) x) of both maps, shape (2, elements, rows, outputs), and the transformed inputs."""
    there = act(rep_in, group, list(parts), X)
    t, n, _ = there.shape
    F = maps(there.reshape(t * n, -1)).reshape(2, t, n, -1)
    back: list[Array] = [np.asarray(np.linalg.inv(part), dtype=np.float64) for part in parts]
    eye = np.eye(F.shape[-1])
    R = act(rep_out, group, back, eye)  # (t, size, size): rows are images of unit vectors
    return np.einsum("itnc,tcd->itnd", F, R), there.reshape(t * n, -1)


def blocks(rep: Rep, group: Group) -> tuple[list[slice], Array]:
    """Columns of every copy of every type, and a number for its type."""
    slices, types = [], []
    names: dict[object, int] = {}
    for segment in rep.segments(group):
        for k in range(segment.copies):
            start = segment.start + k * segment.size
            slices.append(slice(start, start + segment.size))
            number = len(names) if segment.type.rank == 0 else names.setdefault(segment.type, len(names))
            if segment.type.rank == 0:
                names[(segment.type, start)] = number
            types.append(number)
    return slices, np.array(types)


@functools.lru_cache(maxsize=256)
def _joint_invariants(rep: str, candidates: tuple[str, ...]) -> Array:
    joined = ss.group(" | ".join(f"({text})" for text in candidates))
    basis = np.asarray(ss.invariants(rep, joined).basis(), dtype=np.float64)
    size = ss.rep(rep).size(joined)
    return np.asarray(basis.reshape(size, -1).T)


def invariant_shift(means: Array, rep: Rep, candidates: tuple[str, ...]) -> Array:
    """Column means (..., size), projected onto what all candidates leave alone."""
    Q = np.linalg.qr(_joint_invariants(str(rep), candidates).T)[0]
    return np.asarray(means @ Q @ Q.T)


def linear_residual(X: Array, F: Array, rep_in: Rep, rep_out: Rep, group: Group, slices: list[slice]) -> Array:
    """What the best equivariant linear map of the inputs leaves, block by block."""
    size = (rep_out.size(group), rep_in.size(group))
    basis = np.asarray(ss.equivariant_maps(rep_in, rep_out, group).basis(), dtype=np.float64)
    basis = basis.T.reshape(-1, *size)
    left = F.copy()
    if not len(basis):
        return left
    for s in slices:
        features = np.einsum("koi,ni->nok", basis[:, s], X).reshape(-1, len(basis))
        for one in left:
            target = one[:, s].reshape(-1)
            one[:, s] = (target - features @ np.linalg.lstsq(features, target, rcond=1e-10)[0]).reshape(len(X), -1)
    return left


def _products(F: Array) -> Array:
    return np.asarray(F[:, None] * F[None])


def _form(matrix: Array, v: Array) -> Array:
    return np.asarray(np.maximum(np.einsum("i,kij,j->k", v, matrix, v), 0.0))


def _root(square: float) -> float:
    a = float(np.sqrt(max(square, 0.0)))
    return 0.0 if a < ROUNDING else min(a, 1.0)
