r"""Invariants of large types under groups that contain many signed permutations.

A quarter turn :math:`e^{\pi A / 2}` of two coordinates exchanges them and changes a sign; so do the discrete generators of most groups.
On a tensor type these elements move every coordinate to another one, up to a sign. An invariant vector is therefore constant, up to signs,
on orbits of coordinates, and zero on an orbit that leads from a coordinate to its negative: 4 vectors remain of the 160,000
coordinates of T(4) under O(20). The generators of the algebra are then solved on these few, with sparse matrices.
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
from softsym.reps import TensorType
from softsym.reps.atoms import Element, discrete_elements, lie_elements
from softsym.spaces.limits import Cost, check
from softsym.spaces.solution import DEFAULT_TOL, DenseBasis, Solution
from softsym.spaces.solvers.constraints import Constraint, constraints
from softsym.spaces.solvers.dense import MOST_COORDINATES
from softsym.spaces.solvers.solver import NO_TOLERANCE, Applies, Solver
from softsym.typing import Array, Index


@dataclass(frozen=True, eq=False)
class SignedPermutation:
    """A matrix with one entry, 1 or -1, in each row and column: coordinate k goes to ``image[k]``, times ``sign[k]``."""

    image: Index
    sign: Index


class Signs(Solver):
    """Orbits up to signs first, then the Lie algebra on what remains."""

    name = "signs"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        """To Lie groups whose generators turn pairs of coordinates."""
        if tol is not None:
            return NO_TOLERANCE
        if not _signed_among(_quarter_turns(group), group, tensor_type):
            return Applies("not", f"needs quarter turns; the generators of {group.name} have none")
        if tensor_type.size(group) <= MOST_COORDINATES:
            return Applies("if asked", "is for many coordinates")
        return Applies("well", "signed permutations in the group leave few vectors")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """A dense eigen-solve on the vectors that signed permutations leave, which are counted if that itself is no trouble."""
        n, moves = tensor_type.size(group), len(signed_elements(group, tensor_type))
        counting = Cost(n * (8 * moves + 8), 200 * n * moves)
        check(f"{tensor_type} under {group.name} (solver {self.name})", counting)
        m = _orbit_vectors_of(group, tensor_type).shape[1]
        return Cost(counting.numbers + 4 * m**2 + n * m / 4, counting.operations + 12.0 * m**3 + n * m)

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """The null space of the algebra within the span of signed orbits."""
        vectors = _orbit_vectors_of(group, tensor_type)
        equations = [_sparse(equation) @ vectors for equation in constraints(group, tensor_type)]
        stacked = sparse.vstack([*equations, sparse.csr_array((0, vectors.shape[1]))], format="csr")
        squares, directions = np.linalg.eigh((stacked.T @ stacked).toarray())
        zero = squares <= DEFAULT_TOL**2
        # What is left of the constraints is measured on themselves, where small numbers are exact.
        left = stacked @ directions[:, zero]
        below = math.sqrt(max(0.0, float(np.linalg.eigvalsh(left.T @ left).max(initial=0.0))))
        above = math.sqrt(float(squares[~zero].min(initial=np.inf)))
        norms = [
            float(np.linalg.norm(one @ directions[:, zero], axis=0).max(initial=0.0)) for one in equations
        ]
        basis = DenseBasis(np.asarray(vectors @ directions[:, zero]))
        return Solution(max(norms, default=0.0), below, above, self.name, basis=basis)


@functools.lru_cache(maxsize=1)
def _orbit_vectors_of(group: Group, tensor_type: TensorType) -> Any:
    """Remembered from the estimate to the solution."""
    return orbit_vectors(tensor_type.shape(group), signed_elements(group, tensor_type))


def signed_elements(group: Group, tensor_type: TensorType) -> list[tuple[SignedPermutation, ...]]:
    """Elements of a group that are signed permutations on every index of a type, given index by index."""
    return _signed_among([*_quarter_turns(group), *discrete_elements(group)], group, tensor_type)


def _signed_among(
    elements: list[Element], group: Group, tensor_type: TensorType
) -> list[tuple[SignedPermutation, ...]]:
    found = []
    for element in elements:
        factors = [_signed(atom.rho(group, element)) for atom in tensor_type.atoms]
        whole = tuple(factor for factor in factors if factor is not None)
        if len(whole) == len(factors):
            found.append(whole)
    return found


def orbit_vectors(shape: tuple[int, ...], moves: list[tuple[SignedPermutation, ...]]) -> Any:
    """An orthonormal basis (n, m), sparse, of the vectors that signed permutations leave alone.

    Args:
        shape: Size of each tensor index.
        moves: The permutations, index by index.
    """
    n = math.prod(shape)
    # The graph of coordinates and their negatives: k and n + k.
    starts, ends = [], []
    for factors in moves:
        image, sign = _on_tensor(shape, factors)
        starts += [np.arange(n), n + np.arange(n)]
        ends += [np.where(sign > 0, image, n + image), np.where(sign > 0, n + image, image)]
    rows, columns = np.concatenate(starts), np.concatenate(ends)
    graph = sparse.coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(2 * n, 2 * n))
    labels = connected_components(graph, directed=False)[1]
    plus, minus = labels[:n], labels[n:]
    alive = np.flatnonzero(plus != minus)
    # Each orbit appears twice, once with all signs turned; the one of its first coordinate is taken.
    pair = np.minimum(plus, minus)[alive]
    _, orbit, counts = np.unique(pair, return_inverse=True, return_counts=True)
    values = np.where(plus[alive] < minus[alive], 1.0, -1.0) / np.sqrt(counts[orbit])
    return sparse.csr_array((values, (alive, orbit)), shape=(n, len(counts)))


def _quarter_turns(group: Group) -> list[Element]:
    turns = []
    for A in lie_elements(group):
        parts = None if A.parts is None else tuple(map(_quarter, A.parts))
        turns.append(Element(_quarter(A.whole), parts))
    return turns


def _quarter(A: Array) -> Array:
    """The exponential of a quarter turn, of the coordinates that it moves."""
    moved = np.flatnonzero(A.any(axis=0) | A.any(axis=1))
    turned = np.eye(len(A))
    turned[np.ix_(moved, moved)] = expm(np.pi / 2 * A[np.ix_(moved, moved)])
    return turned


def _signed(matrix: Array) -> SignedPermutation | None:
    """The signed permutation that a matrix is to rounding; None if it is none."""
    rounded = np.rint(matrix)
    is_one = np.abs(rounded).sum(axis=0).max() == 1 == np.abs(rounded).sum(axis=1).max()
    if not is_one or np.abs(matrix - rounded).max() > 1e-9 or np.count_nonzero(rounded) != len(matrix):
        return None
    image = np.abs(rounded).argmax(axis=0)
    return SignedPermutation(image, rounded[image, np.arange(len(matrix))].astype(np.int64))


def _on_tensor(shape: tuple[int, ...], factors: tuple[SignedPermutation, ...]) -> tuple[Index, Index]:
    """Images and signs of all flat indices."""
    image, sign = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    for size, factor in zip(shape, factors, strict=True):
        image = (image[:, None] * size + factor.image[None, :]).ravel()
        sign = (sign[:, None] * factor.sign[None, :]).ravel()
    return image, sign


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


SOLVER = Signs()
