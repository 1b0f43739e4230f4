r"""Equivariant kernels: matrix-valued kernels whose functions have a symmetry exactly.

- *Averaged* over a closed set F, for compact groups,

  .. math:: K_G(x, x') = \frac{1}{|F|} \sum_{g \in F} k(x, \rho_{in}(g) x')\, \rho_{out}(g) .

- *Framed*, if the group holds all positive multiples of the identity: with s(x) the size of x, :math:`\rho_{out}(s)\,
  K(x / s, x' / s')\, \rho_{out}(s')`.
- *Polynomial*, for any other group: the polynomial kernel's coefficients are projected onto the equivariant maps of
  :mod:`softsym.spaces`, :math:`\sum_p \binom{3}{p} d^{-p}\, P_p (x^{\otimes p} \otimes x'^{\otimes p})`. For compact groups it is
  the averaged kernel.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.evidence.blocks import Block
from softsym.evidence.kernels import Kernel, squares
from softsym.groups import Group
from softsym.groups.quadrature import ClosedSet, closed_set
from softsym.measure.action import act
from softsym.reps import Rep, TensorType
from softsym.reps.atoms import Base
from softsym.spaces import equivariant_maps

Array = NDArray[np.float64]
CHUNK = 500_000
"""Kernel values held at once."""
LARGEST_MAP = 2_000_000
"""Numbers of a basis of equivariant maps beyond which the polynomial's degree is lowered."""


class EquivariantKernel(ABC):
    """What makes a kernel equivariant to one group.

    Args:
        group: The group.
        rep_in: How inputs transform.
    """

    is_projection = True
    """Whether it is the part of k I that has the symmetry, so that the difference is a kernel too."""

    def __init__(self, group: Group, rep_in: Rep) -> None:
        self.group, self.rep_in = group, rep_in

    @abstractmethod
    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """Gram matrices (b n, b m) of every kernel (outer list) and block; ``right`` is ``left`` if not given."""

    def allows(self, kernel: Kernel) -> bool:
        """Whether this base kernel can be made equivariant."""
        return True

    @property
    @abstractmethod
    def method(self) -> str:
        """How it is done, for tables."""


class Plain(EquivariantKernel):
    """k I: no symmetry at all.

    Args:
        group: Any group.
        rep_in: How inputs transform.
        stretch: Factors of the input columns, shape (d,): without a symmetry to keep, each column may have its own unit.
    """

    def __init__(self, group: Group, rep_in: Rep, stretch: Array | None = None) -> None:
        super().__init__(group, rep_in)
        self.stretch = stretch
        self.is_projection = stretch is None

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        return [
            [repeated(gram, block.size) for block in blocks]
            for gram in (self.gram(kernel, left, right) for kernel in kernels)
        ]

    def gram(self, kernel: Kernel, left: Array, right: Array | None = None) -> Array:
        """The Gram matrix (n, m) of one coordinate."""
        right = left if right is None else right
        if self.stretch is not None:
            left, right = left * self.stretch, right * self.stretch
        return kernel.gram(left, right)

    @property
    def method(self) -> str:
        """See the base class."""
        return "plain" if self.stretch is None else "plain, columns in their own units"


