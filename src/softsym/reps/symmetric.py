r"""Tensors with symmetries, and irreducible representations of rotations, as subspaces of tensors.

An atom :class:`Subspace` is a subspace of a parent type with an isometric basis B that every group keeps,

.. math:: \rho(g) = B^T \rho_{parent}(g)\, B .

``Sym(k)`` are symmetric tensors with k indices, ``Alt(k)`` antisymmetric ones, ``Sym0(k)`` symmetric ones without traces, which
orthogonal groups keep. All have orthonormal coordinates. Those of ``Sym(2)`` in space are Mandel's: xx, yy, zz, and the root of two times
yz, xz, xy. ``Alt(2)`` in space has the components of a cross product. ``Sym0(k)`` is the irreducible representation of order k of O(n) on
R^n: in space with the 2k + 1 real spherical harmonics in the basis and order of e3nn, in the plane with :math:`\cos k\varphi` and
:math:`\sin k\varphi`. Other types than vectors are the second argument: ``Sym(2,Sym(2))`` are the 21 numbers of an elasticity tensor.
The parent of order k is that of order k - 1 times a vector, so no tensor with k indices is ever formed.

Reference:
    e3nn: Euclidean Neural Networks (Geiger and Smidt, 2022), https://arxiv.org/abs/2207.09453
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from softsym.arrays import freeze, read_numbers
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps.atoms import Atom, Base, Element, Sign
from softsym.reps.rep import Pseudoscalar, Rep, Scalar, TensorType, Vector, check_rank, single
from softsym.typing import Array

MAX_SIZE = 5_000  # coordinates of one atom
ROUNDING = 1e-13
NORMALIZATIONS = ("norm", "component", "integral")
_VECTOR = TensorType((Base(),))


@dataclass(frozen=True)
class Subspace(Atom):
    """Symmetric, antisymmetric or traceless symmetric tensors of at least two indices."""

    symmetry: str  # Sym, Alt or Sym0
    order: int  # number of indices
    inner: TensorType = _VECTOR  # the type of each index

    @property
    def parent(self) -> TensorType:
        """The type of which it is a subspace: that of one index less, times the type of an index."""
        lower = TensorType((replace(self, order=self.order - 1),))
        return (self.inner if self.order == 2 else lower) * self.inner

    @property
    def dual(self) -> Subspace:
        return replace(self, inner=self.inner.dual)

    @property
    def degree(self) -> int:
        return self.order * self.inner.degree

    def size(self, group: Group) -> int:
        n, k = self.inner.size(group), self.order
        size = math.comb(n, k) if self.symmetry == "Alt" else math.comb(n + k - 1, k)
        size -= math.comb(n + k - 3, k - 2) if self.symmetry == "Sym0" else 0
        if not 0 < size <= MAX_SIZE:
            most = f"; at most {MAX_SIZE:,} are possible" if size else ""
            raise InputError(f"{self} has {size or 'no'} components under {group.name}{most}")
        return size

    def basis(self, group: Group) -> Array:
        """Isometric columns in the coordinates of the parent, (size of the parent, size)."""
        self.size(group)
        return _step(self.symmetry, self.order, self.inner.size(group))

    def rho(self, group: Group, g: Element) -> Array:
        if self.symmetry == "Sym0":
            R = self.inner.rho(group, g)
            self._check(group, R.swapaxes(-1, -2) @ R - np.eye(R.shape[-1]))
        return self._restrict(group, self.parent.rho(group, g))

    def drho(self, group: Group, A: Element) -> Array:
        rates = self.inner.drho(group, A)
        if self.symmetry == "Sym0":
            self._check(group, rates + rates.swapaxes(-1, -2))
        return self._restrict(group, self.parent.drho(group, A))

    def is_permutation(self, group: Group) -> bool:
        return self.symmetry == "Sym" and self.inner.is_permutation(group)

    def without_dual(self) -> Subspace:
        return replace(self, inner=self.inner.map_atoms(lambda atom: atom.without_dual()))

    def on_part(self, part: int | None) -> Subspace:
        return replace(self, inner=self.inner.map_atoms(lambda atom: atom.on_part(part)))

    def order_key(self) -> tuple[object, ...]:
        """After all others, by symmetry and order."""
        return (7, self.symmetry, self.order, tuple(atom.order_key() for atom in self.inner.atoms))

    def _restrict(self, group: Group, matrix: Array) -> Array:
        """Of a matrix of the parent; whole numbers are exact, so that coordinates that do not mix are found."""
        B = self.basis(group)
        out = B.T @ matrix @ B
        scale = max(1.0, float(np.abs(out).max(initial=0.0)))
        return np.where(np.abs(out - np.rint(out)) < ROUNDING * scale, np.rint(out) + 0.0, out)

    def _check(self, group: Group, rest: Array) -> None:
        if np.abs(rest).max(initial=0.0) > 1e-6:
            raise InputError(
                f"{self} is for rotations and reflections, which keep traces; {group.name} has other elements, write Sym({self.order})"
            )

    def __str__(self) -> str:
        return f"{self.symmetry}({self.order}{'' if self.inner == _VECTOR else f',{self.inner}'})"


def symmetry_power(symmetry: str, order: int, rep: Rep = Vector) -> Rep:
    """Tensors with a symmetry, each index of the same type; one index has none, and no index is a scalar.

    Args:
        symmetry: ``Sym``, ``Alt`` or ``Sym0``.
        order: Number of indices.
        rep: The type of an index.

    Example:
        >>> import softsym as ss
        >>> symmetry_power("Sym", 2), symmetry_power("Sym", 2, ss.rep("Sym(2)")).size("O(3)"), symmetry_power("Alt", 1)
        (Sym(2), 21, V)
    """
    order = operator.index(order)
    check_rank(order)
    if len(rep.terms) != 1 or rep.terms[0][0] != 1:
        raise InputError(f"{symmetry} needs a single type, such as V or Sym(2), got {rep}")
    if order < 2 or (rep == Scalar and symmetry == "Sym"):
        return rep if order == 1 else Scalar
    return single(Subspace(symmetry, order, rep.terms[0][1]))


def irrep(degree: int, parity: str) -> Rep:
    """The irreducible representation of O(3) of a degree and parity ``e`` (even) or ``o`` (odd), in e3nn's basis.

    Example:
        >>> irrep(1, "o"), irrep(1, "e"), irrep(0, "o"), irrep(2, "e")
        (V, pV, pS, Sym0(2))
    """
    natural = symmetry_power("Sym0", degree)
    return natural if (parity == "e") == (degree % 2 == 0) else Pseudoscalar * natural


def irreps_text(rep: Rep) -> str:
    """A sum of irreducible representations of O(3) in the text of e3nn.

    Example:
        >>> import softsym as ss
        >>> irreps_text(ss.rep("4S + 2V + pSym0(2)"))
        '4x0e+2x1o+1x2o'
    """
    terms = []
    for copies, kind in rep:
        whole = [atom for atom in kind.atoms if atom != Sign()]
        degree = len(whole) if whole in ([], [Base()]) else getattr(whole[0], "order", 0)
        if symmetry_power("Sym0", degree) != single(*whole):
            raise InputError(f"{kind} is no irreducible representation of O(3): S, V, Sym0(l), pS, pV or pSym0(l)")
        is_even = (degree + len(kind.atoms) - len(whole)) % 2 == 0
        terms.append(f"{copies}x{degree}{'e' if is_even else 'o'}")
    return "+".join(terms)


def tensor_basis(rep: Rep, group: Group | str) -> tuple[Rep, Array]:
    """The tensors without symmetries in which a representation lies, and an isometric matrix B of coordinates.

    Coordinates x are the tensor B x, and a tensor t has the nearest coordinates B^T t.

    Args:
        rep: The representation.
        group: The group, whose space has the number of dimensions.

    Returns:
        Representation of the tensors, and B of shape (its size, size of ``rep``).

    Example:
        >>> import softsym as ss
        >>> tensors, B = tensor_basis(ss.rep("S + Sym(2)"), "O(3)")
        >>> print(tensors, B.shape)
        S + T(2) (10, 7)
    """
    from scipy.linalg import block_diag

    group, terms, blocks = read_group(group), [], []
    for copies, kind in rep:
        tensor, block = _type_basis(kind, group)
        terms.append((copies, tensor))
        blocks += copies * [block]
    return Rep(tuple(terms)), block_diag(np.zeros((0, 0)), *blocks)


def spherical_harmonics(degree: int, x: ArrayLike, normalization: str = "component") -> Array:
    """Real spherical harmonics of vectors, times their length to the power of the degree: features of the type ``Sym0(degree)``.

    Args:
        degree: The degree l.
        x: Vectors (..., 3); in the plane (..., 2) circular harmonics, and so on.
        normalization: At unit vectors, ``norm``: length one; ``component``: mean square one; ``integral``: one over the sphere of space.

    Returns:
        Shape (..., 2 l + 1) in space, in e3nn's basis and order.

    Example:
        >>> spherical_harmonics(2, [0.0, 1.0, 0.0], "norm").round(3) + 0.0
        array([0., 0., 1., 0., 0.])
    """
    x = read_numbers(x, "x")
    n = x.shape[-1]
    if normalization not in NORMALIZATIONS:
        raise InputError(f"`normalization` must be one of {', '.join(NORMALIZATIONS)}, got {normalization!r}")
    if n < 2:
        raise InputError(f"`x` must have shape (..., d) with d of at least 2, got {x.shape}")
    values, square = np.ones((*x.shape[:-1], 1)), 1.0
    for k in range(1, operator.index(degree) + 1):
        product = (values[..., :, None] * x[..., None, :]).reshape(*x.shape[:-1], -1)
        values = product @ (np.eye(n) if k == 1 else _step("Sym0", k, n))
        square *= (k + n - 3) / (2 * k + n - 4) if k > 1 else 1.0  # squared length at unit vectors
    components = values.shape[-1] / (4 * math.pi if normalization == "integral" else 1.0)
    return np.asarray(values * math.sqrt((1.0 if normalization == "norm" else components) / square))


def _type_basis(kind: TensorType, group: Group) -> tuple[TensorType, Array]:
    tensor, B = TensorType(), np.asarray(np.eye(1))
    for atom in kind.atoms:
        own: TensorType = TensorType((atom,))
        block: Array = np.eye(atom.size(group))
        if isinstance(atom, Subspace):
            own, block = _type_basis(atom.parent, group)
            block = block @ atom.basis(group)
        tensor, B = tensor * own, np.asarray(np.kron(B, block))
    return tensor, B


Index = tuple[int, ...]


@functools.lru_cache(maxsize=256)
def _indices(symmetry: str, order: int, n: int) -> dict[Index, int]:
    """Indices of the coordinates: equal ones first, then the others backwards: xx, yy, zz, yz, xz, xy."""
    if symmetry == "Alt":
        listed = list(itertools.combinations(range(n), order))
        listed = listed if order == 1 else listed[::-1]
    else:
        every = list(itertools.combinations_with_replacement(range(n), order))
        diagonal = [index for index in every if len(set(index)) == 1]
        listed = diagonal + [index for index in every[::-1] if len(set(index)) > 1]
    return {index: place for place, index in enumerate(listed)}


@functools.lru_cache(maxsize=256)
def _step(symmetry: str, order: int, n: int) -> Array:
    """Isometric coordinates (lower size times n, size) of tensors as those with one index less, times a vector."""
    if symmetry == "Sym0":
        inclusion = np.kron(_harmonics(order - 1, n).T, np.eye(n))
        return freeze(inclusion @ _step("Sym", order, n) @ _harmonics(order, n))
    lower, listed = _indices(symmetry, order - 1, n), _indices(symmetry, order, n)
    B = np.zeros((len(lower), n, len(listed)))
    for index, place in listed.items():
        for k, i in enumerate(index):
            rest = index[:k] + index[k + 1 :]
            sign = (-1.0) ** (order - 1 - k) if symmetry == "Alt" else 1.0
            sign *= _orientation(symmetry, index, n) * _orientation(symmetry, rest, n)
            if symmetry == "Alt" or k == index.index(i):
                B[lower[rest], i, place] = sign * math.sqrt(index.count(i) / order)
    return freeze(B.reshape(-1, len(listed)))


def _orientation(symmetry: str, index: Index, n: int) -> float:
    """Signs that give antisymmetric tensors of one index less than dimensions the components of a cross product."""
    if symmetry != "Alt" or len(index) != n - 1 or len(index) == 1:
        return 1.0
    return (-1.0) ** (n * (n - 1) // 2 - sum(index))


@functools.lru_cache(maxsize=256)
def _harmonics(order: int, n: int) -> Array:
    """Orthonormal traceless tensors (symmetric coordinates, count): projections of products without traces of their own."""
    listed = _indices("Sym", order, n)
    if order == 1:
        return np.eye(n)
    traces = np.zeros((math.comb(n + order - 3, order - 2), len(listed)))
    lower: dict[Index, int] = _indices("Sym", order - 2, n) if order > 2 else {(): 0}
    for index, place in listed.items():
        for i, count in Counter(index).items():
            if count > 1:
                k, share = index.index(i), count * (count - 1) / (order * (order - 1))
                traces[lower[index[:k] + index[k + 2 :]], place] = math.sqrt(share)
    start = np.stack(list(_products(order, n)), axis=1)
    start -= traces.T @ np.linalg.solve(traces @ traces.T, traces @ start)
    Q, R = np.linalg.qr(start)
    return freeze(Q * np.sign(np.diag(R)))


def _products(order: int, n: int) -> list[Array]:
    """Products of coordinates, as symmetric tensors, whose traceless parts are the basis: in space parts of (z + ix)^m y^(order - m)."""
    listed = _indices("Sym", order, n)
    if n > 3:
        return [row for row, index in zip(np.eye(len(listed)), listed, strict=True) if index.count(0) < 2]
    real, imaginary, rest = (2, 0, 1) if n == 3 else (0, 1, 0)
    powers = range(-order, order + 1) if n == 3 else (order, -order)
    products = []
    for power in powers:
        product, m = np.zeros(len(listed)), abs(power)
        for j in range(int(power < 0), m + 1, 2):
            index = tuple(sorted([imaginary] * j + [real] * (m - j) + [rest] * (order - m)))
            orders = math.factorial(order) / math.prod(map(math.factorial, Counter(index).values()))
            product[listed[index]] = (-1.0) ** (j // 2) * math.comb(m, j) / math.sqrt(orders)
        products.append(product)
    return products
