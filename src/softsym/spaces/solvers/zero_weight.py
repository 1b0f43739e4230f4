r"""Invariants of groups with a continuous part, from zero-weight vectors.

Let A be a normal element of the Lie algebra (antisymmetric or symmetric). Its eigenvectors diagonalise :math:`d\rho(A)` on every
tensor product at once, and the eigenvalue of a product of eigenvectors is the sum of theirs, its *weight*. An invariant vector has
weight zero, so it lies in the span of few products that can be written down in closed form: 141 of 729 for T(6) of SO(3). The
other generators then only have to be solved on that span, one after the other, each shrinking it further.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import schur

from softsym.groups import Group
from softsym.reps import TensorType
from softsym.reps.atoms import Element, lie_elements
from softsym.spaces.solution import DEFAULT_TOL, Solution
from softsym.spaces.solvers.null_space import null_space
from softsym.spaces.solvers.solver import NO_TOLERANCE, Applies, Cost, Solver, constraints, residual
from softsym.typing import Array

Eigen = tuple[NDArray[np.complex128], NDArray[np.complex128]]
MAX_START_ENTRIES = 40_000_000  # of the matrix of zero-weight vectors: 320 MB


class ZeroWeight(Solver):
    """Restricts the zero-weight vectors of a generic normal element of the Lie algebra to each generator in turn."""

    name = "weights"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        if not _normal_elements(group):
            return Applies("not", f"needs a normal Lie-algebra element; {group.name} has none")
        if tol is not None:
            return NO_TOLERANCE
        if tensor_type.size(group) * start_size(group, tensor_type) > MAX_START_ENTRIES:
            return Applies("if asked", "starts from many zero-weight vectors")
        return Applies("well", "the Lie algebra has a normal element whose zero-weight vectors are few")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """Every generator acts on the zero-weight vectors, and then their Gram matrix is taken."""
        n, start = tensor_type.size(group), start_size(group, tensor_type)
        applied = len(group.lie) * n * start * sum(tensor_type.shape(group)) / 4
        return Cost(4 * n * start, applied + 4 * n * start**2)

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """Starts from the element with the fewest zero-weight vectors."""
        N = zero_weight_vectors(min(_candidates(group, tensor_type), key=_count_zero))
        below, above = 0.0, np.inf
        equations = constraints(group, tensor_type)
        for equation in equations:
            N, low, high = null_space([equation], N, DEFAULT_TOL)
            below, above = max(below, low), min(above, high)
        return Solution(residual(equations, N), below, above, self.name, basis=N)


def start_size(group: Group, tensor_type: TensorType) -> int:
    """How many zero-weight vectors the solver would start from."""
    return min(map(_count_zero, _candidates(group, tensor_type)))


def zero_weight_vectors(eigen: list[Eigen]) -> Array:
    """A real orthonormal basis (n, m) of the products of eigenvectors whose eigenvalues sum to zero."""
    shape = tuple(len(values) for values, _ in eigen)
    zero = np.argwhere(_is_zero(functools.reduce(np.add.outer, [values for values, _ in eigen])))
    partners = [_conjugates(values) for values, _ in eigen]
    conjugate = np.stack([partner[zero[:, k]] for k, partner in enumerate(partners)], axis=1)
    flat = np.ravel_multi_index(tuple(zero.T), shape)
    flat_conjugate = np.ravel_multi_index(tuple(conjugate.T), shape)
    columns = np.ones((1, len(zero)), dtype=complex)
    for k, (_, vectors) in enumerate(eigen):
        products = columns[:, None, :] * vectors[:, zero[:, k]][None, :, :]
        columns = products.reshape(len(columns) * len(vectors), len(zero))
    # A product and its complex conjugate span the same plane as its real and imaginary parts.
    real = columns[:, flat == flat_conjugate].real
    pairs = columns[:, flat < flat_conjugate] * np.sqrt(2.0)
    return np.concatenate([real, pairs.real, pairs.imag], axis=1)


def _candidates(group: Group, tensor_type: TensorType) -> list[list[Eigen]]:
    return [
        [_eigen(atom.drho(group, element).tobytes(), atom.size(group)) for atom in tensor_type.atoms]
        for element in _normal_elements(group)
    ]


def _count_zero(eigen: list[Eigen]) -> int:
    """How many weights are zero; equal sums are counted together, so that nothing of the type's size is made."""
    sums, counts = np.zeros(1, dtype=complex), np.ones(1, dtype=np.int64)
    for values, _ in eigen:
        rounded = np.round(np.add.outer(sums, values).ravel(), 12) + 0.0
        sums, places = np.unique(rounded, return_inverse=True)
        counts = np.bincount(places.ravel(), np.repeat(counts, len(values))).astype(np.int64)
    return int(counts[_is_zero(sums)].sum())


