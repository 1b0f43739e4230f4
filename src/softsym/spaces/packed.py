r"""Block-wise linear operations on a flat array: gather, a few small matrix products, scatter.

A :class:`Packed` holds, for each tensor type, where its copies lie in the flat array and a matrix :math:`F` of shape (size, rank). It
computes :math:`F F^T` (or a given symmetric matrix) on every copy, the coordinates :math:`F^T x`, and the combination :math:`F \theta`,
for NumPy arrays and torch tensors alike. Entries outside all blocks are zero in the result.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.spaces.solution import OrbitBasis

Array = NDArray[np.float64]
SMALL = 32
_INTEGERS = ("index", "mixed", "labels")


@dataclass(frozen=True, eq=False)
class PackedBlock:
    """All copies of one type.

    Args:
        index: Flat positions, shape (copies, size).
        factor: Orthonormal columns F (size, rank), the identity if rank = size, or the orbits of a permutation action.
    """

    index: NDArray[np.int64]
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

    @functools.cached_property
    def key(self) -> bytes:
        """What blocks with the same factor share, wherever the factor came from."""
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
    _copies: dict[Any, Any] = field(default_factory=dict, repr=False)

    @functools.cached_property
    def index(self) -> NDArray[np.int64]:
        """Flat positions of all blocks, one after the other."""
        return _joined(self.blocks)

    @functools.cached_property
    def mixing(self) -> tuple[int, ...]:
        """The blocks that a projection changes; in the others every vector is kept."""
        return tuple(k for k, block in enumerate(self.blocks) if block.rank < block.size)

    @property
    def dim(self) -> int:
        """Number of coordinates of all blocks together."""
        return sum(block.copies * block.rank for block in self.blocks)

    def project(self, x: Any) -> Any:
        """F F^T on every block of x (batch, size), zero elsewhere."""
        out = x * self._like(("kept", -1), x)
        if self.mixing:
            rows = self._gather(x, "mixed")
            mixed = _empty(rows, rows.shape)
            sizes = [self.blocks[k].index.size for k in self.mixing]
            for k, mine, target in zip(self.mixing, _split(rows, sizes), _split(mixed, sizes), strict=True):
                self._project_block(k, mine, target)
            _scatter(mixed, self._like(("mixed", -1), x), out)
        return out

    def coefficients(self, x: Any) -> Any:
        """F^T on every block of x (batch, size): coordinates (batch, dim)."""
        rows = self._gather(x, "index")
        sizes = [block.index.size for block in self.blocks]
        parts = []
        for k, (block, mine) in enumerate(zip(self.blocks, _split(rows, sizes), strict=True)):
            found = self._analyse(k, mine.reshape(len(rows) * block.copies, block.size))
            parts.append(found.reshape(len(rows), block.copies * block.rank))
        return _concatenate(parts, x)

    def combine(self, theta: Any) -> Any:
        """F on the coordinates theta (batch, dim) of every block: a flat array (batch, size)."""
        sizes = [block.copies * block.rank for block in self.blocks]
        parts = []
        for k, (block, mine) in enumerate(zip(self.blocks, _split(theta, sizes), strict=True)):
            found = self._synthesise(k, mine.reshape(len(theta) * block.copies, block.rank))
            parts.append(found.reshape(len(theta), block.index.size))
        out = _zeros(theta, (len(theta), self.size))
        return _scatter(_concatenate(parts, theta), self._like(("index", -1), theta), out)

    def _project_block(self, k: int, mine: Any, target: Any) -> None:
        """Projects all copies of one type: (batch, copies * size) into a target of the same shape."""
        block = self.blocks[k]
        shape = (len(mine) * block.copies, block.size)
        if len(mine) == 1:  # consecutive numbers: work in place
            self._project_rows(k, mine.reshape(shape), target.reshape(shape))
        elif len(mine):
            rows = mine.reshape(shape)
            out = _empty(rows, shape)
            self._project_rows(k, rows, out)
            target[...] = out.reshape(target.shape)

    def _project_rows(self, k: int, rows: Any, out: Any) -> None:
        """F F^T on each row (n, size) of one type, the fastest way for its size and rank."""
        block = self.blocks[k]
        if isinstance(block.factor, OrbitBasis) and block.size > SMALL:
            means = self._orbit_sums(k, rows, block.rank) / self._like(("counts", k), rows)
            out[...] = self._spread(k, means)
        elif 2 * block.size <= SMALL:
            self._project_tiny(k, block.size, rows, out)
        elif block.size <= SMALL or 2 * block.rank > block.size:
            _product_into(rows, self._like(("P", k), rows), out)
        else:
            F = self._like(("F", k), rows)
            _product_into(rows @ F, F.T, out)

    def _project_tiny(self, k: int, size: int, rows: Any, out: Any) -> None:
        """Several blocks side by side: many products with a 2 x 2 matrix are slower than a few with a 32 x 32 one."""
        group = SMALL // size
        whole = len(rows) // group * group
        if whole:
            wide = (whole // group, group * size)
            _product_into(
                rows[:whole].reshape(wide), self._like(("wide", k), rows), out[:whole].reshape(wide)
            )
        if whole < len(rows):
            _product_into(rows[whole:], self._like(("P", k), rows), out[whole:])

    def _analyse(self, k: int, rows: Any) -> Any:
        """F^T on rows (n, size) of one type."""
        block = self.blocks[k]
        if block.rank == block.size:
            return rows
        if isinstance(block.factor, OrbitBasis) and block.size > SMALL:
            return self._orbit_sums(k, rows, block.rank) / self._like(("root counts", k), rows)
        return rows @ self._like(("F", k), rows)

    def _synthesise(self, k: int, theta: Any) -> Any:
        """F on coordinates (n, rank) of one type."""
        block = self.blocks[k]
        if block.rank == block.size:
            return theta
        if isinstance(block.factor, OrbitBasis) and block.size > SMALL:
            return self._spread(k, theta / self._like(("root counts", k), theta))
        return theta @ self._like(("F", k), theta).T

    def _orbit_sums(self, k: int, rows: Any, rank: int) -> Any:
        """Sums of the entries of each row (n, size) over orbits: (n, rank)."""
        labels = self._like(("labels", k), rows)
        if isinstance(rows, np.ndarray):
            sums = [np.bincount(labels, row, rank) for row in rows]
            return np.array(sums, dtype=rows.dtype).reshape(len(rows), rank)
        return rows.new_zeros(len(rows), rank).index_add_(1, labels, rows)

    def _spread(self, k: int, values: Any) -> Any:
        """One value per orbit (n, rank), written to every coordinate: (n, size)."""
        labels = self._like(("labels", k), values)
        return values[:, labels] if isinstance(values, np.ndarray) else values.index_select(1, labels)

    def _gather(self, x: Any, which: str) -> Any:
        index = self._like((which, -1), x)
        if isinstance(x, np.ndarray):
            return x[:, index]
        # One row is by far the most common case, and one-dimensional indexing is twice as fast.
        return x.reshape(-1).index_select(0, index)[None] if len(x) == 1 else x.index_select(1, index)

    def _like(self, what: tuple[str, int], like: Any) -> Any:
        """One of the constants in the dtype (and on the device) of another array, kept for next time."""
        name, k = what
        if isinstance(like, np.ndarray):
            key: Any = (what, like.dtype)
            if key not in self._copies:
                values = self._constant(name, k)
                self._copies[key] = values if name in _INTEGERS else values.astype(like.dtype)
            return self._copies[key]
        key = (what, like.dtype, like.device)
        if key not in self._copies:
            import torch

            dtype = torch.int64 if name in _INTEGERS else like.dtype
            self._copies[key] = torch.tensor(self._constant(name, k), dtype=dtype, device=like.device)
        return self._copies[key]

    def _constant(self, name: str, k: int) -> NDArray[Any]:
        if name == "index":
            return self.index
        if name == "mixed":
            return _joined([self.blocks[k] for k in self.mixing])
        if name == "kept":
            kept = np.zeros(self.size)
            kept[_joined([block for block in self.blocks if block.rank == block.size])] = 1.0
            return kept
        block = self.blocks[k]
        if name == "F":
            return block.matrix
        if name == "P":
            return np.asarray(block.matrix @ block.matrix.T)
        if name == "wide":
            return np.kron(np.eye(SMALL // block.size), block.matrix @ block.matrix.T)
        assert isinstance(block.factor, OrbitBasis)
        if name == "labels":
            return block.factor.labels
        return np.sqrt(block.factor.counts) if name == "root counts" else block.factor.counts


def _joined(blocks: Sequence[PackedBlock]) -> NDArray[np.int64]:
    parts = [block.index.ravel() for block in blocks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _split(rows: Any, sizes: list[int]) -> Sequence[Any]:
    """Views of consecutive columns."""
    if isinstance(rows, np.ndarray):
        return np.split(rows, np.cumsum(sizes)[:-1], axis=1) if sizes else []
    return rows.split(sizes, dim=1) if sizes else []


def _scatter(rows: Any, index: Any, out: Any) -> Any:
    """Writes rows (batch, len(index)) to the flat positions of ``out`` (batch, size), which is returned."""
    if isinstance(rows, np.ndarray):
        out[:, index] = rows
    elif len(rows) == 1:
        out.view(-1).scatter_(0, index, rows[0])
    else:
        out.scatter_(1, index.expand(len(rows), -1), rows)
    return out


def _zeros(like: Any, shape: tuple[int, ...]) -> Any:
    return np.zeros(shape, dtype=like.dtype) if isinstance(like, np.ndarray) else like.new_zeros(shape)


def _empty(like: Any, shape: tuple[int, ...]) -> Any:
    return np.empty(shape, dtype=like.dtype) if isinstance(like, np.ndarray) else like.new_empty(shape)


def _product_into(a: Any, b: Any, out: Any) -> None:
    if isinstance(a, np.ndarray):
        np.matmul(a, b, out=out)
    else:
        import torch

        torch.mm(a, b, out=out)


def _concatenate(parts: Sequence[Any], like: Any) -> Any:
    if isinstance(like, np.ndarray):
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(like), 0), dtype=like.dtype)
    import torch

    return torch.cat(list(parts), dim=1) if parts else like.new_zeros(len(like), 0)
