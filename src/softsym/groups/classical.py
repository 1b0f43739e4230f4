"""Lie groups: rotations, linear maps, unitary, symplectic, Lorentz and affine groups.

Affine groups are in homogeneous coordinates: a point x of R^n is (x, 1), so their matrices are (n + 1) x (n + 1).
"""

from __future__ import annotations

import functools
import itertools

import numpy as np

from softsym.groups import sampling
from softsym.groups.generators import read_dimension
from softsym.groups.group import Group, make
from softsym.typing import Array

__all__ = ["O", "SO", "SL", "GL", "Scaling", "Sp", "U", "SU"]  # noqa: RUF022 - as people list them
__all__ += ["Lorentz", "SO13", "SO13p", "O11", "SO11p", "E", "SE", "Translation"]  # noqa: RUF022
MAX_BASIS_DIM = 8
"""Dimensions up to which the generators of rotations are a basis of their algebra."""


def O(n: int) -> Group:  # noqa: E743 - the group's own name
    """Orthogonal group of R^n: rotations and reflections. Sampled from Haar measure."""
    n = read_dimension("O", n, growth=3)
    sampler = functools.partial(sampling.haar_orthogonal, d=n, special=False)
    return make(f"O({n})", n, _rotations(n), [_flip(n, 0)], sampler, order=2 if n == 1 else None)


def SO(n: int) -> Group:
    """Special orthogonal group of R^n: rotations. Sampled from Haar measure."""
    n = read_dimension("SO", n, growth=3)
    sampler = functools.partial(sampling.haar_orthogonal, d=n, special=True)
    return make(f"SO({n})", n, _rotations(n), [], sampler, order=1 if n == 1 else None)


def SL(n: int) -> Group:
    """Special linear group of R^n: volume-preserving maps. Sampled as K exp(s) K', |s| <= 2: condition number at most e^4."""
    n = read_dimension("SL", n)
    traces = [_unit(n, i, i) - _unit(n, i + 1, i + 1) for i in range(n - 1)]
    shears = [_unit(n, i, j) for i, j in itertools.permutations(range(n), 2)]
    sampler = functools.partial(sampling.bounded_linear, d=n, special=True)
    return make(f"SL({n})", n, shears + traces, [], sampler, order=1 if n == 1 else None)


def GL(n: int) -> Group:
    """General linear group of R^n: all invertible maps. Sampled as K exp(s) K' with |s| <= 1: condition number at most e^2."""
    n = read_dimension("GL", n)
    units = [_unit(n, i, j) for i in range(n) for j in range(n)]
    sampler = functools.partial(sampling.bounded_linear, d=n, special=False)
    return make(f"GL({n})", n, units, [_flip(n, 0)], sampler)


def Scaling(n: int) -> Group:
    """Positive multiples of the identity of R^n. Sampled log-uniformly between 1/e and e."""
    n = read_dimension("Scaling", n, 2)
    return make(f"Scaling({n})", n, [np.eye(n)], [], functools.partial(sampling.scaling, d=n))


def Sp(m: int) -> Group:
    """Symplectic group of R^2m: maps that preserve the form J = [[0, 1], [-1, 0]]. Sampled as exp of an algebra element of norm <= 1."""
    m = read_dimension("Sp", m, factor=8)
    lie = []
    for i in range(m):
        for j in range(m):
            lie.append(np.kron([[1, 0], [0, 0]], _unit(m, i, j)) - np.kron([[0, 0], [0, 1]], _unit(m, j, i)))
    for i in range(m):
        for j in range(i + 1):
            symmetric = _unit(m, i, j) + (_unit(m, j, i) if i != j else 0)
            lie += [np.kron([[0, 1], [0, 0]], symmetric), np.kron([[0, 0], [1, 0]], symmetric)]
    return make(f"Sp({m})", 2 * m, lie, [], functools.partial(sampling.exponential, lie=lie, discrete=[]))


def U(n: int) -> Group:
    """Unitary group of C^n in its real form on R^2n, x + iy as (x, y). Sampled from Haar measure."""
    n = read_dimension("U", n, factor=4)
    lie = _unitary(n)
    return make(f"U({n})", 2 * n, lie, [], functools.partial(sampling.haar_unitary, d=n, special=False))


def SU(n: int) -> Group:
    """Special unitary group of C^n in its real form on R^2n. Sampled from Haar measure."""
    n = read_dimension("SU", n, factor=4)
    phases = [_imaginary(_unit(n, i, i) - _unit(n, i + 1, i + 1)) for i in range(n - 1)]
    lie = [A for A in _unitary(n) if not np.trace(A[n:, :n])] + phases
    sampler = functools.partial(sampling.haar_unitary, d=n, special=True)
    return make(f"SU({n})", 2 * n, lie, [], sampler, order=1 if n == 1 else None)