def _is_zero(weights: NDArray[np.complex128]) -> NDArray[np.bool_]:
    return np.abs(weights) < 1e-9 * max(1.0, float(np.abs(weights).max(initial=0.0)))


@functools.lru_cache(maxsize=256)
def _eigen(data: bytes, d: int) -> Eigen:
    """Eigenvalues and orthonormal eigenvectors of a normal matrix, conjugate pairs exactly conjugate and adjacent."""
    A = np.frombuffer(data).reshape(d, d)
    if np.allclose(A, A.T, atol=1e-12):
        values, vectors = np.linalg.eigh(A)
        return values.astype(complex), vectors.astype(complex)
    # The real Schur form of an antisymmetric matrix has 2 x 2 blocks [[0, w], [-w, 0]] with eigenvectors (a +- ib) / sqrt 2.
    form, basis = schur(A, output="real")
    complex_values, complex_vectors = np.zeros(d, dtype=complex), basis.astype(complex)
    k = 0
    while k < d:
        w = form[k, k + 1] if k + 1 < d else 0.0
        if abs(w) < 1e-12:
            k += 1
            continue
        a, b = basis[:, k], basis[:, k + 1]
        complex_vectors[:, k], complex_vectors[:, k + 1] = ((a + 1j * b) / np.sqrt(2), (a - 1j * b) / np.sqrt(2))
        complex_values[k], complex_values[k + 1] = 1j * w, -1j * w
        k += 2
    return complex_values, complex_vectors


def _conjugates(values: NDArray[np.complex128]) -> NDArray[np.intp]:
    """The index of each eigenvector's complex conjugate."""
    partner, pairs = np.arange(len(values)), np.flatnonzero(values.imag).reshape(-1, 2)
    partner[pairs] = pairs[:, ::-1]
    return partner


@functools.lru_cache(maxsize=64)
def _normal_elements(group: Group) -> tuple[Element, ...]:
    """A generic antisymmetric and a generic symmetric element of the span of the generators, where there are any."""
    elements = lie_elements(group)
    if not elements:
        return ()
    normal = []
    for sign in (1.0, -1.0):
        # A combination c is antisymmetric (symmetric) iff sum_k c_k (A_k +- A_k^T) vanishes.
        defects = np.array([np.concatenate([(p + sign * p.T).ravel() for p in e.parts or ()]) for e in elements])
        space = _vanishing_combinations(defects)
        if space.shape[1]:
            c = space @ np.random.default_rng(7).uniform(0.5, 1.5, space.shape[1])
            normal.append(_combination(elements, c, sign))
    return tuple(normal)


def _vanishing_combinations(rows: Array) -> Array:
    """An orthonormal basis (k, m) of the coefficients with which rows (k, n) add up to zero."""
    if not rows.any():
        return np.eye(len(rows))
    U, values, _ = np.linalg.svd(rows, full_matrices=rows.shape[0] > rows.shape[1])
    values = np.concatenate([values, np.zeros(U.shape[1] - len(values))])
    return np.asarray(U[:, values <= 1e-12 * values.max()])


def _combination(elements: list[Element], c: Array, sign: float) -> Element:
    def mix(matrices: list[Array]) -> Array:
        total = np.einsum("k,kij->ij", c, np.array(matrices))
        return (total - sign * total.T) / 2

    parts = tuple(mix(list(part)) for part in zip(*(e.parts or () for e in elements), strict=True))
    return Element(mix([e.whole for e in elements]), parts)


WEIGHTS = ZeroWeight()