class Averaged(EquivariantKernel):
    """A kernel averaged over a closed set."""

    def __init__(self, group: Group, rep_in: Rep, closed: ClosedSet) -> None:
        super().__init__(group, rep_in)
        self.closed = closed

    @functools.cached_property
    def _halves(self) -> tuple[NDArray[np.intp], Array]:
        """One element of each pair (g, g^-1), and 1 or 2 for how many it stands for."""
        flat = np.concatenate([part.reshape(len(part), -1) for part in self.closed.parts], axis=1)
        back = np.concatenate(
            [part.swapaxes(1, 2).reshape(len(part), -1) for part in self.closed.parts], axis=1
        )
        distance = squares(flat)[:, None] + squares(back)[None] - 2 * flat @ back.T / flat.shape[1]
        inverse = distance.argmin(axis=0)
        index = np.arange(len(inverse))
        first = index <= inverse
        return index[first], np.where(inverse == index, 1.0, 2.0)[first]

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        symmetric = right is None
        which, weight = (
            self._halves if symmetric else (np.arange(len(self.closed)), np.ones(len(self.closed)))
        )
        other = left if right is None else right
        n, m, d = len(left), len(other), left.shape[1]
        rhos = [(block.rho(self.group, self.closed)[which] * weight[:, None, None]) for block in blocks]
        rhos = [rho.reshape(len(which), -1) / len(self.closed) for rho in rhos]
        out = [[np.empty((block.size, n, block.size, m)) for block in blocks] for _ in kernels]
        lengths, other_lengths = squares(left), squares(other)
        moved = (
            act(self.rep_in, self.group, [part[which] for part in self.closed.parts], other).swapaxes(1, 2)
            / d
        )
        step = max(1, CHUNK // max(1, len(which) * m))
        for start in range(0, n, step):
            rows = slice(start, min(n, start + step))
            inner = left[rows] @ moved
            for grams, kernel in zip(out, kernels, strict=True):
                values = kernel.of(inner, lengths[rows, None], other_lengths).reshape(len(which), -1)
                for gram, rho, block in zip(grams, rhos, blocks, strict=True):
                    b = block.size
                    gram[:, rows] = (rho.T @ values).reshape(b, b, -1, m).transpose(0, 2, 1, 3)
        flat = [
            [gram.reshape(b.size * n, b.size * m) for gram, b in zip(grams, blocks, strict=True)]
            for grams in out
        ]
        return [[(gram + gram.T) / 2 for gram in grams] for grams in flat] if symmetric else flat

    @property
    def method(self) -> str:
        """See the base class."""
        return f"averaged over {len(self.closed)} elements"


class Framed(EquivariantKernel):
    """A kernel of inputs divided by their size: all positive multiples of the identity and whatever the inner kernel has."""

    is_projection = False

    def __init__(self, group: Group, rep_in: Rep, inner: EquivariantKernel) -> None:
        super().__init__(group, rep_in)
        self.inner = inner

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        size, unit = self._framed(left)
        other_size, other = (size, None) if right is None else self._framed(right)
        grams = self.inner.grams(kernels, blocks, unit, other)
        for block, position in zip(blocks, range(len(blocks)), strict=True):
            power = _weight(block.type)
            rows, columns = (np.tile(one**power, block.size) for one in (size, other_size))
            for row in grams:
                row[position] *= rows[:, None] * columns
        return grams

    def _framed(self, X: Array) -> tuple[Array, Array]:
        """The size (n,) of every input, in units of a typical one, and the inputs divided by it."""
        segments = [s for s in self.rep_in.segments(self.group) if _weight(s.type)]
        first = _weight(segments[0].type)
        chosen = [s for s in segments if _weight(s.type) == first]
        columns = np.concatenate([np.arange(s.start, s.stop) for s in chosen])
        size = np.maximum(np.sqrt((X[:, columns] ** 2).mean(1)), 1e-12) ** (1.0 / first)
        unit = X.copy()
        for s in segments:
            unit[:, s.start : s.stop] /= (size ** _weight(s.type))[:, None]
        return size, unit

    @property
    def method(self) -> str:
        """See the base class."""
        inner = "" if isinstance(self.inner, Plain) else f", {self.inner.method}"
        return f"inputs divided by their size{inner}"


class Polynomial(EquivariantKernel):
    """The polynomial kernel of degree at most three, projected onto equivariant maps."""

    def __init__(self, group: Group, rep_in: Rep, rep_out: Rep) -> None:
        super().__init__(group, rep_in)
        self.rep_out, d = rep_out, rep_in.size(group)
        sizes = [rep_out.size(group) * d**p for p in (1, 2, 3)]
        self.degree = sum(size <= LARGEST_MAP // 100 for size in sizes)
        if not self.degree:
            raise InputError(
                f"{group.name} is not compact, and {rep_in} is too large for its polynomial maps"
            )

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        return [
            [self._gram(int(kernel.parameter), block, left, right) for block in blocks] for kernel in kernels
        ]

    def _gram(self, degree: int, block: Block, left: Array, right: Array | None) -> Array:
        total = np.zeros((block.size * len(left), block.size * len(left if right is None else right)))
        for p in range(degree + 1):
            maps = _maps(self.rep_in, block.type, self.group, p)
            if not maps.size:
                continue
            a = _features(maps, block, left)
            b = a if right is None else _features(maps, block, right)
            total += math.comb(degree, p) * left.shape[1] ** -float(p) * (a @ b.T)
        return total

    def allows(self, kernel: Kernel) -> bool:
        """Polynomials up to the largest degree only."""
        return kernel.family == "polynomial" and kernel.parameter <= self.degree

    @property
    def method(self) -> str:
        """See the base class."""
        return f"polynomial maps of degree {self.degree}"


def repeated(gram: Array, b: int) -> Array:
    """The Kronecker product I (x) K of a Gram matrix: the same kernel for each of b coordinates that know nothing of each other."""
    return np.asarray(np.kron(np.eye(b), gram), dtype=np.float64)


def equivariant_kernel(group: Group, rep_in: Rep, rep_out: Rep) -> EquivariantKernel:
    """The kernel of a group by the first method that applies: averaged, framed, polynomial.

    Example:
        >>> import softsym as ss
        >>> [equivariant_kernel(ss.group(text), ss.rep("2V"), ss.rep("S")).method for text in ("O(2)@z", "Scaling(3)", "SL(3)")]
        ['averaged over 16 elements', 'inputs divided by their size', 'polynomial maps of degree 3']
    """
    rest, scales = _without_scaling(group)
    moving = scales and any(_weight(type_) for _, type_ in rep_in)
    if (moving or not scales) and (rest is None or rest.is_orthogonal):
        try:
            inner = Plain(group, rep_in) if rest is None else Averaged(rest, rep_in, closed_set(rest))
            return Framed(group, rep_in, inner) if scales else inner
        except InputError:
            if not scales:
                raise
    return Polynomial(group, rep_in, rep_out)


def _without_scaling(group: Group) -> tuple[Group | None, bool]:
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


def _weight(type_: TensorType) -> int:
    """By which power of s a type grows under multiplication by s."""
    return sum((-1 if atom.is_dual else 1) for atom in type_.atoms if isinstance(atom, Base))


@functools.lru_cache(maxsize=64)
def _maps(rep_in: Rep, type_: TensorType, group: Group, p: int) -> Array:
    """An orthonormal basis of equivariant maps from p-fold products of inputs to one type, shape (size, d^p, dim)."""
    copies = [kind for count, kind in rep_in for _ in range(count)]
    kinds, order = [TensorType()], np.zeros(1, dtype=np.intp)
    for _ in range(p):
        order = _interleaved(
            [kind.size(group) for kind in kinds], [kind.size(group) for kind in copies], order
        )
        kinds = [a * b for a in kinds for b in copies]
    space = equivariant_maps(Rep(tuple((1, kind) for kind in kinds)), Rep(((1, type_),)), group)
    maps = np.empty((*space.shape, space.dim))
    maps[:, order] = space.basis().reshape(*space.shape, -1)
    return maps


def _interleaved(left: list[int], right: list[int], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where a representation's product, copy by copy, lies in the Kronecker product of the coordinates."""
    width = sum(right)
    pieces, a = [], 0
    for m in left:
        b = 0
        for n in right:
            pieces.append((order[a : a + m, None] * width + np.arange(b, b + n)).ravel())
            b += n
        a += m
    return np.concatenate(pieces)


def _features(maps: Array, block: Block, X: Array) -> Array:
    """Values of all maps at all rows in the block's coordinates, shape (b n, dim)."""
    power = np.ones((len(X), 1))
    while power.shape[1] < maps.shape[1]:
        power = np.einsum("ni,nj->nij", power, X).reshape(len(X), -1)
    values = np.einsum("sb,sik,ni->bnk", block.basis, maps, power, optimize=True)
    return np.asarray(values.reshape(block.size * len(X), -1))
