r"""Features of equivariant Gaussian processes: :math:`f(x) = \Phi(x)\,\alpha` with independent standard normal weights.

With the invariants I(x) of a group and equivariant polynomials :math:`c_j(x)` (:mod:`softsym.gp.covariants`), features are products

.. math:: \Phi(x) = c_j(x)\, \phi_i(I(x)) ,

so every function they span is equivariant at every group element, compact group or not. The :math:`\phi_i` are monomials, or whitened
features :math:`k(\cdot, Z) L^{-T}` of a squared-exponential kernel with inducing points Z and the Cholesky factor L of their kernel matrix.
Finite groups, whose invariants may be of high degree, are averaged exactly instead, and features of equal particles are sums over particles
(:mod:`softsym.gp.particles`). Groups with all positive multiples of the identity act
on inputs divided by their size. Without a group every coordinate of the outputs has features of its own.

Features stay factorised: a *part* is a pair of :math:`c` (n, q, J), or None for the unit vectors, and :math:`\phi` (n, M), and stands
for J M features. Sums over rows of their products cost a q-th of those of the features written out.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.linalg import expm, solve_triangular

from softsym.gp.arrays import stored
from softsym.gp.covariants import SCALAR, Polynomials, equivariant_polynomials, invariant_polynomials, separates_orbits
from softsym.gp.particles import (
    Exchanges,
    Invariants,
    ManyBodyFeatures,
    PooledFeatures,
    SurroundingFeatures,
    Tuples,
    principal_axes,
    read_exchanges,
)
from softsym.groups import Group, Trivial
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.metrics.transform import act, torch_of
from softsym.reps import Rep, Scalar, TensorType
from softsym.reps.atoms import group_element
from softsym.reps.symmetric import symmetry_power
from softsym.typing import Array, Index

Part = tuple[Any, Any]
"""Factors (n, q, J), or None for unit vectors, and functions (n, M)."""
MAX_FEATURES = 1_100  # features of one model
MAX_PRODUCTS = 20_000  # products of coordinates that are looked at, of each number of factors
MAX_ORDER = 60
"""Largest order of a finite group whose elements are averaged over; larger ones take invariants of low degree."""
POLYGON, MAX_AVERAGED, MAX_AVERAGED_SIZE = 24, 6_000, 3
"""Corners of the polygon that stands for a circle; most rows and coordinates of outputs for which kernels are averaged over it."""
MAX_INVARIANTS, MAX_DEGREE = 60, 6
"""With more invariants of degree three, those of degree two have to do; and the highest degree where lower ones do not separate orbits."""
MAX_TENSOR = 4_000  # entries of a product of vectors up to which invariants of degree four and more are solved for
POLYNOMIALS = ((1, 9), (2, 9), (3, 2), (3, 9), (4, 2), (4, 9))
"""Total degrees of polynomials that are tried, and how many different inputs (copies of a type, scalars) a term may multiply."""
DECAYS = (1.0, 0.3)
"""By which factor the prior standard deviation of polynomials falls with every degree beyond the first."""
WIDTHS = (0.35, 0.7, 1.4, 2.8, 5.6)
"""Widths of squared-exponential kernels, in standard deviations of a coordinate times the root of their number."""
SUMS = (0.3, 0.03)  # prior standard deviations of a smooth map next to polynomials
CLEARLY_LIKELIER = 5.0  # gain in log likelihood from which a sum is taken: it extrapolates worse than its smooth part
FAR_BEHIND = 50.0
"""Difference of log likelihoods from which smooth maps are not refined, because polynomials are much likelier."""
REFINEMENTS, SLOPE_ROWS, MOST_WIDER = 2, 400, 10.0
"""Rounds in which widths are adapted to slopes, rows at which slopes are taken, and the largest ratio of widths in a round."""
POWERS, NARROWER, WIDER = (1.0, 0.5), 0.7, 4.0
"""Powers of the ratio of slopes that are tried, and factors of all widths."""
WIDE_AND_NARROW = 0.1  # prior standard deviation of functions of a narrow width next to those of a wide one
PATIENCE = 3  # polynomials in a row that may be worse than the best so far
PERFECT = 1e-9  # share of the outputs that is taken for rounding
FLAT = 3.0  # prior standard deviation of polynomial parts next to smooth ones: little shrinkage
TUPLES = "particles", "pairs", "triples", "orders"
MAX_SCALED = 10_000_000  # numbers from which scales of coordinates are taken
MAX_SUMMED = 150_000  # rows times orders of all particles, over which features are summed
ZERO = 1e-9  # root mean square of a sum that vanishes
SUMMED, PRINCIPAL, FACTORS = 60, 12, 16
"""Sums of invariants over pairs of each kind, how many of their principal coordinates smooth functions have, and equivariant sums next to
these."""
SUMS_AROUND, FACTORS_AROUND, AROUND, FLATTEST, WIDER_AROUND = 16, 8, 60, 1e-6, 2.0
"""Sums of each type over the neighbours of a particle, such sums of the outputs' type, principal coordinates of inner products, the least
deviation of these relative to their size, and by how much widths are larger."""
LOGARITHMIC, NEAR = 0.03, 1e-3
"""Share of a typical invariant from which its functions are those of its logarithm, and of a typical squared length from which directions
count."""
PIVOTED = 4_000  # rows among which inducing points are chosen
SMALLEST = 1e-12


class FeatureMap(Protocol):
    """A feature map with a name, evaluated by NumPy or torch."""

    @property
    def name(self) -> str:
        """What it is."""

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""

    def __hash__(self) -> int: ...


def count_features(parts: Sequence[Part], q: int) -> int:
    """Number of features of some parts."""
    return sum((q if C is None else C.shape[2]) * phi.shape[1] for C, phi in parts)


def is_unconstrained(parts: Sequence[Part]) -> bool:
    """Whether every coordinate of the outputs has the same functions."""
    return len(parts) == 1 and parts[0][0] is None


def count_sums(parts: Sequence[Part], q: int) -> int:
    """Number of features that sums over rows have: those of one coordinate where all have the same."""
    return parts[0][1].shape[1] if is_unconstrained(parts) else count_features(parts, q)


def _join(parts: list[Part]) -> list[Part]:
    """Parts, as one where every coordinate has the same functions."""
    if len(parts) < 2 or any(C is not None for C, _ in parts):
        return parts
    xp = torch_of(parts[0][1]) or np
    return [(None, xp.concatenate([phi for _, phi in parts], axis=1))]


def write_out(parts: Sequence[Part], q: int) -> Array:
    """The features themselves, (n, q, features)."""
    full = ((np.broadcast_to(np.eye(q), (len(phi), q, q)) if C is None else C, phi) for C, phi in parts)
    return np.concatenate([(C[..., None] * phi[:, None, None]).reshape(len(phi), q, -1) for C, phi in full], axis=2)


def combine(parts: Sequence[Part], weights: Any, q: int) -> Any:
    """Functions (n, q, copies) of weights (features, copies)."""
    xp, start, total = torch_of(weights) or np, 0, 0.0
    for C, phi in parts:
        J, M = (q if C is None else C.shape[2]), phi.shape[1]
        own = weights[start : start + J * M].reshape(J, M, -1)
        start += J * M
        values = (phi @ xp.swapaxes(own, 0, 1).reshape(M, -1)).reshape(phi.shape[0], J, -1)
        total = total + (values if C is None else xp.matmul(C, values))
    return total


def gram(left: Sequence[Part], right: Sequence[Part], q: int) -> Array:
    """Sums over rows and coordinates of products of features, (features of left, features of right)."""
    return np.concatenate([np.concatenate([_gram(one, other, q) for other in right], axis=1) for one in left], axis=0)


def _gram(left: Part, right: Part, q: int) -> Array:
    (A, f), (B, g) = left, right
    J, K = (q if A is None else A.shape[2]), (q if B is None else B.shape[2])
    M, N = f.shape[1], g.shape[1]
    if A is None and B is None:
        return np.asarray(np.kron(np.eye(q), f.T @ g))
    if A is not None and B is not None and M == 1 and N == 1:
        one = _times(A, f).reshape(-1, J)
        return np.asarray(one.T @ (one if left is right else _times(B, g).reshape(-1, K)))
    if M == 1 and A is not None:  # many factors times a single function
        A = _times(A, f)
        products = A if B is None else B.swapaxes(1, 2) @ A  # (n, K, J)
        blocks = [products[:, k].T @ g for k in range(K)]
        return np.concatenate(blocks, axis=1)
    if N == 1 and B is not None:
        return _gram(right, left, q).T
    out, is_same = np.zeros((J, M, K, N)), left is right
    for j in range(J):
        for k in range(j if is_same else 0, K):
            weight = B[:, j, k] if A is None else A[:, k, j] if B is None else (A[:, :, j] * B[:, :, k]).sum(1)
            out[j, :, k] = f.T @ (weight[:, None] * g)
            if is_same and k > j:
                out[k, :, j] = out[j, :, k].T
    return out.reshape(J * M, K * N)


def _times(C: Array, function: Array) -> Array:
    """Factors times a single function (n, 1), which is often one everywhere."""
    return C if (function == 1.0).all() else C * function[:, :, None]


def correlate(parts: Sequence[Part], Y: Array) -> Array:
    """Sums over rows and coordinates of features times outputs (n, q, copies), (features, copies)."""
    blocks = []
    for C, phi in parts:
        along = Y if C is None else C.swapaxes(1, 2) @ Y
        sums = phi.T @ along.reshape(len(Y), -1)
        blocks.append(sums.reshape(phi.shape[1], -1, Y.shape[2]).swapaxes(0, 1).reshape(-1, Y.shape[2]))
    return np.concatenate(blocks)


def scale_parts(parts: Sequence[Part], factor: Array) -> list[Part]:
    """Parts whose rows are multiplied by factors (n,)."""
    return [(C, phi * factor[:, None]) for C, phi in parts]


@stored
@dataclass(frozen=True, eq=False)
class InducingPoints:
    """Whitened features of a squared-exponential kernel."""

    points: Array  # inducing points (m, d), divided by the width
    width: Any  # of the kernel, (d,) or a number
    root: Array  # (m, m), makes their kernel matrix the identity

    @classmethod
    def select(cls, U: Array, width: Any, most: int, tolerance: float = 1e-6) -> InducingPoints:
        """Chooses at most ``most`` of the points (n, d) by pivoted Cholesky: each time the one that the others predict worst."""
        U = U[:: max(1, len(U) // PIVOTED)][:PIVOTED] / width
        squares, left, pivots = (U * U).sum(axis=1), np.ones(len(U)), []
        L = np.zeros((len(U), min(most, len(U))))
        for k in range(L.shape[1]):
            pivot = int(np.argmax(left))
            if left[pivot] < tolerance:
                break
            pivots.append(pivot)
            gaps = (squares + squares[pivot] - 2.0 * (U @ U[pivot])).clip(0.0)
            column = np.exp(-0.5 * gaps) - L[:, :k] @ L[pivot, :k]
            L[:, k] = column / np.sqrt(left[pivot])
            left = np.maximum(left - L[:, k] ** 2, 0.0)
        factor = np.tril(L[pivots, : len(pivots)])
        root = solve_triangular(factor, np.eye(len(pivots)), lower=True).T
        return cls(U[pivots], width, np.ascontiguousarray(root))

    def __call__(self, U: Any) -> Any:
        """Features (n, m) of points (n, d)."""
        return squared_exponential(U / self.width, self.points) @ self.root

    def slopes(self, U: Array, weights: Array) -> Array:
        """Root mean square change (d,) of functions with weights (k, m, copies) at points (n, d), within one width along a coordinate."""
        along, scaled = self.root @ weights.swapaxes(0, 1).reshape(len(self.points), -1), U / self.width
        kernel = squared_exponential(scaled, self.points)
        changes = [(kernel * (self.points[:, k] - scaled[:, k : k + 1])) @ along for k in range(U.shape[1])]
        return np.array([np.sqrt((each**2).mean()) for each in changes])


def _some(X: Array, coordinates: int) -> Array:
    """Rows at equal distances, so many that their coordinates take little memory: enough for scales."""
    return X[:: max(1, len(X) * coordinates // MAX_SCALED)]


@stored
@dataclass(frozen=True, eq=False)
class Coordinates:
    """Standardised scalars and invariants of inputs.

    Smooth coordinates have no long tails: arcsinh draws them in. If they are homogeneous, invariants of degree d are divided by a length
    to the power d - 1 instead, so that they grow like the inputs.
    """

    scalars: Index  # columns
    invariants: Polynomials  # of the other columns
    unit: Array  # typical size of each, beyond which it is drawn in (d,)
    mean: Array  # of smooth coordinates (d,)
    std: Array  # of smooth coordinates (d,)
    raw_scale: Array  # root mean square of each as it is (d,)
    is_homogeneous: bool = False

    @classmethod
    def fit(cls, rep: Rep, group: Group, X: Array) -> Coordinates:
        """Of representation, group and rows."""
        invariants = separating_invariants(rep, group)[0]
        columns = [(each.start, each.stop) for each in rep.segments(group) if not each.type.rank]
        scalars = np.array([k for ends in columns for k in range(*ends)], dtype=np.int64)
        one = np.ones(len(scalars) + len(invariants))
        own, X = cls(scalars, invariants, one, one, one, one), _some(X, len(one))
        raw = own.raw(X)
        unit, scale = np.median(np.abs(raw), axis=0) + SMALLEST, np.sqrt((raw**2).mean(0)) + SMALLEST
        return replace(own, unit=unit, raw_scale=scale).standardise(X)

    def standardise(self, X: Array, *, is_homogeneous: bool = False) -> Coordinates:
        """The same with mean and standard deviation of rows; homogeneous ones are for groups that keep lengths."""
        one = np.ones(len(self.mean))
        own = replace(self, mean=0.0 * one, std=one, is_homogeneous=is_homogeneous)
        smooth = own.smooth(_some(X, len(one)))[:, : len(one)]
        return replace(own, mean=smooth.mean(0), std=smooth.std(0) + SMALLEST)

    @property
    def degrees(self) -> tuple[int, ...]:
        """The degree of each."""
        return (*(1 for _ in self.scalars), *self.invariants.degrees)

    @property
    def factors(self) -> tuple[frozenset[int], ...]:
        """First columns of the inputs that each multiplies."""
        return (*(frozenset((int(k),)) for k in self.scalars), *self.invariants.factors)

    def raw(self, X: Any) -> Any:
        """As they are, (n, coordinates)."""
        return (torch_of(X) or np).concatenate([X[:, self.scalars], self.invariants(X)[:, 0]], axis=1)

    def smooth(self, X: Any) -> Any:
        """Smooth coordinates without long tails; at least one."""
        raw, xp = self.raw(X), torch_of(X) or np
        if not raw.shape[1]:
            return X[:, :1] * 0.0
        if not self.is_homogeneous:
            return (xp.arcsinh(raw / self.unit) - self.mean) / self.std
        size = (1.0 + (X * X).mean(1)) ** 0.5
        columns = [raw[:, k] / size ** (degree - 1) for k, degree in enumerate(self.degrees)]
        return (xp.stack(columns, 1) - self.mean) / self.std


@stored
@dataclass(frozen=True, eq=False)
class PolynomialFeatures:
    """Equivariant polynomials times monomials of invariants."""

    name: str
    covariants: Polynomials
    lengths: Array  # root mean squares of these
    coordinates: Coordinates
    products: tuple[tuple[int, ...], ...]  # the monomials, as tuples of coordinates
    first: Index  # for every feature its equivariant polynomial
    second: Index  # and its monomial
    sizes: Array  # prior standard deviation of every feature

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""
        raw = self.coordinates.raw(X) / self.coordinates.raw_scale
        one = raw[:, :0].sum(1) + 1.0
        values: dict[tuple[int, ...], Any] = {(): one}
        for chosen in self.products:  # each monomial is a shorter one times a coordinate
            values[chosen] = self._monomial(values, raw, chosen)
        table = (torch_of(X) or np).stack([values[chosen] for chosen in self.products], 1)
        factors = (self.covariants(X) / self.lengths)[:, :, self.first]
        return [(factors * (table[:, self.second] * self.sizes)[:, None], one[:, None])]

    def _monomial(self, values: dict[tuple[int, ...], Any], raw: Any, chosen: tuple[int, ...]) -> Any:
        if chosen not in values:
            values[chosen] = self._monomial(values, raw, chosen[:-1]) * raw[:, chosen[-1]]
        return values[chosen]


@stored
@dataclass(frozen=True, eq=False)
class SmoothFeatures:
    """Equivariant polynomials times smooth functions of invariants."""

    name: str
    covariants: Polynomials
    lengths: Array  # root mean squares of these
    coordinates: Coordinates
    inducing: InducingPoints  # functions of coordinates
    is_linear: bool = False  # whether polynomials are divided by powers of a length, so that they grow like the inputs

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""
        functions = self.inducing(self.coordinates.smooth(X))
        functions = (torch_of(X) or np).concatenate([functions, functions[:, :1] * 0.0 + FLAT], axis=1)
        return [(self.factors(X) / self.lengths, functions)]

    def factors(self, X: Any) -> Any:
        """Equivariant polynomials (n, q, J), perhaps divided by powers of a length."""
        values = self.covariants(X)
        if not self.is_linear:
            return values
        size = (1.0 + (X * X).mean(1)) ** 0.5
        powers = [size ** (1 - degree) if degree else size * 0.0 + 1.0 for degree in self.covariants.degrees]
        return values * (torch_of(X) or np).stack(powers, 1)[:, None]

    def slopes(self, X: Array, weights: Array) -> Array:
        """Root mean square changes (coordinates,) of the functions of given weights, within one width."""
        J, M = len(self.covariants), len(self.inducing.points)
        sizes = np.sqrt(((self.factors(X) / self.lengths) ** 2).mean(axis=(0, 1)))
        own = weights.reshape(J, M + 1, -1)[:, :M] * sizes[:, None, None]
        return self.inducing.slopes(self.coordinates.smooth(X), own)

    def widen(self, X: Array, factors: Array, most: int) -> SmoothFeatures:
        """The same with other widths."""
        points, width = self.coordinates.smooth(X), self.inducing.width * factors
        return replace(self, inducing=InducingPoints.select(points, width, most))


@stored
@dataclass(frozen=True, eq=False)
class NeighbourFeatures:
    """Directions of equivariant polynomials times smooth functions of invariants."""

    covariants: Polynomials
    lengths: Array  # root mean squares of these
    coordinates: Coordinates
    inducing: InducingPoints  # functions of coordinates

    def __call__(self, X: Any) -> list[Part]:
        """Parts of rows (n, inputs)."""
        values = self.covariants(X) / self.lengths
        return [(values / ((values**2).mean(1)[:, None] + NEAR) ** 0.5, self.inducing(self.coordinates.smooth(X)))]


@stored
@dataclass(frozen=True, eq=False)
class AveragedFeatures:
    """Squared-exponential features of the inputs averaged over all elements of a finite group."""

    name: str
    images: Array  # inducing points transformed by every element (elements, m, inputs), divided by the width
    rho: Array  # matrices of the outputs (elements, q, q)
    width: float
    root: Array  # whitens the features
    covariants: Polynomials  # equivariant ones, which are added with hardly any shrinkage
    lengths: Array  # root mean squares of these

    @classmethod
    def fit(
        cls,
        rep: Rep,
        output: TensorType,
        group: Group,
        covariants: Polynomials,
        lengths: Array,
        X: Array,
        width: float,
        most: int,
    ) -> AveragedFeatures:
        """Of a group of small order, its equivariant polynomials, and rows."""
        q, elements = output.size(group), averaging_elements(group)
        rho = output.rho(group, group_element(group, elements)) if output.rank else np.ones((len(elements[0]), 1, 1))
        scale = width * np.sqrt(X.shape[1])
        points = InducingPoints.select(X, scale, max(4, most // (2 * q))).points
        images = np.asarray(act(rep, group, list(elements), points))
        raw = cls("", images, rho, scale, np.eye(q * len(points)), covariants, lengths)
        matrix = raw.kernel(points * scale).swapaxes(0, 1).reshape(q * len(points), -1)
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        kept = values > 1e-9 * values[-1]
        name = f"squared exponential of width {width} of averages"
        return replace(raw, name=name, root=vectors[:, kept] / np.sqrt(values[kept]))

    def kernel(self, X: Any) -> Any:
        """Averaged kernel with the inducing points (n, q, q m)."""
        xp = torch_of(X) or np
        total: Any = 0.0
        for image, matrix in zip(self.images, self.rho, strict=True):
            total = total + xp.einsum("nm,ab->nabm", squared_exponential(X / self.width, image), matrix)
        return (total / len(self.rho)).reshape(X.shape[0], self.rho.shape[1], -1)

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""
        one, q = X[:, :1] * 0.0 + 1.0, self.rho.shape[1]
        functions = (self.kernel(X).reshape(X.shape[0] * q, -1) @ self.root).reshape(X.shape[0], q, -1)
        return [(functions, one), (FLAT * self.covariants(X) / self.lengths, one)]


@stored
@dataclass(frozen=True, eq=False)
class UnconstrainedFeatures:
    """Functions of the inputs for every coordinate of the outputs, and an affine map with hardly any shrinkage."""

    name: str
    inducing: InducingPoints
    is_affine: bool = True  # always; files have it

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""
        functions = self.inducing(X)
        affine = [FLAT * X, functions[:, :1] * 0.0 + FLAT]
        return [(None, (torch_of(X) or np).concatenate([functions, *affine], axis=1))]

    def slopes(self, X: Array, weights: Array) -> Array:
        """Root mean square changes (inputs,) of the functions of given weights, within one width."""
        M = len(self.inducing.points)
        return self.inducing.slopes(X, weights.reshape(-1, M + X.shape[1] + 1, weights.shape[1])[:, :M])

    def widen(self, X: Array, factors: Array, most: int) -> UnconstrainedFeatures:
        """The same with other widths."""
        return replace(self, inducing=InducingPoints.select(X, self.inducing.width * factors, most))


@stored
@dataclass(frozen=True, eq=False)
class PerCoordinate:
    """Features of a scalar for every coordinate of the outputs."""

    features: Any

    @property
    def name(self) -> str:
        """What it is."""
        return str(self.features.name)

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""
        ((C, one),) = self.features(X)
        return [(None, C[:, 0] * one)]


@stored
@dataclass(frozen=True, eq=False)
class ScaledFeatures:
    """Features of inputs divided by their size, for groups with all multiples of the identity."""

    features: Any  # of the divided inputs
    powers: tuple[int, ...]  # by which power of the size each column grows
    growth: int  # the same of the outputs

    @property
    def name(self) -> str:
        """What it is."""
        return f"{self.features.name} of directions"

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""
        size, divided = divide(X, self.powers)
        return scale_parts(self.features(divided), size**self.growth)


@stored
@dataclass(frozen=True, eq=False)
class SumFeatures:
    """Several feature maps, each with a prior standard deviation."""

    maps: tuple[Any, ...]
    sizes: tuple[float, ...]

    @property
    def name(self) -> str:
        """What it is."""
        return " + ".join(each.name for each in self.maps)

    def __call__(self, X: Any) -> list[Part]:
        """Parts of scaled rows (n, inputs)."""
        return _join([(C, phi * size) for each, size in zip(self.maps, self.sizes, strict=True) for C, phi in each(X)])


def equivariant_features(
    rep: Rep, output: TensorType, group: Group, X: Array, most: int = MAX_FEATURES
) -> Iterator[FeatureMap]:
    """Feature maps of increasing flexibility between which a likelihood may choose; none if only zero is equivariant.

    Args:
        rep: Representation of the inputs.
        output: Type of the outputs.
        group: The group.
        X: Scaled rows (n, inputs), from which units and inducing points are taken.
        most: At most so many features.
    """
    exchanges = read_exchanges(rep, output, group, MAX_ORDER)
    if exchanges is not None:
        yield from _pooled(exchanges, X, most)
        return
    powers, inner = split_scaling(rep, group)
    if powers is None:
        yield from _unscaled(rep, output, group, X, most)
        return
    divided = divide(X, powers)[1]
    maps = (
        unconstrained_features(divided, most // output.size(group))
        if inner is None
        else _unscaled(rep, output, inner, divided, most)
    )
    for each in maps:
        yield ScaledFeatures(each, powers, output.degree)


@functools.lru_cache(maxsize=256)
def separating_invariants(rep: Rep, group: Group) -> tuple[Polynomials, bool]:
    """Invariants of low degree, of degree four and more only where others do not separate orbits, and whether they do."""
    invariants = invariant_polynomials(rep, group, 3)
    if len(invariants) > MAX_INVARIANTS:
        invariants = invariant_polynomials(rep, group, 2)
    if separates_orbits(invariants, rep, group):
        return invariants, True
    for degree in range(4, MAX_DEGREE + 1):
        if group.dim**degree > MAX_TENSOR:
            break
        more = invariant_polynomials(rep, group, degree)
        if len(more) > MAX_INVARIANTS:
            return invariants, False
        if separates_orbits(more, rep, group):
            return more, True
    return invariants, False


@functools.lru_cache(maxsize=256)
def spanning_covariants(rep: Rep, output: TensorType, group: Group) -> Polynomials:
    """Equivariant polynomials of degree two, of degree three where these span more of the outputs at generic inputs.

    Example:
        >>> import softsym as ss
        >>> T2 = ss.T(2).terms[0][1]
        >>> [max(spanning_covariants(ss.rep(text), T2, ss.SO(3)).degrees) for text in ("2V", "3V")]
        [3, 2]
    """
    low, x = equivariant_polynomials(rep, output, group), np.random.default_rng(0).standard_normal((1, rep.size(group)))
    rank, largest = _rank(low(x)), max((kind.size(group) for _, kind in rep), default=1)
    if rank == output.size(group) or largest**3 * output.size(group) > MAX_TENSOR:
        return low
    more = equivariant_polynomials(rep, output, group, 3)
    return more if _rank(more(x)) > rank else low


def _rank(values: Array) -> int:
    return int(np.linalg.matrix_rank(values[0], tol=1e-8)) if values.size else 0


def can_follow_all(rep: Rep, group: Group) -> bool:
    """Whether the features of a group follow every equivariant function of inputs, given enough of them."""
    exchanges = read_exchanges(rep, SCALAR, group, MAX_ORDER)
    if exchanges is not None:
        return all(can_follow_all(each.rep, exchanges.group) for each in exchanges.sums[-1])
    _, inner = split_scaling(rep, group)
    if inner is None or (inner.is_finite and (inner.order or np.inf) <= MAX_ORDER):
        return True
    return separating_invariants(rep, inner)[1]


@functools.lru_cache(maxsize=64)
def averaging_elements(group: Group) -> tuple[Array, ...]:
    """All elements of a finite group; of a circle a polygon so fine that averages of smooth functions are those over the circle."""
    subgroup = finite_subgroup(group)
    if group.is_finite:
        return subgroup.parts
    (elements,), A = subgroup.parts, group.lie[0].matrix
    polygon = int(subgroup.degree) + 1
    speed = float(np.abs(np.linalg.eigvals(A).imag).max())
    finer = -(-POLYGON // polygon)
    steps = [expm(2.0 * np.pi * j / (speed * polygon * finer) * A) for j in range(finer)]
    return (np.concatenate([step @ elements for step in steps]),)


def split_sizes(features: FeatureMap) -> tuple[FeatureMap, Array | None]:
    """Polynomials without prior standard deviations, and these; other maps as they are."""
    if isinstance(features, PolynomialFeatures):
        return replace(features, sizes=np.ones(len(features.sizes))), features.sizes
    if isinstance(features, PerCoordinate | ScaledFeatures):
        inner, sizes = split_sizes(features.features)
        return replace(features, features=inner), sizes
    return features, None


@dataclass(frozen=True, eq=False)
class Score:
    """How well a feature map describes some rows."""

    height: float  # log likelihood
    left: float  # share of the outputs that it leaves; once that is rounding, no more maps are tried
    weights: Callable[[], Array]  # computes the weights of its features (features, copies)


def choose_features(
    maps: Sequence[FeatureMap], score: Callable[[FeatureMap], Score], X: Array | None = None
) -> tuple[FeatureMap | None, float]:
    """The map of highest score: of polynomials, of smooth maps with widths for every coordinate, and of sums of them.

    Args:
        maps: As :func:`equivariant_features` yields them: polynomials of increasing degree, then smooth maps of increasing width.
        score: What some rows say about a map.
        X: Scaled rows (n, inputs) from which inducing points of other widths are taken; widths stay as they are without.
    """
    families: dict[str, list[FeatureMap]] = {}
    for each in maps:
        kind = "polynomials" if is_polynomial(each) else each.name.rpartition(" of ")[2]
        families.setdefault(kind, []).append(each)
    rate = functools.cache(score)

    def height(features: FeatureMap) -> float:
        return rate(features).height

    polynomials = families.pop("polynomials", [])
    best = [_rise(polynomials, height)] if polynomials else []
    if best and height(best[0]) > -np.inf and rate(best[0]).left < PERFECT:
        return best[0], height(best[0])
    if families:  # of several coordinates those that are best for a middle width
        family = max(families.values(), key=lambda listed: height(listed[len(listed) // 2]))
        smooth = _ascend(family, height)
        if X is not None and (not best or height(smooth) > height(best[0]) - FAR_BEHIND):
            smooth = _refine(smooth, family, rate, X)
        best.append(smooth)
    if not best:
        return None, -np.inf
    both = [SumFeatures((*best,), (1.0, size)) for size in SUMS] if len(best) > 1 else []
    best.sort(key=height, reverse=True)
    for each in both:
        if height(each) > height(best[0]) + CLEARLY_LIKELIER:
            best.insert(0, each)
    return best[0], height(best[0])


def _refine(
    features: FeatureMap, family: Sequence[FeatureMap], rate: Callable[[FeatureMap], Score], X: Array
) -> FeatureMap:
    """The map with widths of its own for every coordinate, and next to a wider one, where that is likelier.

    Coordinates along which the fitted function changes less within one width get a wider one.
    """
    best, wide = features, family[-1]
    if isinstance(best, SmoothFeatures | UnconstrainedFeatures):
        most = max(len(each.inducing.points) for each in family if isinstance(each, type(best)))
        for _ in range(REFINEMENTS if best.inducing.points.shape[1] > 1 else 0):
            slopes = best.slopes(X[:SLOPE_ROWS], rate(best).weights())
            factors = np.clip(slopes.max() / np.maximum(slopes, 1e-300), 1.0, MOST_WIDER)
            tried = [best.widen(X, factors**power, most) for power in POWERS]
            likeliest = max([best, *tried], key=lambda each: rate(each).height)
            if likeliest is best:
                break
            narrower = likeliest.widen(X, np.full(len(factors), NARROWER), most)
            best = max([likeliest, narrower], key=lambda each: rate(each).height)
        wide = best.widen(X, np.full(best.inducing.points.shape[1], WIDER), most)
    both = SumFeatures((wide, best), (1.0, WIDE_AND_NARROW))
    is_likelier = wide is not best and rate(both).height > rate(best).height + CLEARLY_LIKELIER
    return both if is_likelier else best


def is_polynomial(features: FeatureMap) -> bool:
    """Whether a map has polynomials alone."""
    return features.name.startswith("polynomials") and not isinstance(features, SumFeatures)


def _ascend(listed: list[FeatureMap], height: Callable[[FeatureMap], float]) -> FeatureMap:
    """The best of a row of maps whose scores have one maximum, found from the middle."""
    k = len(listed) // 2
    while True:
        near = [j for j in (k, k - 1, k + 1) if 0 <= j < len(listed)]
        best = max(near, key=lambda j: height(listed[j]))
        if best == k:
            return listed[k]
        k = best


def _rise(listed: list[FeatureMap], height: Callable[[FeatureMap], float]) -> FeatureMap:
    """The best of maps of increasing flexibility; once some in a row are worse, the others are not tried."""
    best, worse = listed[0], 0
    for each in listed[1:]:
        if height(each) > height(best):
            best, worse = each, 0
        elif (worse := worse + 1) >= PATIENCE:
            break
    return best


def unconstrained_features(X: Array, most: int = MAX_FEATURES) -> Iterator[FeatureMap]:
    """Feature maps without a group, of scaled rows (n, inputs): every input is a scalar, and every coordinate has all features."""
    rep, group = X.shape[1] * Scalar, Trivial(1)
    covariants, coordinates = equivariant_polynomials(rep, SCALAR, group), Coordinates.fit(rep, group, X)
    yield from map(PerCoordinate, _polynomials(covariants, root_squares(covariants(X)), coordinates, most))
    for width, inducing in _inducing(X, max(4, most - X.shape[1] - 1)):
        yield UnconstrainedFeatures(f"squared exponential of width {width} of inputs", inducing)


def _inducing(points: Array, most: int) -> Iterator[tuple[float, InducingPoints]]:
    """Kernels of every width with at most so many inducing points."""
    return ((width, InducingPoints.select(points, width * np.sqrt(points.shape[1]), most)) for width in WIDTHS)


def _unscaled(
    rep: Rep, output: TensorType, group: Group, X: Array, most: int, repeats: int = 1
) -> Iterator[FeatureMap]:
    """Polynomials of at most so many features, then smooth maps for so many outputs that share them."""
    covariants = spanning_covariants(rep, output, group)
    if not len(covariants):
        return
    coordinates, lengths = Coordinates.fit(rep, group, X), root_squares(covariants(X))
    yield from _polynomials(covariants, lengths, coordinates, most)
    most //= repeats
    is_small = group.is_finite and (group.order or np.inf) <= MAX_ORDER
    is_circle = group.is_orthogonal and len(group.lie) == len(group.part_dims) == 1  # with finitely many cosets of it
    if is_small or (is_circle and output.size(group) <= MAX_AVERAGED_SIZE and len(X) <= MAX_AVERAGED):
        for width in WIDTHS if is_small else WIDTHS[2:]:  # smooth enough for the polygon to be a circle up to rounding
            yield AveragedFeatures.fit(rep, output, group, covariants, lengths, X, width, most)
    room = most // (2 * len(covariants)) - 1  # a sum with polynomials has as many again
    if is_small or room < 8:
        return
    smooth = [("logarithms", coordinates, False)]
    if group.is_orthogonal:
        homogeneous = coordinates.standardise(X, is_homogeneous=True)
        smooth = [("lengths", homogeneous, False), *smooth]
        if max(covariants.degrees) > 1:
            smooth.append(("lengths and directions", homogeneous, True))
    for kind, each, is_linear in smooth:
        for width, inducing in _inducing(each.smooth(X), room):
            name = f"squared exponential of width {width} of {kind}"
            features = SmoothFeatures(name, covariants, lengths, each, inducing, is_linear)
            yield replace(features, lengths=root_squares(features.factors(X)))


def _pooled(exchanges: Exchanges, X: Array, most: int) -> Iterator[FeatureMap]:
    """Features of particles: sums over particles and pairs of them, then smooth functions of such sums."""
    (first, *_), *others = exchanges.sums
    output, group, order, whole = exchanges.output, exchanges.group, exchanges.order, exchanges.whole
    _, repeats, q = order.shape
    if not others and len(first.columns) == 1:
        is_plain = np.array_equal(first.columns[0], np.arange(X.shape[1])) and repeats == 1
        share = most // repeats if q > 1 else most
        for each in equivariant_features(first.rep, output, group, X[:, first.columns[0]], share):
            yield each if is_plain else PooledFeatures(each.name, (first.columns,), (each,), order)
        return
    sizes = enumerate(exchanges.sums)
    listed = [each for k, sums in sizes for each in _sums(exchanges, sums, k, output, order, X, most)]
    polynomials = [each for each in listed if is_polynomial(each)]
    yield from sorted(polynomials, key=lambda each: each.values(X[:1]).shape[3])
    yield from (each for each in listed if not is_polynomial(each))
    yield from _many_body(exchanges, polynomials, X, most)
    is_small = whole is not None and others and len(X) * len(whole.columns) <= MAX_SUMMED
    for size, sums in ((3, (whole,) if whole is not None and is_small else ()), (1, exchanges.relative)):
        found = _sums(exchanges, sums, size, output, order, X, most)
        yield from (each for each in found if not is_polynomial(each))  # whose polynomials are among the others
    yield from _surroundings(exchanges, X, most)


def _sums(
    exchanges: Exchanges, sums: Sequence[Tuples], size: int, output: TensorType, order: Index, X: Array, most: int
) -> Iterator[PooledFeatures]:
    """Sums over tuples of a size: the same features for all choices of kinds, as far as there are any."""
    is_shared = order.shape[0] * order.shape[2] == 1  # functions of one coordinate are those of all
    share = most // (max(1, len(sums)) * (1 if is_shared else order.shape[1]))
    repeats, maps = order.shape[1] if is_shared else 1, []
    for tuples in sums:
        listed = map(tuples.read, _unscaled(tuples.rep, output, exchanges.group, tuples.rows(X), share, repeats))
        maps.append({each.name: (tuples.columns, each) for each in listed})
    for name in dict.fromkeys(name for each in maps for name in each):
        chosen = [each[name] for each in maps if name in each]
        columns, features = zip(*chosen, strict=True)
        pooled = PooledFeatures(f"{name} summed over {TUPLES[size]}", columns, features, order)
        yield pooled.centre(X) if output == SCALAR else pooled


def _many_body(
    exchanges: Exchanges, polynomials: Sequence[PooledFeatures], X: Array, most: int
) -> Iterator[FeatureMap]:
    """Equivariant sums times smooth functions of sums of invariants over pairs."""
    targets, repeats, _ = exchanges.order.shape
    size = min(1, len(exchanges.sums) - 1)
    most_sums = SUMMED * len(exchanges.sums[size])
    sums = _sums(exchanges, exchanges.sums[size], size, SCALAR, np.arange(targets).reshape(-1, 1, 1), X, most_sums)
    scalars = next((each for each in sums if f"width {WIDTHS[2]}" in each.name), None)
    few = [each for each in polynomials if each.values(X[:1]).shape[3] <= FACTORS]
    factors = few[-1] if few and exchanges.output != SCALAR else None
    if scalars is None or (factors is None and exchanges.output != SCALAR):
        return
    values = scalars.values(X).reshape(len(X) * targets, -1)
    mean, axes = principal_axes(values, PRINCIPAL)
    lengths = np.ones(1) if factors is None else root_squares(factors.values(X))
    if lengths.min() < ZERO:  # sums that vanish, of which rounding is left
        return
    points, room = (values - mean) @ axes, max(4, most // (2 * len(lengths) * repeats))
    for width, inducing in _inducing(points, room):
        name = f"squared exponential of width {width} of sums over {TUPLES[size]}"
        yield ManyBodyFeatures(name, factors, lengths, scalars, mean, axes, inducing, exchanges.order)


def _surroundings(exchanges: Exchanges, X: Array, most: int) -> Iterator[FeatureMap]:
    """Sums over particles of smooth functions of what is around each, times equivariant sums over the others."""
    K, output, found = exchanges.group, exchanges.output, []
    targets, repeats, q = exchanges.order.shape
    if not K.is_orthogonal or not exchanges.around:
        return
    room = most // (len(exchanges.around) * (1 if targets * q == 1 else repeats))
    for pairs in exchanges.around:
        ranks = (symmetry_power("Sym0", rank).terms[0][1] for rank in range(min(K.dim, 2) + 1))
        sums = (_sum_around(pairs, each, K, X) for each in ranks)
        scalars = Invariants(tuple(each for each in sums if each is not None))
        factors = None if output == SCALAR else _sum_around(pairs, output, K, X, FACTORS_AROUND)
        lengths = np.ones(1) if factors is None else root_squares(factors.values(X))
        if lengths.min() < ZERO or (factors is None and output != SCALAR):
            continue
        values = np.concatenate(scalars.values(X))[:, 0]
        sizes = values.std(axis=0) + FLATTEST * root_squares(values).max()
        mean, axes = principal_axes(values[:: -(-len(values) // PIVOTED)] / sizes, AROUND)
        mean, axes = mean * sizes, axes / (WIDER_AROUND * sizes[:, None])
        own = ManyBodyFeatures("", factors, lengths, scalars, mean, axes, None, exchanges.order)
        widths = _inducing((values - mean) @ axes, room // len(lengths))
        found.append([replace(own, inducing=inducing) for _, inducing in widths])
    for width, *maps in zip(WIDTHS if found else (), *found, strict=True):
        yield SurroundingFeatures(f"squared exponential of width {width} of surroundings", (*maps,), exchanges.order)


def _sum_around(
    pairs: Sequence[Tuples], output: TensorType, K: Group, X: Array, most: int = SUMS_AROUND
) -> PooledFeatures | None:
    """For every particle a few equivariant sums over the others of every kind; None if there are none."""
    columns, maps = [], []
    for tuples in pairs:
        covariants = spanning_covariants(tuples.rep, output, K)
        if len(covariants):
            rows = tuples.rows(X)
            coordinates = Coordinates.fit(tuples.rep, K, rows)
            unit = coordinates.unit * LOGARITHMIC ** (np.arange(len(coordinates.unit)) >= len(coordinates.scalars))
            coordinates = replace(coordinates, unit=unit).standardise(rows)
            points, few = coordinates.smooth(rows), max(2, most // (len(pairs) * len(covariants)))
            inducing = InducingPoints.select(points, WIDTHS[1] * np.sqrt(points.shape[1]), few)
            inducing = replace(inducing, root=np.eye(len(inducing.points)))  # all sums are of the same smoothness
            lengths = root_squares(covariants(rows))
            maps.append(tuples.read(NeighbourFeatures(covariants, lengths, coordinates, inducing)))
            columns.append(tuples.columns)
    order = np.zeros((len(set(pairs[0].columns[:, 0])), 1, output.size(K)), dtype=np.int64)
    return PooledFeatures("", tuple(columns), tuple(maps), order) if maps else None


def root_squares(values: Array) -> Array:
    """Root mean squares (features,) of features (n, ..., features), which are never zero."""
    return np.asarray(np.sqrt((values**2).mean(axis=tuple(range(values.ndim - 1)))) + SMALLEST)


def _polynomials(
    covariants: Polynomials, lengths: Array, coordinates: Coordinates, most: int
) -> Iterator[PolynomialFeatures]:
    """Equivariant polynomials, of given root mean squares, times all monomials up to a degree and number of inputs, unless too many."""
    for degree, order in POLYNOMIALS:
        monomials = list(_products(coordinates, degree, order))
        pairs = (
            (k, own + total, chosen)
            for k, (own, factors) in enumerate(zip(covariants.degrees, covariants.factors, strict=True))
            for total, others, chosen in monomials
            if own + total <= degree and len(factors | others) <= order
        )
        found = list(itertools.islice(pairs, most + 1))
        if not 0 < len(found) <= most:
            continue
        first, degrees, chosen = zip(*found, strict=True)
        products = tuple(dict.fromkeys(chosen))
        place = {each: k for k, each in enumerate(products)}
        indices = np.array(first), np.array([place[each] for each in chosen])
        for decay in DECAYS if degree > 1 else DECAYS[:1]:
            sizes = decay ** np.maximum(np.array(degrees) - 1, 0)
            name = f"polynomials of degree {degree}" + (f", decay {decay}" if decay < 1 else "")
            yield PolynomialFeatures(name, covariants, lengths, coordinates, products, *indices, sizes)


def _products(
    coordinates: Coordinates, degree: int, order: int
) -> Iterator[tuple[int, frozenset[int], tuple[int, ...]]]:
    """Total degree, inputs and factors of all products of coordinates of at most a degree and number of inputs."""
    degrees, factors = coordinates.degrees, coordinates.factors
    level: list[tuple[int, frozenset[int], tuple[int, ...]]] = [(0, frozenset(), ())]
    while level:
        yield from level
        longer = (
            (total + degrees[k], inputs | factors[k], (*chosen, k))
            for total, inputs, chosen in level
            for k in range(chosen[-1] if chosen else 0, len(degrees))
            if total + degrees[k] <= degree and len(inputs | factors[k]) <= order
        )
        level = list(itertools.islice(longer, MAX_PRODUCTS))


@functools.lru_cache(maxsize=256)
def split_scaling(rep: Rep, group: Group) -> tuple[tuple[int, ...] | None, Group | None]:
    """How columns grow with a multiple of the identity (None if the group has none), and the group without (None if nothing is left)."""
    d, powers = group.dim, [each.type.degree for each in rep.segments(group) for _ in range(each.start, each.stop)]
    if len(group.part_dims) > 1 or not any(powers):
        return None, group
    rest = [A for A in group.lie_algebra if not np.allclose(A, np.trace(A) / d * np.eye(d))]
    if len(rest) == len(group.lie_algebra):
        return None, group
    if not rest and not len(group.discrete_generators):
        return tuple(powers), None
    return tuple(powers), Group.from_generators(np.array(rest), group.discrete_generators, name=group.name)


def divide(X: Any, powers: Sequence[int]) -> tuple[Any, Any]:
    """The size (n,) of every row, from the columns of the first power, and the rows divided by it."""
    first = next(power for power in powers if power)
    same = [k for k, power in enumerate(powers) if power == first]
    size = ((X[:, same] ** 2).mean(1) + SMALLEST**2) ** (0.5 / first)
    return size, (torch_of(X) or np).stack([X[:, k] / size**power for k, power in enumerate(powers)], 1)


def scale_copies(X: Array, rep: Rep, group: Group, weights: Array | None = None) -> tuple[Array, Array]:
    """Shift and scale of the columns that commute with every group: one scale for each copy of a type, a mean for scalars only.

    A quantity of several kinds of particles has one scale, so that differences between them stay what they are.
    """
    shift, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
    copies: dict[object, list[Index]] = {}
    for segment in rep.segments(group):
        own = segment.type.particles
        inner = tuple(atom for atom in segment.type.atoms if atom is not own)
        for start in range(segment.start, segment.stop, segment.size):
            columns = np.arange(start, start + segment.size)
            if not segment.type.rank:
                shift[columns] = np.average(X[:, columns], axis=0, weights=weights)
            alone = own is None or not inner
            copies.setdefault(start if alone else (inner, (start - segment.start) // segment.size), []).append(columns)
    for columns in map(np.concatenate, copies.values()):
        squares = ((X[:, columns] - shift[columns]) ** 2).mean(axis=1)
        deviation = float(np.sqrt(np.average(squares, weights=weights)))
        if deviation > SMALLEST * float(np.abs(X[:, columns]).max(initial=1e-300)):
            scale[columns] = deviation
    return shift, scale


def squared_exponential(left: Any, right: Any) -> Any:
    """exp(-|x - x'|^2 / 2), (n, m), for points (n, d) and (m, d)."""
    squares = (left * left).sum(1)[:, None] + (right * right).sum(1) - 2.0 * (left @ right.T)
    return (torch_of(left) or np).exp(-0.5 * squares.clip(0.0))
