r"""Representations: how data transform.

A :class:`Rep` is an ordered direct sum of tensor types, ``5S + 5V`` for five scalars followed by five vectors. A
:class:`TensorType` is a tensor product of atoms; on it the group acts by Kronecker products and the algebra by Kronecker sums,

.. math:: \rho(g) = \rho_1(g) \otimes \rho_2(g) \otimes \dots, \qquad d\rho(A) = d\rho_1(A) \oplus d\rho_2(A) \oplus \dots

A representation fixes sizes and layout only; every group has its own action on it, which is what makes mixed symmetries possible.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.groups.sampling import batched_kron
from softsym.reps.atoms import Atom, Base, Element, Particles, Sign, algebra_element, group_element, kron_sum
from softsym.typing import Array

MAX_RANK = 64  # indices of a tensor, as NumPy arrays have them at most
MAX_TERMS = 200_000  # of a representation
PREFIXABLE = ("V", "T(", "D", "U", "Sym", "Alt")
"""Texts of types that are written with a p in front, times the sign of the determinant."""


@dataclass(frozen=True)
class TensorType:
    """A tensor product of atoms, in the order of the tensor's indices; a scalar has none.

    Signs come first, where they change no coordinate, and two equal ones cancel.
    """

    atoms: tuple[Atom, ...] = ()

    def __post_init__(self) -> None:
        signs = [atom for atom in self.atoms if isinstance(atom, Sign)]
        if signs:
            odd = sorted((sign for sign in set(signs) if signs.count(sign) % 2), key=Sign.order_key)
            rest = (atom for atom in self.atoms if not isinstance(atom, Sign))
            object.__setattr__(self, "atoms", (*odd, *rest))

    @property
    def rank(self) -> int:
        """Number of tensor indices."""
        return len(self.atoms)

    @property
    def degree(self) -> int:
        """By which power of s it grows under multiplication by s."""
        return sum(atom.degree for atom in self.atoms)

    @property
    def particles(self) -> Particles | None:
        """The particles of each of which it is one copy; None if there are none."""
        return next((atom for atom in self.atoms if isinstance(atom, Particles)), None)

    @property
    def dual(self) -> TensorType:
        """The dual type."""
        return self.map_atoms(lambda atom: atom.dual)

    def map_atoms(self, change: Callable[[Atom], Atom]) -> TensorType:
        """The type with another atom in place of each."""
        return TensorType(tuple(map(change, self.atoms)))

    def shape(self, group: Group) -> tuple[int, ...]:
        """Size of each tensor index."""
        return tuple(atom.size(group) for atom in self.atoms)

    def size(self, group: Group) -> int:
        """Number of coordinates."""
        return math.prod(self.shape(group))

    def rho(self, group: Group, g: Element) -> Array:
        """Matrices of group elements, shape (..., size, size)."""
        one = np.ones((*g.whole.shape[:-2], 1, 1))
        return functools.reduce(batched_kron, [atom.rho(group, g) for atom in self.atoms], one)

    def drho(self, group: Group, A: Element) -> Array:
        """Matrices of algebra elements, shape (..., size, size)."""
        zero = np.zeros((*A.whole.shape[:-2], 1, 1))
        return functools.reduce(kron_sum, [atom.drho(group, A) for atom in self.atoms], zero)

    def is_permutation(self, group: Group) -> bool:
        """Whether the group only permutes the coordinates of this type (a scalar's one coordinate included)."""
        return all(atom.is_permutation(group) for atom in self.atoms)

    def canonical(self, groups: Sequence[Group]) -> tuple[TensorType, tuple[int, ...]]:
        """A representative with its atoms in standard order, and the axis order that leads to it.

        Types with the same representative share their invariants. Duals are replaced by the atoms themselves if all groups are orthogonal.
        """
        orthogonal = all(group.is_orthogonal for group in groups)
        atoms = [atom.without_dual() if orthogonal else atom for atom in self.atoms]
        order = tuple(sorted(range(len(atoms)), key=lambda i: atoms[i].order_key()))
        return TensorType(tuple(atoms[i] for i in order)), order

    def __mul__(self, other: TensorType) -> TensorType:
        check_rank(self.rank + other.rank)
        return TensorType(self.atoms + other.atoms)

    def __str__(self) -> str:
        if not self.atoms:
            return "S"
        sign, rest = self.atoms[0], TensorType(self.atoms[1:])
        if isinstance(sign, Sign) and rest.atoms:
            is_prefix = str(rest).startswith(PREFIXABLE) and _part(rest) == sign.part
            return f"p{rest}" if is_prefix else f"{sign}*{rest}"
        p = sum(atom == Base() for atom in self.atoms)
        q = len(self.atoms) - p
        if len(self.atoms) > 1 and self.atoms == (Base(),) * p + (Base(is_dual=True),) * q:
            return f"T({p},{q})" if q else f"T({p})"
        return "*".join(map(str, self.atoms))


@dataclass(frozen=True)
class Segment:
    """Consecutive copies of one type in the coordinates of a representation."""

    start: int
    copies: int
    type: TensorType
    size: int

    @property
    def stop(self) -> int:
        """First coordinate after the segment."""
        return self.start + self.copies * self.size


@dataclass(frozen=True)
class Rep:
    """An ordered direct sum of tensor types: an immutable value with an algebra and a text form.

    ``+`` appends, ``*`` is the tensor product (distributed over sums, left factor outermost), ``n * rep`` makes copies,
    ``.dual`` is the dual. Wherever a group is expected its text is accepted.

    Args:
        terms: (copies, type) pairs in the order of the coordinates.

    Example:
        >>> import softsym as ss
        >>> rep = 5 * ss.Scalar + 5 * ss.Vector
        >>> print(rep, rep.size("O(3)"))
        5S + 5V 20
    """

    terms: tuple[tuple[int, TensorType], ...]

    def __post_init__(self) -> None:
        merged: list[tuple[int, TensorType]] = []
        for copies, tensor_type in self.terms:
            if merged and merged[-1][1] == tensor_type:
                merged[-1] = (merged[-1][0] + copies, tensor_type)
            elif copies:
                merged.append((copies, tensor_type))
        object.__setattr__(self, "terms", tuple(merged))

    @property
    def dual(self) -> Rep:
        """The dual representation, on which g acts by its inverse transpose."""
        return self.map_atoms(lambda atom: atom.dual)

    def map_atoms(self, change: Callable[[Atom], Atom]) -> Rep:
        """The representation with another atom in place of each."""
        return Rep(tuple((copies, tensor_type.map_atoms(change)) for copies, tensor_type in self.terms))

    def size(self, group: Group | str) -> int:
        """Number of coordinates."""
        group = read_group(group)
        return sum(copies * tensor_type.size(group) for copies, tensor_type in self.terms)

    def segments(self, group: Group | str) -> list[Segment]:
        """Where each run of equal types lies in the coordinates."""
        group, segments, start = read_group(group), [], 0
        for copies, tensor_type in self.terms:
            segments.append(Segment(start, copies, tensor_type, tensor_type.size(group)))
            start = segments[-1].stop
        return segments

    def rho(self, group: Group | str, g: ArrayLike | Sequence[ArrayLike]) -> Array:
        """The matrix of a group element (or a batch of them), shape (..., size, size).

        ``g`` are matrices (..., d, d), or for a direct product a tuple with the matrices of each factor.
        """
        group = read_group(group)
        element = group_element(group, g)
        return self._block_diagonal(group, element, lambda tensor_type: tensor_type.rho(group, element))

    def drho(self, group: Group | str, A: ArrayLike | Sequence[ArrayLike]) -> Array:
        """The matrix of an algebra element (or a batch of them), shape (..., size, size)."""
        group = read_group(group)
        element = algebra_element(group, A)
        return self._block_diagonal(group, element, lambda tensor_type: tensor_type.drho(group, element))

    def _block_diagonal(self, group: Group, element: Element, matrices: Callable[[TensorType], Array]) -> Array:
        """One block for each copy of each type."""
        n = self.size(group)
        out = np.zeros((*element.whole.shape[:-2], n, n))
        for segment in self.segments(group):
            block = matrices(segment.type)
            for start in range(segment.start, segment.stop, segment.size):
                out[..., start : start + segment.size, start : start + segment.size] = block
        return out

    def __add__(self, other: Rep) -> Rep:
        if not isinstance(other, Rep):
            return NotImplemented
        return Rep(self.terms + other.terms)

    def __mul__(self, other: Rep | int) -> Rep:
        if isinstance(other, Rep):
            _check_terms(len(self.terms) * len(other.terms))
            pairs = itertools.product(self.terms, other.terms)
            return Rep(tuple((m * n, a * b) for (m, a), (n, b) in pairs))
        return other * self

    def __rmul__(self, copies: int) -> Rep:
        try:
            copies = operator.index(copies)
        except TypeError:
            return NotImplemented
        if copies < 0:
            raise InputError(f"cannot take {copies} copies of {self}")
        if len(self.terms) > 1:
            _check_terms(len(self.terms) * copies)
            return Rep(self.terms * copies)
        return Rep(tuple((copies * n, tensor_type) for n, tensor_type in self.terms))

    def __iter__(self) -> Iterator[tuple[int, TensorType]]:
        return iter(self.terms)

    def __str__(self) -> str:
        texts = []
        for kind, terms in itertools.groupby(self.terms, lambda term: term[1].particles):
            if kind is None:
                texts += [f"{'' if copies == 1 else copies}{tensor_type}" for copies, tensor_type in terms]
                continue
            each = Rep(tuple((n, TensorType(tuple(a for a in t.atoms if a != kind))) for n, t in terms))
            texts.append(f"{kind.count}x({on_part(each, None)})")
        return " + ".join(texts) or "0"

    def __repr__(self) -> str:
        return str(self)


def check_rank(rank: int) -> None:
    """Refuses tensors of more indices than an array has."""
    if rank > MAX_RANK:
        raise InputError(f"a tensor of {rank:,} indices has too many; at most {MAX_RANK} are possible")


def _check_terms(count: int) -> None:
    if count > MAX_TERMS:
        raise InputError(
            f"a representation of {count:,} terms has too many; at most {MAX_TERMS:,} are made, and copies of one type are a single term"
        )


def single(*atoms: Atom) -> Rep:
    """One copy of the tensor product of atoms."""
    return Rep(((1, TensorType(atoms)),))


def T(p: int, q: int = 0) -> Rep:
    """Tensors with p upper and q lower indices: V^p (x) V'^q. ``T(0)`` is a scalar, ``T(1)`` a vector."""
    p, q = operator.index(p), operator.index(q)
    if p < 0 or q < 0:
        raise InputError(f"T(p, q) needs p, q >= 0, got T({p}, {q})")
    check_rank(p + q)
    return single(*(Base(),) * p, *(Base(is_dual=True),) * q)


def pseudo(rep: Rep) -> Rep:
    """The representation times the sign of the determinant: pseudovectors for vectors.

    Example:
        >>> import softsym as ss
        >>> pseudo(ss.rep("S + V + T(2) + V[0]"))
        pS + pV + pT(2) + pV[0]
    """
    return Rep(tuple((n, TensorType((Sign(_part(kind)), *kind.atoms))) for n, kind in rep))


def on_part(rep: Rep, part: int | None) -> Rep:
    """Types of the whole space as types of the first Kronecker factor (0), or the other way round (None)."""
    return rep.map_atoms(lambda atom: atom.on_part(part))


def _part(kind: TensorType) -> int | None:
    """The Kronecker factor of the first index."""
    first = kind.atoms[0] if kind.atoms else None
    return first.part if isinstance(first, Base) else None


def part_vector(index: int) -> Rep:
    """The base representation of one factor of a direct product, V[0] or V[1]; tensor them freely with ``*``."""
    index = operator.index(index)
    if index < 0:
        raise InputError(f"the factors of a direct product are counted from 0, got {index}")
    return single(Base(part=index))


Scalar = T(0)
Vector = T(1)
Pseudoscalar = single(Sign())


def cut(rep: Rep, sizes: Sequence[int], group: Group) -> list[Rep]:
    """Cuts a representation into consecutive pieces of given sizes, which add up to its own."""
    if sum(sizes) != rep.size(group):
        raise InputError(f"{rep} has {rep.size(group)} coordinates, which are not {' + '.join(map(str, sizes))}")
    rest = [(copies, tensor_type, tensor_type.size(group)) for copies, tensor_type in rep]
    pieces = []
    for size in sizes:
        terms = []
        while size:
            copies, tensor_type, each = rest.pop(0)
            taken = min(copies, size // each) if each else copies
            if not taken:
                raise InputError(f"{rep} cannot be cut there: {tensor_type} has {each} coordinates")
            terms.append((taken, tensor_type))
            size -= taken * each
            if taken < copies:
                rest.insert(0, (copies - taken, tensor_type, each))
        pieces.append(Rep(tuple(terms)))
    return pieces


def equal_part(rep: Rep, parts: int, group: Group) -> Rep:
    """The representation of which a given one is so many consecutive copies."""
    problem = f"{rep} is not {parts} equal representations one after the other"
    try:
        pieces = cut(rep, [rep.size(group) // parts] * parts, group)
    except InputError as error:
        raise InputError(problem) from error
    if any(piece != pieces[0] for piece in pieces):
        raise InputError(problem)
    return pieces[0]