def Lorentz() -> Group:
    """Full Lorentz group O(1, 3) on (t, x, y, z): boosts, rotations, parity and time reversal. Sampled with rapidity at most one."""
    return _indefinite("Lorentz()", _lorentz(4), [_flip(4, 0), -_flip(4, 0)])


def SO13() -> Group:
    """Lorentz transformations of determinant one, including the total inversion. Sampled with rapidity at most one."""
    return _indefinite("SO13()", _lorentz(4), [-np.eye(4)])


def SO13p() -> Group:
    """Restricted Lorentz group: the component of the identity. Sampled with rapidity at most one."""
    return _indefinite("SO13p()", _lorentz(4), [])


def O11() -> Group:
    """Lorentz group of one space dimension, on (t, x). Sampled with rapidity at most one."""
    return _indefinite("O11()", _lorentz(2), [_flip(2, 0), -_flip(2, 0)])


def SO11p() -> Group:
    """Boosts of one space dimension, on (t, x). Sampled with rapidity at most one."""
    return _indefinite("SO11p()", _lorentz(2), [])


def E(n: int) -> Group:
    """Euclidean group: rotations, reflections, translations. Sampled with Haar rotations and standard-normal translations."""
    n = read_dimension("E", n)
    discrete = [_homogeneous(h, 1.0) for h in O(n).discrete_generators]
    return _affine(f"E({n})", n, O(n), discrete, "O")


def SE(n: int) -> Group:
    """Rigid motions: rotations and translations. Sampled with Haar rotations and standard-normal translations."""
    n = read_dimension("SE", n)
    return _affine(f"SE({n})", n, SO(n), [], "SO")


def Translation(n: int) -> Group:
    """Translations of R^n. Sampled standard-normal."""
    n = read_dimension("Translation", n, 3)
    return _affine(f"Translation({n})", n, None, [], "none")


def _unit(n: int, i: int, j: int) -> Array:
    matrix = np.zeros((n, n))
    matrix[i, j] = 1.0
    return matrix


def _flip(n: int, i: int) -> Array:
    return np.eye(n) - 2 * _unit(n, i, i)


def _rotations(n: int) -> list[Array]:
    """Rotations of all pairs of axes; in many dimensions of neighbours only, whose commutators are the others."""
    if n > MAX_BASIS_DIM:
        return [_unit(n, i + 1, i) - _unit(n, i, i + 1) for i in range(n - 1)]
    return [_unit(n, j, i) - _unit(n, i, j) for i, j in itertools.combinations(range(n), 2)]


def _imaginary(symmetric: Array) -> Array:
    """The real form of i times a symmetric matrix."""
    return np.asarray(np.kron([[0.0, -1.0], [1.0, 0.0]], symmetric), dtype=np.float64)


def _unitary(n: int) -> list[Array]:
    real: list[Array] = [np.asarray(np.kron(np.eye(2), A)) for A in _rotations(n)]
    mixed = [_imaginary(_unit(n, i, j) + _unit(n, j, i)) for i, j in itertools.combinations(range(n), 2)]
    return real + mixed + [_imaginary(_unit(n, i, i)) for i in range(n)]


def _lorentz(n: int) -> list[Array]:
    boosts = [_unit(n, 0, i) + _unit(n, i, 0) for i in range(1, n)]
    rotations = [_unit(n, j, i) - _unit(n, i, j) for i, j in itertools.combinations(range(1, n), 2)]
    return boosts + rotations


def _indefinite(text: str, lie: list[Array], discrete: list[Array]) -> Group:
    # The algebra's Frobenius norm of a unit boost is sqrt 2: this bound keeps the rapidity at most one.
    sampler = functools.partial(sampling.exponential, lie=lie, discrete=discrete, bound=float(np.sqrt(2.0)))
    return make(text, len(lie[0]), lie, discrete, sampler)


def _affine(text: str, n: int, linear: Group | None, discrete: list[Array], rotate: str) -> Group:
    """A linear part and all translations."""
    rotations = [] if linear is None else [_homogeneous(A, 0.0) for A in linear.lie_algebra]
    translations = np.zeros((n, n + 1, n + 1))
    translations[range(n), range(n), n] = 1.0
    sampler = functools.partial(sampling.affine, d=n, rotate=rotate)
    return make(text, n + 1, [*rotations, *translations], discrete, sampler)


def _homogeneous(matrix: Array, corner: float) -> Array:
    return sampling.place(matrix, dim=len(matrix) + 1, axes=range(len(matrix)), fill=corner)
