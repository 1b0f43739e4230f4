r"""Features of equivariant Gaussian processes: :math:`f(x) = \Phi(x)\,\alpha` with independent standard normal weights.

With the invariants I(x) of a group and equivariant polynomials :math:`c_j(x)` (:mod:`softsym.gp.covariants`), features are products

.. math:: \Phi(x) = c_j(x)\, \phi_i(I(x)) ,

so every function they span is equivariant at every group element, compact group or not. The :math:`\phi_i` are monomials, or whitened
features :math:`L^{-1} k(Z, \cdot)` of a squared-exponential kernel with inducing points Z and the Cholesky factor L of their kernel matrix.
Finite groups, whose invariants may be of high degree, are averaged exactly instead. Groups with all positive multiples of the identity act
on inputs divided by their size.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from softsym.gp.covariants import Polynomials, equivariant_polynomials, invariant_polynomials
from softsym.groups import Group
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.metrics.transform import act
from softsym.reps import Rep, TensorType
from softsym.reps.atoms import Base, group_element
from softsym.typing import Array, Index

FeatureMap = Callable[[Array], Array]
"""From scaled rows (n, inputs) to features (n, size of the outputs' type, features)."""
MAX_FEATURES = 1_100
"""Features of one model."""
MAX_PRODUCTS = 20_000
"""Products of coordinates that are looked at, of each number of factors."""
MAX_ORDER = 60
"""Largest order of a finite group whose elements are averaged over; larger ones take invariants of low degree."""
MAX_INVARIANTS = 60
"""With more invariants of degree three, those of degree two have to do."""
POLYNOMIALS = ((1, 9), (2, 9), (3, 2), (3, 9), (4, 2), (4, 9))
"""Total degrees of polynomials that are tried, and how many different inputs (copies of a type, scalars) a term may multiply."""
WIDTHS = (0.35, 0.7, 1.4, 2.8)
"""Widths of squared-exponential kernels, in standard deviations of a coordinate times the root of their number."""
FLAT = 10.0
"""Prior standard deviation of polynomial parts next to smooth ones: hardly any shrinkage."""
SMALLEST = 1e-12


@dataclass(frozen=True, eq=False)
class InducingPoints:
    """Whitened features of a squared-exponential kernel.

    Args:
        points: Inducing points (m, d).
        width: Width of the kernel.
        factor: Cholesky factor of their kernel matrix (m, m).
    """

    points: Array
    width: float
    factor: Array

    @classmethod
    def select(cls, U: Array, width: float, most: int, tolerance: float = 1e-7) -> InducingPoints:
        """Chooses at most ``most`` of the points (n, d) by pivoted Cholesky: each time the one that the others predict worst."""
        left, L, pivots = np.ones(len(U)), np.zeros((len(U), min(most, len(U)))), []
        for k in range(L.shape[1]):
            pivot = int(np.argmax(left))
            if left[pivot] < tolerance:
                break
            pivots.append(pivot)
            column = squared_exponential(U, U[pivot : pivot + 1], width)[:, 0] - L[:, :k] @ L[pivot, :k]
            L[:, k] = column / np.sqrt(left[pivot])
            left = np.maximum(left - L[:, k] ** 2, 0.0)
        return cls(U[pivots], width, np.tril(L[pivots, : len(pivots)]))

    def __call__(self, U: Array) -> Array:
        """Features (n, m) of points (n, d)."""
        values = squared_exponential(self.points, U, self.width)
        return np.asarray(solve_triangular(self.factor, values, lower=True, check_finite=False).T)


def equivariant_features(
    rep: Rep, output: TensorType, group: Group, X: Array, most: int = MAX_FEATURES
) -> Iterator[tuple[str, FeatureMap]]:
    """Feature maps of increasing flexibility, with a name each, between which a likelihood may choose.

    Args:
        rep: Representation of the inputs.
        output: Type of the outputs.
        group: The group.
        X: Scaled rows (n, inputs), from which units and inducing points are taken.
        most: At most so many features.
    """
    powers, inner = split_scaling(rep, group)
    growth = scaling_power(output)
    if powers is None:
        yield from _unscaled(rep, output, group, X, most)
        return
    divided = divide(X, powers)[1]
    maps = (
        _plain(output.size(group), divided, most)
        if inner is None
        else _unscaled(rep, output, inner, divided, most)
    )
    for name, features in maps:
        yield name, _scaled(features, powers, growth)


def _unscaled(
    rep: Rep, output: TensorType, group: Group, X: Array, most: int
) -> Iterator[tuple[str, FeatureMap]]:
    covariants = equivariant_polynomials(rep, output, group)
    coordinates = _Coordinates(rep, group, X)
    if not len(covariants):
        yield "zero", lambda X: np.zeros((len(X), output.size(group), 0))
        return
    lengths = np.sqrt((covariants(X) ** 2).mean(axis=(0, 1))) + SMALLEST
    for degree, order in POLYNOMIALS:
        if (monomials := _monomials(covariants, coordinates, degree, order, most)) is not None:
            yield f"polynomials of degree {degree}", _polynomial(covariants, lengths, coordinates, monomials)
    if group.is_finite and (group.order or np.inf) <= MAX_ORDER:
        yield from _averaged(rep, output, group, covariants, lengths, X, most)
        return
    room = most // len(covariants) - 1
    points = coordinates.smooth(X)
    for width in WIDTHS if room >= 8 else ():
        inducing = InducingPoints.select(points, width * np.sqrt(points.shape[1]), room)
        yield f"squared exponential of width {width}", _smooth(covariants, lengths, coordinates, inducing)


class _Coordinates:
    """Standardised scalars and invariants of inputs."""

    def __init__(self, rep: Rep, group: Group, X: Array) -> None:
        self.scalars = scalar_columns(rep, group)
        self.invariants = invariant_polynomials(rep, group, 3)
        if len(self.invariants) > MAX_INVARIANTS:
            self.invariants = invariant_polynomials(rep, group, 2)
        self.degrees = (*(1 for _ in self.scalars), *self.invariants.degrees)
        self.factors = (*(frozenset((int(k),)) for k in self.scalars), *self.invariants.factors)
        raw = self.raw(X)
        self.unit = np.median(np.abs(raw), axis=0) + SMALLEST
        smooth = np.arcsinh(raw / self.unit)
        self.raw_scale, self.mean, self.std = (
            np.sqrt((raw**2).mean(0)) + SMALLEST,
            smooth.mean(0),
            smooth.std(0) + SMALLEST,
        )

    def raw(self, X: Array) -> Array:
        """As they are, (n, coordinates)."""
        return np.concatenate([X[:, self.scalars], self.invariants(X)[:, 0]], axis=1)

    def smooth(self, X: Array) -> Array:
        """With long tails drawn in; at least one coordinate."""
        raw = self.raw(X)
        if not raw.shape[1]:
            return np.zeros((len(X), 1))
        return np.asarray((np.arcsinh(raw / self.unit) - self.mean) / self.std)


def _monomials(
    covariants: Polynomials, coordinates: _Coordinates, degree: int, order: int, most: int
) -> list[tuple[int, tuple[int, ...]]] | None:
    """Which equivariant polynomial times which coordinates have at most a total degree and number of inputs; None if too many."""
    products = list(_products(coordinates, degree, order))
    found: list[tuple[int, tuple[int, ...]]] = []
    for k, (own, factors) in enumerate(zip(covariants.degrees, covariants.factors, strict=True)):
        found += [
            (k, chosen)
            for total, others, chosen in products
            if own + total <= degree and len(factors | others) <= order
        ]
        if len(found) > most:
            return None
    return found or None


def _products(
    coordinates: _Coordinates, degree: int, order: int
) -> Iterator[tuple[int, frozenset[int], tuple[int, ...]]]:
    """Total degree, inputs and factors of all products of coordinates of at most a degree and number of inputs."""
    level: list[tuple[int, frozenset[int], tuple[int, ...]]] = [(0, frozenset(), ())]
    while level:
        yield from level
        longer = (
            (total + coordinates.degrees[k], inputs | coordinates.factors[k], (*chosen, k))
            for total, inputs, chosen in level
            for k in range(chosen[-1] if chosen else 0, len(coordinates.degrees))
            if total + coordinates.degrees[k] <= degree and len(inputs | coordinates.factors[k]) <= order
        )
        level = list(itertools.islice(longer, MAX_PRODUCTS))


def _polynomial(
    covariants: Polynomials,
    lengths: Array,
    coordinates: _Coordinates,
    monomials: list[tuple[int, tuple[int, ...]]],
) -> FeatureMap:
    products = list(dict.fromkeys(chosen for _, chosen in monomials))
    place = {chosen: k for k, chosen in enumerate(products)}
    first, second = [k for k, _ in monomials], [place[chosen] for _, chosen in monomials]

    def evaluate(X: Array) -> Array:
        raw = coordinates.raw(X) / coordinates.raw_scale
        values = np.stack([raw[:, list(chosen)].prod(axis=1) for chosen in products], axis=1)
        return np.asarray((covariants(X) / lengths)[:, :, first] * values[:, None, second])

    return evaluate


def _smooth(
    covariants: Polynomials, lengths: Array, coordinates: _Coordinates, inducing: InducingPoints
) -> FeatureMap:
    def evaluate(X: Array) -> Array:
        functions = np.concatenate([inducing(coordinates.smooth(X)), np.full((len(X), 1), FLAT)], axis=1)
        directions = covariants(X) / lengths
        return np.asarray(
            (directions[..., None] * functions[:, None, None]).reshape(len(X), directions.shape[1], -1)
        )

    return evaluate


def _averaged(
    rep: Rep, output: TensorType, group: Group, covariants: Polynomials, lengths: Array, X: Array, most: int
) -> Iterator[tuple[str, FeatureMap]]:
    """Squared-exponential features of the inputs averaged over all elements of a finite group."""
    q, elements = output.size(group), list(finite_subgroup(group).parts)
    rho = (
        output.rho(group, group_element(group, tuple(elements)))
        if output.rank
        else np.ones((len(elements[0]), 1, 1))
    )
    for width in WIDTHS:
        scale = width * np.sqrt(X.shape[1])
        points = InducingPoints.select(X, scale, max(4, most // (2 * q))).points
        images = act(rep, group, elements, points)

        def kernel(X: Array, images: Array = images, scale: float = scale) -> Array:
            values = np.stack([squared_exponential(X, image, scale) for image in images])
            return np.asarray(
                np.einsum("gnm,gab->nabm", values, rho, optimize=True).reshape(len(X), q, -1) / len(rho)
            )

        gram = kernel(points).transpose(1, 0, 2).reshape(q * len(points), -1)
        values, vectors = np.linalg.eigh((gram + gram.T) / 2)
        kept = values > 1e-9 * values[-1]
        root = vectors[:, kept] / np.sqrt(values[kept])

        def evaluate(X: Array, kernel: FeatureMap = kernel, root: Array = root) -> Array:
            return np.concatenate([kernel(X) @ root, FLAT * covariants(X) / lengths], axis=2)

        yield f"squared exponential of width {width}, averaged", evaluate


def _plain(size: int, X: Array, most: int) -> Iterator[tuple[str, FeatureMap]]:
    """Squared-exponential features of the inputs, for every coordinate of the outputs."""
    for width in WIDTHS:
        inducing = InducingPoints.select(X, width * np.sqrt(X.shape[1]), most // size)

        def evaluate(X: Array, inducing: InducingPoints = inducing) -> Array:
            functions = np.concatenate([inducing(X), np.full((len(X), 1), FLAT)], axis=1)
            return np.asarray(np.einsum("nm,ab->nabm", functions, np.eye(size)).reshape(len(X), size, -1))

        yield f"squared exponential of width {width}", evaluate


def _scaled(features: FeatureMap, powers: Index, growth: int) -> FeatureMap:
    def evaluate(X: Array) -> Array:
        size, divided = divide(X, powers)
        return np.asarray(features(divided) * (size**growth)[:, None, None])

    return evaluate


def split_scaling(rep: Rep, group: Group) -> tuple[Index | None, Group | None]:
    """How columns grow with a multiple of the identity (None if the group has none), and the group without (None if nothing is left)."""
    inner, has_scaling = without_scaling(group)
    powers = np.zeros(rep.size(group), dtype=np.int64)
    for segment in rep.segments(group):
        powers[segment.start : segment.stop] = scaling_power(segment.type)
    return (powers, inner) if has_scaling and powers.any() else (None, group)


def without_scaling(group: Group) -> tuple[Group | None, bool]:
    """The group without the multiples of the identity (None if nothing is left), and whether it has them."""
    if len(group.part_dims) > 1:
        return group, False
    eye = np.eye(group.dim)
    traces = [np.trace(A) / group.dim for A in group.lie_algebra]
    rest = [A for A, t in zip(group.lie_algebra, traces, strict=True) if not np.allclose(A, t * eye)]
    if len(rest) == len(group.lie_algebra):
        return group, False
    if not rest and not len(group.discrete_generators):
        return None, True
    return Group.from_generators(np.array(rest), group.discrete_generators, name=group.name), True


def scaling_power(kind: TensorType) -> int:
    """By which power of s a type grows under multiplication by s."""
    return sum((-1 if atom.is_dual else 1) for atom in kind.atoms if isinstance(atom, Base))


def divide(X: Array, powers: Index) -> tuple[Array, Array]:
    """The size (n,) of every row, from the columns of the first power, and the rows divided by it."""
    first = int(powers[np.flatnonzero(powers)[0]])
    size = np.maximum(np.sqrt((X[:, powers == first] ** 2).mean(1)), SMALLEST) ** (1.0 / first)
    return size, X / size[:, None] ** powers


def scalar_columns(rep: Rep, group: Group) -> Index:
    """Columns that no group acts on."""
    columns = [
        k
        for segment in rep.segments(group)
        if not segment.type.rank
        for k in range(segment.start, segment.stop)
    ]
    return np.array(columns, dtype=np.int64)


def scale_copies(X: Array, rep: Rep, group: Group) -> tuple[Array, Array]:
    """Shift and scale of the columns that commute with every group: one scale for each copy of a type, a mean for scalars only."""
    shift, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
    for segment in rep.segments(group):
        for start in range(segment.start, segment.stop, segment.size):
            columns = slice(start, start + segment.size)
            if not segment.type.rank:
                shift[columns] = X[:, columns].mean()
            deviation = float(np.sqrt(((X[:, columns] - shift[columns]) ** 2).mean()))
            if deviation > SMALLEST * float(np.abs(X[:, columns]).max(initial=1e-300)):
                scale[columns] = deviation
    return shift, scale


def squared_exponential(left: Array, right: Array, width: float) -> Array:
    """exp(-|x - x'|^2 / 2 w^2), (n, m), for points (n, d) and (m, d)."""
    squares = np.einsum("ij,ij->i", left, left)[:, None] + np.einsum("ij,ij->i", right, right)
    squares -= 2.0 * left @ right.T
    np.maximum(squares, 0.0, out=squares)
    squares *= -0.5 / width**2
    return np.asarray(np.exp(squares, out=squares))
