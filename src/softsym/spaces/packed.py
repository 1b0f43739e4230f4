r"""Many copies of few small bases in one flat array.

A :class:`Packed` holds, for each tensor type, where its copies lie in the flat array and a matrix :math:`F` of shape (size, rank). It
computes :math:`F F^T` on every copy, the coordinates :math:`F^T x`, and the combination :math:`F \theta`, for NumPy arrays and torch
tensors alike. Entries outside all blocks are zero in the result. What it needs of either library is a :class:`Backend`; :func:`backend_of`
decides once which one an array belongs to. That of torch has a file of its own, imported only where a tensor is passed in.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.spaces.solution import OrbitBasis
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from torch import Tensor

Values: TypeAlias = NDArray[Any]
A = TypeVar("A", Values, "Tensor")


class Backend(ABC, Generic[A]):
    """One array library. Rows are batches: x (batch, size)."""

    @abstractmethod
    def as_float(self, values: A, name: str) -> A:
        """Converts integers to floating point; refuses complex numbers under the name of the argument."""

    @abstractmethod
    def place(self, x: A) -> Hashable:
        """What arrays must share to be used together: dtype, and device if there are several."""

    @abstractmethod
    def constant(self, values: Values, like: A) -> A:
        """A copy with the dtype and device of another array; integers stay integers."""

    @abstractmethod
    def zeros(self, like: A, *shape: int) -> A:
        """Zeros with the dtype and device of another array."""

    @abstractmethod
    def empty(self, like: A, *shape: int) -> A:
        """An uninitialised array with the dtype and device of another."""

    @abstractmethod
    def gather(self, x: A, index: A) -> A:
        """The entries of each row at the positions (n,): shape (batch, n)."""

    @abstractmethod
    def scatter(self, rows: A, index: A, out: A) -> None:
        """Writes rows (batch, n) to the positions (n,) of each row of ``out``."""

    @abstractmethod
    def split(self, rows: A, sizes: list[int]) -> Sequence[A]:
        """Views of consecutive columns."""

    @abstractmethod
    def concatenate(self, parts: list[A], like: A) -> A:
        """Columns of all parts, one after the other; no parts give (len(like), 0)."""

    @abstractmethod
    def product_into(self, a: A, b: A, out: A) -> None:
        """Writes the matrix product a b."""

    @abstractmethod
    def sums(self, rows: A, labels: A, count: int) -> A:
        """Sums of the entries of each row that share a label: (batch, count)."""

    @abstractmethod
    def norm(self, x: A, axes: tuple[int, ...]) -> A:
        """Root of the sum of squares over axes."""

    def project(self, packed: Packed, x: A) -> A:
        """P x of blocks; overridden, like the next two, where the library has gradients."""
        return packed.project(x)

    def coefficients(self, packed: Packed, x: A) -> A:
        """Coordinates of x in blocks."""
        return packed.coefficients(x)

    def combine(self, packed: Packed, theta: A) -> A:
        """The array with the coordinates theta in blocks."""
        return packed.combine(theta)


class _NumPy(Backend[Values]):
    def as_float(self, values: Values, name: str) -> Values:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise InputError(f"`{name}` must be an array of real numbers, got {array.dtype}")
        return array if array.dtype.kind == "f" else array.astype(np.float64)

    def place(self, x: Values) -> Hashable:
        return x.dtype

    def constant(self, values: Values, like: Values) -> Values:
        return values if values.dtype.kind == "i" else values.astype(like.dtype)

    def zeros(self, like: Values, *shape: int) -> Values:
        return np.zeros(shape, dtype=like.dtype)

    def empty(self, like: Values, *shape: int) -> Values:
        return np.empty(shape, dtype=like.dtype)

    def gather(self, x: Values, index: Values) -> Values:
        return x[:, index]

    def scatter(self, rows: Values, index: Values, out: Values) -> None:
        out[:, index] = rows

    def split(self, rows: Values, sizes: list[int]) -> Sequence[Values]:
        return np.split(rows, np.cumsum(sizes)[:-1], axis=1) if sizes else []

    def concatenate(self, parts: list[Values], like: Values) -> Values:
        return np.concatenate(parts, axis=1) if parts else self.zeros(like, len(like), 0)

    def product_into(self, a: Values, b: Values, out: Values) -> None:
        np.matmul(a, b, out=out)

    def sums(self, rows: Values, labels: Values, count: int) -> Values:
        each = [np.bincount(labels, row, count) for row in rows]
        return np.array(each, dtype=rows.dtype).reshape(len(rows), count)

    def norm(self, x: Values, axes: tuple[int, ...]) -> Values:
        return np.sqrt((x**2).sum(axes))


NUMPY = _NumPy()

WIDE = 32
"""Products with narrower matrices are batched to this width; orbits of smaller blocks are multiplied as matrices."""


@dataclass(frozen=True, eq=False)
class PackedBlock:
    """All copies of one type."""

    index: Index  # flat positions, shape (copies, size)
    # orthonormal columns F (size, rank), the identity if rank = size, or the orbits of a permutation action
    factor: Array | OrbitBasis

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
        return self.factor.rank if isinstance(self.factor, OrbitBasis) else int(self.factor.shape[1])

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
        return self.factor.dense() if isinstance(self.factor, OrbitBasis) else self.factor


@dataclass(frozen=True, eq=False)
class Packed:
    """Operations on all blocks of a flat array of a given size; NumPy or torch, batch axis first."""

    size: int
    blocks: tuple[PackedBlock, ...]
    _operators: dict[Hashable, BlockOperator[Any]] = field(default_factory=dict, repr=False)

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
        return self._operator(x).project(x)

    def coefficients(self, x: A) -> A:
        """F^T on every block of x (batch, size): coordinates (batch, dim)."""
        return self._operator(x).coefficients(x)

    def combine(self, theta: A) -> A:
        """F on the coordinates theta (batch, dim) of every block: a flat array (batch, size)."""
        return self._operator(theta).combine(theta)

    def _operator(self, x: A) -> BlockOperator[A]:
        """The operations for the dtype and device of an array, cached."""
        backend = backend_of(x)
        place = backend.place(x)
        if place not in self._operators:
            self._operators[place] = BlockOperator(self.size, self.blocks, backend, backend.empty(x, 0))
        return self._operators[place]


class BlockOperator(Generic[A]):
    """The operations of a :class:`Packed` for one array library, and the dtype and device of the array ``like``."""

    def __init__(self, size: int, blocks: tuple[PackedBlock, ...], backend: Backend[A], like: A) -> None:
        self.size, self.blocks = size, blocks
        self.backend: Backend[A] = backend
        self.like: A = like
        # The projector of the other blocks is the identity.
        self.proper = [k for k, block in enumerate(blocks) if block.rank < block.size]
        self.constants: dict[tuple[str, int], A] = {}

    def project(self, x: A) -> A:
        out = x * self._constant("identity mask")
        if self.proper:
            index = self._constant("proper index")
            rows = self.backend.gather(x, index)
            projected = self.backend.empty(rows, *rows.shape)
            sizes = [self.blocks[k].index.size for k in self.proper]
            parts = zip(self.backend.split(rows, sizes), self.backend.split(projected, sizes), strict=True)
            for k, (columns, target) in zip(self.proper, parts, strict=True):
                self._project_block(k, columns, target)
            self.backend.scatter(projected, index, out)
        return out

    def coefficients(self, x: A) -> A:
        rows = self.backend.gather(x, self._constant("index"))
        sizes = [block.index.size for block in self.blocks]
        parts = []
        for k, columns in enumerate(self.backend.split(rows, sizes)):
            block = self.blocks[k]
            theta = self._analyse(k, columns.reshape(len(rows) * block.copies, block.size))
            parts.append(theta.reshape(len(rows), block.copies * block.rank))
        return self.backend.concatenate(parts, x)

    def combine(self, theta: A) -> A:
        sizes = [block.copies * block.rank for block in self.blocks]
        parts = []
        for k, columns in enumerate(self.backend.split(theta, sizes)):
            block = self.blocks[k]
            rows = self._synthesise(k, columns.reshape(len(theta) * block.copies, block.rank))
            parts.append(rows.reshape(len(theta), block.index.size))
        out = self.backend.zeros(theta, len(theta), self.size)
        self.backend.scatter(self.backend.concatenate(parts, theta), self._constant("index"), out)
        return out

    def _project_block(self, k: int, columns: A, target: A) -> None:
        """Projects all copies of one type: (batch, copies * size) into a target of the same shape."""
        block = self.blocks[k]
        shape = (len(columns) * block.copies, block.size)
        if len(columns) == 1:  # contiguous memory: write in place
            self._project_rows(k, columns.reshape(shape), target.reshape(shape))
        elif len(columns):
            out = self.backend.empty(columns, *shape)
            self._project_rows(k, columns.reshape(shape), out)
            target[...] = out.reshape(target.shape)

    def _project_rows(self, k: int, rows: A, out: A) -> None:
        """F F^T on each row (n, size) of one type, the fastest way for its size and rank."""
        block = self.blocks[k]
        if block.by_orbits:
            means = self._orbit_sums(k, rows) / self._constant("counts", k)
            out[...] = self.backend.gather(means, self._constant("labels", k))
        elif 2 * block.size <= WIDE:
            self._project_tiny(k, block.size, rows, out)
        elif block.size <= WIDE or 2 * block.rank > block.size:
            self.backend.product_into(rows, self._constant("P", k), out)
        else:
            F = self._constant("F", k)
            self.backend.product_into(rows @ F, F.T, out)

    def _project_tiny(self, k: int, size: int, rows: A, out: A) -> None:
        """Several blocks side by side: many products with a 2 x 2 matrix are slower than a few with a 32 x 32 one."""
        group = WIDE // size
        whole = len(rows) // group * group
        if whole:
            wide = (whole // group, group * size)
            side_by_side, target = rows[:whole].reshape(wide), out[:whole].reshape(wide)
            self.backend.product_into(side_by_side, self._constant("wide", k), target)
        if whole < len(rows):
            self.backend.product_into(rows[whole:], self._constant("P", k), out[whole:])

    def _analyse(self, k: int, rows: A) -> A:
        """F^T on rows (n, size) of one type."""
        block = self.blocks[k]
        if block.rank == block.size:
            return rows
        if block.by_orbits:
            return self._orbit_sums(k, rows) / self._constant("root counts", k)
        return rows @ self._constant("F", k)

    def _synthesise(self, k: int, theta: A) -> A:
        """F on coordinates (n, rank) of one type."""
        block = self.blocks[k]
        if block.rank == block.size:
            return theta
        if block.by_orbits:
            scaled = theta / self._constant("root counts", k)
            return self.backend.gather(scaled, self._constant("labels", k))
        return theta @ self._constant("F", k).T

    def _orbit_sums(self, k: int, rows: A) -> A:
        """Sums of the entries of each row (n, size) over orbits: (n, rank)."""
        return self.backend.sums(rows, self._constant("labels", k), self.blocks[k].rank)

    def _constant(self, name: str, k: int = -1) -> A:
        """One of the constants, with the right dtype and device; cached."""
        if (name, k) not in self.constants:
            self.constants[name, k] = self.backend.constant(self._numbers(name, k), self.like)
        return self.constants[name, k]

    def _numbers(self, name: str, k: int) -> NDArray[Any]:
        """A constant as a NumPy array: of all blocks together, or of one type."""
        if name == "index":
            return _flat_index(self.blocks)
        if name == "proper index":
            return _flat_index([self.blocks[k] for k in self.proper])
        if name == "identity mask":
            mask = np.zeros(self.size)
            mask[_flat_index([block for block in self.blocks if block.rank == block.size])] = 1.0
            return mask
        block = self.blocks[k]
        if name == "F":
            return block.matrix
        if name == "P":
            return np.asarray(block.matrix @ block.matrix.T)
        if name == "wide":
            return np.kron(np.eye(WIDE // block.size), block.matrix @ block.matrix.T)
        assert isinstance(block.factor, OrbitBasis)
        if name == "labels":
            return block.factor.labels
        counts = block.factor.counts.astype(np.float64)
        return np.sqrt(counts) if name == "root counts" else counts


def _flat_index(blocks: Sequence[PackedBlock]) -> Index:
    parts = [block.index.ravel() for block in blocks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def backend_of(x: A) -> Backend[A]:
    """The library of an array or tensor; anything else (a list) is NumPy's."""
    torch = sys.modules.get("torch")  # a caller who holds a tensor has imported it
    if torch is not None and isinstance(x, torch.Tensor):
        return cast(Backend[A], _torch_backend())
    return cast(Backend[A], NUMPY)


@functools.cache
def _torch_backend() -> Any:
    from softsym.spaces.torch_backend import TORCH

    return TORCH
