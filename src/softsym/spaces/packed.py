r"""Many copies of few small bases in one flat array.

A :class:`Packed` holds, for each tensor type, where its copies lie in the flat array and a matrix :math:`F` of shape (size, rank). It
computes :math:`F F^T` on every copy, the coordinates :math:`F^T x`, and the combination :math:`F \theta`, for NumPy arrays and torch
tensors alike (:func:`backend_of`). Entries outside all blocks are zero in the result.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.spaces.solution import Basis, OrbitBasis, dense, rank_of
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from torch import Tensor

Values: TypeAlias = NDArray[Any]
A = TypeVar("A", Values, "Tensor")


class NumPy:
    """The operations of NumPy that differ from those of torch, which has a class of its own with the same ones; x (batch, size)."""

    def as_float(self, values: Values, name: str) -> Values:
        """Converts integers to floating point; refuses complex numbers under the name of the argument."""
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise InputError(f"`{name}` must be an array of real numbers, got {array.dtype}")
        return array if array.dtype.kind == "f" else array.astype(np.float64)

    def place(self, x: Values) -> Hashable:
        """What arrays must share to be used together: dtype, and device if there are several."""
        return x.dtype

    def constant(self, values: Values, like: Values) -> Values:
        """A copy with the dtype and device of another array; integers stay integers."""
        return values if values.dtype.kind == "i" else values.astype(like.dtype)

    def zeros(self, like: Values, *shape: int) -> Values:
        """Zeros with the dtype and device of another array."""
        return np.zeros(shape, dtype=like.dtype)

    def gather(self, x: Values, index: Values) -> Values:
        """The entries of each row at the positions (n,): shape (batch, n)."""
        return x[:, index]

    def scatter(self, rows: Values, index: Values, out: Values) -> None:
        """Writes rows (batch, n) to the positions (n,) of each row of ``out``."""
        out[:, index] = rows

    def sums(self, rows: Values, labels: Values, count: int) -> Values:
        """Sums of the entries of each row that share a label: (batch, count)."""
        each = [np.bincount(labels, row, count) for row in rows]
        return np.array(each, dtype=rows.dtype).reshape(len(rows), count)

    def norm(self, x: Values, axes: tuple[int, ...]) -> Values:
        """Root of the sum of squares over axes."""
        return np.sqrt((x**2).sum(axes))

    def apply(self, packed: Packed, name: str, x: Values) -> Values:
        """An operation of blocks by its name; that of torch has a gradient."""
        operation: Callable[[Values], Values] = getattr(packed, name)
        return operation(x)


NUMPY = NumPy()

WIDE = 32
"""Products with narrower matrices are batched to this width; orbits of smaller blocks are multiplied as matrices."""


@dataclass(frozen=True, eq=False)
class PackedBlock:
    """All copies of one type."""

    index: Index  # flat positions, shape (copies, size)
    # orthonormal columns F (size, rank), the identity if rank = size, or the orbits of a permutation action
    factor: Basis
    _constants: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def copies(self) -> int:
        """How many blocks there are of this type."""
        return len(self.index)

    @property
    def size(self) -> int:
        """Entries in a block."""
        return int(self.index.shape[1])

    @property
    def rank(self) -> int:
        """Dimensions of each block."""
        return rank_of(self.factor)

    @property
    def by_orbits(self) -> bool:
        """Whether sums over orbits are quicker than products with F: for large permutation actions."""
        return isinstance(self.factor, OrbitBasis) and self.size > WIDE

    @functools.cached_property
    def key(self) -> bytes:
        """A digest of the factor: equal for blocks with equal factors."""
        orbits = isinstance(self.factor, OrbitBasis)
        values = self.factor.labels if isinstance(self.factor, OrbitBasis) else self.factor
        digest = hashlib.blake2b(repr((orbits, values.shape)).encode(), digest_size=20)
        digest.update(np.ascontiguousarray(values).tobytes())
        return digest.digest()

    @functools.cached_property
    def matrix(self) -> Array:
        """F as a dense matrix (size, rank)."""
        return dense(self.factor)

    def project(self, rows: A) -> A:
        """F F^T on each row (n, size), the fastest way for its size and rank; may overwrite the rows."""
        if self.by_orbits:
            means = self._orbit_sums(rows) / self.constant("counts", rows)
            return backend_of(rows).gather(means, self.constant("labels", rows))
        if 2 * self.size <= WIDE:
            # Several blocks side by side: many products with a 2 x 2 matrix are slower than a few with a 32 x 32 one.
            width = WIDE // self.size
            whole = len(rows) // width * width
            side_by_side = rows[:whole].reshape(whole // width, width * self.size)
            rows[:whole] = (side_by_side @ self.constant("wide", rows)).reshape(whole, self.size)
            rows[whole:] = rows[whole:] @ self.constant("P", rows)
            return rows
        if self.size <= WIDE or 2 * self.rank > self.size:
            return rows @ self.constant("P", rows)
        F = self.constant("F", rows)
        return rows @ F @ F.T

    def coefficients(self, rows: A) -> A:
        """F^T on rows (n, size)."""
        if self.rank == self.size:
            return rows
        if self.by_orbits:
            return self._orbit_sums(rows) / self.constant("root counts", rows)
        return rows @ self.constant("F", rows)

    def combine(self, theta: A) -> A:
        """F on coordinates (n, rank)."""
        if self.rank == self.size:
            return theta
        if self.by_orbits:
            scaled = theta / self.constant("root counts", theta)
            return backend_of(theta).gather(scaled, self.constant("labels", theta))
        return theta @ self.constant("F", theta).T

    def constant(self, name: str, like: A) -> A:
        """One of the constants, with the dtype and device of another array; cached."""
        backend = backend_of(like)
        key = name, backend.place(like)
        if key not in self._constants:
            self._constants[key] = backend.constant(self._numbers(name), like)
        return cast(A, self._constants[key])

    def _orbit_sums(self, rows: A) -> A:
        """Sums of the entries of each row (n, size) over orbits: (n, rank)."""
        return backend_of(rows).sums(rows, self.constant("labels", rows), self.rank)

    def _numbers(self, name: str) -> NDArray[Any]:
        """A constant as a NumPy array."""
        if name == "index":
            return self.index.ravel()
        if name == "F":
            return self.matrix
        if name in ("P", "wide"):
            P = np.asarray(self.matrix @ self.matrix.T)
            return P if name == "P" else np.kron(np.eye(WIDE // self.size), P)
        assert isinstance(self.factor, OrbitBasis)
        if name == "labels":
            return self.factor.labels
        counts = self.factor.counts.astype(np.float64)
        return np.sqrt(counts) if name == "root counts" else counts


@dataclass(frozen=True, eq=False)
class Packed:
    """Operations on all blocks of a flat array of a given size; NumPy or torch, batch axis first."""

    size: int
    blocks: tuple[PackedBlock, ...]
    _masks: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @functools.cached_property
    def index(self) -> Index:
        """Flat positions of all blocks, one after the other."""
        return _flat_index(self.blocks)

    @property
    def dim(self) -> int:
        """Number of coordinates of all blocks together."""
        return sum(block.copies * block.rank for block in self.blocks)

    def project(self, x: A) -> A:
        """F F^T on every block of x (batch, size), zero elsewhere."""
        backend, out = backend_of(x), x * self._identity_mask(x)
        for block in self.blocks:
            if block.rank < block.size:
                index = block.constant("index", x)
                rows = backend.gather(x, index).reshape(len(x) * block.copies, block.size)
                backend.scatter(block.project(rows).reshape(len(x), block.index.size), index, out)
        return out

    def coefficients(self, x: A) -> A:
        """F^T on every block of x (batch, size): coordinates (batch, dim)."""
        backend, start = backend_of(x), 0
        theta = backend.zeros(x, len(x), self.dim)
        for block in self.blocks:
            rows = backend.gather(x, block.constant("index", x)).reshape(len(x) * block.copies, block.size)
            stop = start + block.copies * block.rank
            theta[:, start:stop] = block.coefficients(rows).reshape(len(x), stop - start)
            start = stop
        return theta

    def combine(self, theta: A) -> A:
        """F on the coordinates theta (batch, dim) of every block: a flat array (batch, size)."""
        backend, start = backend_of(theta), 0
        out = backend.zeros(theta, len(theta), self.size)
        for block in self.blocks:
            stop = start + block.copies * block.rank
            rows = block.combine(theta[:, start:stop].reshape(len(theta) * block.copies, block.rank))
            backend.scatter(rows.reshape(len(theta), block.index.size), block.constant("index", theta), out)
            start = stop
        return out

    def _identity_mask(self, like: A) -> A:
        """One in the blocks whose projector is the identity, zero elsewhere; cached."""
        backend = backend_of(like)
        if backend.place(like) not in self._masks:
            mask = np.zeros(self.size)
            mask[_flat_index([block for block in self.blocks if block.rank == block.size])] = 1.0
            self._masks[backend.place(like)] = backend.constant(mask, like)
        return cast(A, self._masks[backend.place(like)])


def _flat_index(blocks: Sequence[PackedBlock]) -> Index:
    parts = [block.index.ravel() for block in blocks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def backend_of(x: A) -> Any:
    """The operations for an array or a tensor: :class:`NumPy`, also of lists, or its twin of the same methods for torch."""
    torch = sys.modules.get("torch")  # a caller who holds a tensor has imported it
    if torch is not None and isinstance(x, torch.Tensor):
        return _torch_backend()
    return NUMPY


@functools.cache
def _torch_backend() -> Any:
    from softsym.spaces.torch_backend import TORCH

    return TORCH
