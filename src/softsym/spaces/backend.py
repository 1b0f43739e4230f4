"""The operations that blocks need of NumPy arrays and torch tensors, behind one interface.

:func:`softsym.spaces.packed.backend_of` decides once which library an array belongs to; nothing else in this package asks. The class
for torch is in :mod:`~softsym.spaces.torch_backend`, which is imported only where a tensor is passed in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

    from softsym.spaces.packed import Packed

Array: TypeAlias = NDArray[Any]
A = TypeVar("A", Array, "Tensor")


class Backend(ABC, Generic[A]):
    """One array library. Rows are batches: x (batch, size)."""

    @abstractmethod
    def as_float(self, values: A, name: str) -> A:
        """Converts integers to floating point; refuses complex numbers under the name of the argument."""

    @abstractmethod
    def place(self, x: A) -> Hashable:
        """What arrays must share to be used together: dtype, and device if there are several."""

    @abstractmethod
    def constant(self, values: Array, like: A) -> A:
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


class _NumPy(Backend[Array]):
    def as_float(self, values: Array, name: str) -> Array:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise InputError(f"`{name}` must be an array of real numbers, got {array.dtype}")
        return array if array.dtype.kind == "f" else array.astype(np.float64)

    def place(self, x: Array) -> Hashable:
        return x.dtype

    def constant(self, values: Array, like: Array) -> Array:
        return values if values.dtype.kind == "i" else values.astype(like.dtype)

    def zeros(self, like: Array, *shape: int) -> Array:
        return np.zeros(shape, dtype=like.dtype)

    def empty(self, like: Array, *shape: int) -> Array:
        return np.empty(shape, dtype=like.dtype)

    def gather(self, x: Array, index: Array) -> Array:
        return x[:, index]

    def scatter(self, rows: Array, index: Array, out: Array) -> None:
        out[:, index] = rows

    def split(self, rows: Array, sizes: list[int]) -> Sequence[Array]:
        return np.split(rows, np.cumsum(sizes)[:-1], axis=1) if sizes else []

    def concatenate(self, parts: list[Array], like: Array) -> Array:
        return np.concatenate(parts, axis=1) if parts else self.zeros(like, len(like), 0)

    def product_into(self, a: Array, b: Array, out: Array) -> None:
        np.matmul(a, b, out=out)

    def sums(self, rows: Array, labels: Array, count: int) -> Array:
        each = [np.bincount(labels, row, count) for row in rows]
        return np.array(each, dtype=rows.dtype).reshape(len(rows), count)

    def norm(self, x: Array, axes: tuple[int, ...]) -> Array:
        return np.sqrt((x**2).sum(axes))


NUMPY = _NumPy()
