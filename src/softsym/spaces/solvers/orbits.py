r"""Invariants that are constant on orbits of coordinates, possibly up to signs.

``orbits``: if every generator permutes the coordinates, a vector is invariant iff it is constant on orbits, the connected components of
the graph that joins each coordinate to its images. Exact, without floating point, for millions of coordinates.

``signs``: a rotation :math:`e^{\pi A / 2}` of two coordinates by 90 degrees exchanges them and changes a sign; so do the discrete
generators of most groups. On a tensor type these elements map every coordinate to another one, up to a sign. An invariant vector is
therefore constant, up to signs, on orbits of coordinates, and zero on an orbit that leads from a coordinate to its negative: 4 vectors
remain of the 160,000 coordinates of T(4) under O(20). The generators of the algebra are then solved on these few, with sparse matrices.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import expm
from scipy.sparse.csgraph import connected_components

from softsym.groups import Group
from softsym.groups.sampling import closure, images
from softsym.reps import TensorType
from softsym.reps.atoms import Element, discrete_elements, group_element, lie_elements
from softsym.spaces.solution import DEFAULT_TOL, OrbitBasis, Solution
from softsym.spaces.solvers.null_space import MAX_DENSE_SIZE
from softsym.spaces.solvers.solver import NO_TOLERANCE, Applies, Constraint, Cost, Solver, check_cost, constraints
from softsym.typing import Array, Index

MAX_COUNTED = 400  # vectors are counted by characters in groups of up to so many signed permutations


class Orbits(Solver):
    """Orbits of the coordinates under a group of permutations; exact, so a tolerance makes no difference."""

    name = "orbits"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        if not group.lie and tensor_type.is_permutation(group):
            return Applies("well", "every generator permutes the coordinates")
        return Applies("not", f"needs a group that permutes coordinates; {group.name} on {tensor_type} does not")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """A graph with an edge for each coordinate and generator, and a matrix of each tensor index."""
        edges = tensor_type.size(group) * (len(group.discrete) + 1)
        matrices = 2 * max((size**2 for size in tensor_type.shape(group)), default=0)
        return Cost(5 * edges + matrices, 100 * edges + matrices)

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """One normalised indicator vector for each orbit."""
        shape, n = tensor_type.shape(group), tensor_type.size(group)
        rows = [[images(atom.rho(group, h)) for atom in tensor_type.atoms] for h in discrete_elements(group)]
        targets = [_flat_images(shape, each) for each in rows]
        return Solution(0.0, 0.0, np.inf, self.name, basis=OrbitBasis(_components(n, targets)))


def _flat_images(shape: tuple[int, ...], permutations: list[Index]) -> Index:
    """Flat index of the image of every flat index, when each tensor index is permuted on its own."""
    flat = np.zeros(1, dtype=np.int64)
    for size, row in zip(shape, permutations, strict=True):
        flat = (flat[:, None] * size + row[None, :]).ravel()
    return flat


def _components(n: int, targets: list[Index]) -> Index:
    """Component of each node under maps of all nodes, numbered by first appearance."""
    if not targets:
        return np.arange(n)
    rows = np.tile(np.arange(n), len(targets))
    graph = sparse.coo_array((np.ones(len(rows), dtype=np.int8), (rows, np.concatenate(targets))), shape=(n, n))
    labels = connected_components(graph, directed=False)[1]
    _, first, ordered = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[ordered], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SignedPermutation:
    """A matrix with one entry, 1 or -1, in each row and column: coordinate k goes to ``image[k]``, times ``sign[k]``."""

    image: Index
    sign: Index


class Signs(Solver):
    """Orbits up to signs first, then the Lie algebra on the remaining vectors."""

    name = "signs"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        if tol is not None:
            return NO_TOLERANCE
        if not _signed_permutations(_rotations_by_90_degrees(group), group, tensor_type):
            return Applies("not", f"needs rotations by 90 degrees; the generators of {group.name} have none")
        if tensor_type.size(group) <= MAX_DENSE_SIZE:
            return Applies("if asked", "is for many coordinates")
        return Applies("well", "signed permutations in the group leave few vectors")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """A dense eigen-solve on the vectors that signed permutations leave, which are counted if counting itself is cheap."""
        n, elements = tensor_type.size(group), len(signed_elements(group, tensor_type))
        counting = Cost(n * (20 * elements + 8), 200 * n * elements)
        m = _count_by_characters(group, tensor_type)
        if m is None:
            check_cost(f"{tensor_type} under {group.name} (solver {self.name})", counting)
            m = _signed_orbit_vectors(group, tensor_type).shape[1]
        return Cost(counting.numbers + 4 * m**2 + n * m / 4, counting.operations + 12.0 * m**3 + n * m)

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """The null space of the algebra within the span of signed orbits."""
        vectors = _signed_orbit_vectors(group, tensor_type)
        equations = [_sparse(equation) @ vectors for equation in constraints(group, tensor_type)]
        stacked = sparse.vstack([*equations, sparse.csr_array((0, vectors.shape[1]))], format="csr")
        squares, directions = np.linalg.eigh((stacked.T @ stacked).toarray())
        zero = squares <= DEFAULT_TOL**2
        # The small residual is measured on the constraints themselves, where small numbers are exact.
        remainder = stacked @ directions[:, zero]
        below = math.sqrt(max(0.0, float(np.linalg.eigvalsh(remainder.T @ remainder).max(initial=0.0))))
        above = math.sqrt(float(squares[~zero].min(initial=np.inf)))
        norms = [float(np.linalg.norm(C @ directions[:, zero], axis=0).max(initial=0.0)) for C in equations]
        basis = np.asarray(vectors @ directions[:, zero])
        return Solution(max(norms, default=0.0), below, above, self.name, basis=basis)


def _count_by_characters(group: Group, tensor_type: TensorType) -> int | None:
    """How many vectors signed permutations leave: the mean character of the group they generate; None if that is large."""
    elements = [*_rotations_by_90_degrees(group), *discrete_elements(group)]
    signed = [e for e in elements if _signed_permutations([e], group, tensor_type)]
    if len(group.part_dims) > 1 or not signed:
        return None
    listed = closure(np.rint([e.whole for e in signed]), group.dim, MAX_COUNTED)
    if listed is None or not all(np.allclose(e.whole, np.rint(e.whole)) for e in signed):
        return None
    whole = group_element(group, listed)
    traces = [np.trace(atom.rho(group, whole), axis1=-2, axis2=-1) for atom in tensor_type.atoms]
    return round(float(np.prod(traces, axis=0).mean()))


@functools.lru_cache(maxsize=1)
def _signed_orbit_vectors(group: Group, tensor_type: TensorType) -> Any:
    """Cached, because the estimate of the cost and the solution both need them."""
    return orbit_vectors(tensor_type.shape(group), signed_elements(group, tensor_type))


def signed_elements(group: Group, tensor_type: TensorType) -> list[tuple[SignedPermutation, ...]]:
    """Elements of a group that are signed permutations on every index of a type, given index by index."""
    return _signed_permutations([*_rotations_by_90_degrees(group), *discrete_elements(group)], group, tensor_type)


def _signed_permutations(
    elements: list[Element], group: Group, tensor_type: TensorType
) -> list[tuple[SignedPermutation, ...]]:
    """Those elements that are signed permutations on every index of a type."""
    signed = []
    for element in elements:
        factors = [_as_signed_permutation(atom.rho(group, element)) for atom in tensor_type.atoms]
        whole = tuple(factor for factor in factors if factor is not None)
        if len(whole) == len(factors):
            signed.append(whole)
    return signed


def orbit_vectors(shape: tuple[int, ...], permutations: list[tuple[SignedPermutation, ...]]) -> Any:
    """An orthonormal basis (n, m), sparse, of the vectors that are invariant under signed permutations."""
    n, targets = math.prod(shape), []
    for factors in permutations:  # of coordinates and their negatives: k and n + k
        image = _flat_images(shape, [factor.image for factor in factors])
        sign = functools.reduce(np.multiply.outer, [factor.sign for factor in factors]).ravel()
        plus, minus = np.where(sign > 0, image, n + image), np.where(sign > 0, n + image, image)
        targets.append(np.concatenate([plus, minus]))
    plus, minus = _components(2 * n, targets).reshape(2, n)
    nonzero = np.flatnonzero(plus != minus)
    # Each orbit appears twice, once with all signs changed; the one of its first coordinate is taken.
    pair = np.minimum(plus, minus)[nonzero]
    _, orbit, counts = np.unique(pair, return_inverse=True, return_counts=True)
    values = np.where(plus[nonzero] < minus[nonzero], 1.0, -1.0) / np.sqrt(counts[orbit])
    return sparse.csr_array((values, (nonzero, orbit)), shape=(n, len(counts)))


def _rotations_by_90_degrees(group: Group) -> list[Element]:
    rotate = _rotate_by_90_degrees
    return [Element(rotate(A.whole), tuple(map(rotate, A.parts or ()))) for A in lie_elements(group)]


def _rotate_by_90_degrees(A: Array) -> Array:
    """The exponential of pi / 2 times a generator, computed on the coordinates on which it acts."""
    acting = np.flatnonzero(A.any(axis=0) | A.any(axis=1))
    rotation = np.eye(len(A))
    rotation[np.ix_(acting, acting)] = expm(np.pi / 2 * A[np.ix_(acting, acting)])
    return rotation


def _as_signed_permutation(matrix: Array) -> SignedPermutation | None:
    """A matrix as a signed permutation, if it is one up to rounding."""
    rounded = np.rint(matrix)
    is_signed = np.abs(rounded).sum(axis=0).max() == 1 == np.abs(rounded).sum(axis=1).max()
    if not is_signed or np.abs(matrix - rounded).max() > 1e-9 or np.count_nonzero(rounded) != len(matrix):
        return None
    image = np.abs(rounded).argmax(axis=0)
    return SignedPermutation(image, rounded[image, np.arange(len(matrix))].astype(np.int64))


def _sparse(equation: Constraint) -> Any:
    """The whole matrix of a constraint, divided by its scale."""
    factors = [sparse.csr_array(matrix) for matrix in equation.factors]
    eyes = [sparse.eye_array(size, format="csr") for size in equation.shape]
    n = math.prod(equation.shape)
    if not equation.additive:
        return (_kron(factors) - sparse.eye_array(n, format="csr")) / equation.scale
    total = sparse.csr_array((n, n))
    for k, factor in enumerate(factors):
        if factor.nnz:
            total = total + _kron([*eyes[:k], factor, *eyes[k + 1 :]])
    return total / equation.scale


def _kron(matrices: list[Any]) -> Any:
    return functools.reduce(lambda a, b: sparse.kron(a, b, format="csr"), matrices)


ORBITS = Orbits()
SIGNS = Signs()
