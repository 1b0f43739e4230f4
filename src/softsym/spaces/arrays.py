"""NumPy arrays and torch tensors: the few operations that blocks need of either, behind one interface.

Which library it is is decided once, by :func:`arrays_of`; nothing else in this room asks. torch is imported only where it is used.
"""

from __future__ import annotations

import functools
import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

    from softsym.spaces.packed import Packed

Array: TypeAlias = NDArray[Any]
A = TypeVar("A", Array, "Tensor")


class Arrays(ABC, Generic[A]):
    """One library of arrays. Rows are batches: x (batch, size)."""

    @abstractmethod
    def as_float(self, values: A, name: str) -> A:
        """Floating-point numbers: whole ones are converted, complex ones refused under the name of the argument."""

    @abstractmethod
    def place(self, x: A) -> Hashable:
        """What arrays must share to be used together: dtype, and device if there are several."""

    @abstractmethod
    def constant(self, values: Array, like: A) -> A:
        """A copy at the place of another array; whole numbers stay whole."""

    @abstractmethod
    def zeros(self, like: A, *shape: int) -> A:
        """Zeros at the place of another array."""

    @abstractmethod
    def empty(self, like: A, *shape: int) -> A:
        """An array at the place of another, not filled."""

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
    def join(self, parts: list[A], like: A) -> A:
        """Columns of all parts, one after the other; none of them give (len(like), 0)."""

    @abstractmethod
    def product_into(self, a: A, b: A, out: A) -> None:
        """Writes the matrix product a b."""

    @abstractmethod
    def sums(self, rows: A, labels: A, count: int) -> A:
        """Sums of the entries of each row that have one label: (batch, count)."""

    @abstractmethod
    def norm(self, x: A, axes: tuple[int, ...]) -> A:
        """Root of the sum of squares over axes."""

    @abstractmethod
    def project(self, packed: Packed, x: A) -> A:
        """P x of blocks; with gradients, where the library has them. So are the next two."""

    @abstractmethod
    def coefficients(self, packed: Packed, x: A) -> A:
        """Coordinates of x in blocks."""

    @abstractmethod
    def combine(self, packed: Packed, theta: A) -> A:
        """What has the coordinates theta in blocks."""


def arrays_of(x: A) -> Arrays[A]:
    """The library of an array or tensor; anything else (a list) is NumPy's.

    Example:
        >>> type(arrays_of(np.zeros(3))).__name__
        '_NumPy'
    """
    torch = sys.modules.get("torch")  # whoever holds a tensor has imported it
    if torch is not None and isinstance(x, torch.Tensor):
        return cast(Arrays[A], _torch())
    return cast(Arrays[A], _NUMPY)


class _NumPy(Arrays[Array]):
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

    def join(self, parts: list[Array], like: Array) -> Array:
        return np.concatenate(parts, axis=1) if parts else self.zeros(like, len(like), 0)

    def product_into(self, a: Array, b: Array, out: Array) -> None:
        np.matmul(a, b, out=out)

    def sums(self, rows: Array, labels: Array, count: int) -> Array:
        each = [np.bincount(labels, row, count) for row in rows]
        return np.array(each, dtype=rows.dtype).reshape(len(rows), count)

    def norm(self, x: Array, axes: tuple[int, ...]) -> Array:
        return np.sqrt((x**2).sum(axes))

    def project(self, packed: Packed, x: Array) -> Array:
        return packed.project(x)

    def coefficients(self, packed: Packed, x: Array) -> Array:
        return packed.coefficients(x)

    def combine(self, packed: Packed, theta: Array) -> Array:
        return packed.combine(theta)


class _Torch(Arrays["Tensor"]):
    def __init__(self) -> None:
        import torch

        from softsym.spaces import autograd

        self.torch, self.autograd = torch, autograd

    def as_float(self, values: Tensor, name: str) -> Tensor:
        if values.is_complex():
            raise InputError(f"`{name}` must be real, got {values.dtype}")
        return values if values.is_floating_point() else values.to(self.torch.get_default_dtype())

    def place(self, x: Tensor) -> Hashable:
        return x.dtype, x.device

    def constant(self, values: Array, like: Tensor) -> Tensor:
        dtype = self.torch.int64 if values.dtype.kind == "i" else like.dtype
        return self.torch.tensor(values, dtype=dtype, device=like.device)

    def zeros(self, like: Tensor, *shape: int) -> Tensor:
        return like.new_zeros(shape)

    def empty(self, like: Tensor, *shape: int) -> Tensor:
        return like.new_empty(shape)

    def gather(self, x: Tensor, index: Tensor) -> Tensor:
        # One row is by far the most common case, and one-dimensional indexing is twice as fast.
        return x.reshape(-1).index_select(0, index)[None] if len(x) == 1 else x.index_select(1, index)

    def scatter(self, rows: Tensor, index: Tensor, out: Tensor) -> None:
        if len(rows) == 1:
            out.view(-1).scatter_(0, index, rows[0])
        else:
            out.scatter_(1, index.expand(len(rows), -1), rows)

    def split(self, rows: Tensor, sizes: list[int]) -> Sequence[Tensor]:
        return rows.split(sizes, dim=1) if sizes else []

    def join(self, parts: list[Tensor], like: Tensor) -> Tensor:
        return self.torch.cat(parts, dim=1) if parts else self.zeros(like, len(like), 0)

    def product_into(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        self.torch.mm(a, b, out=out)

    def sums(self, rows: Tensor, labels: Tensor, count: int) -> Tensor:
        return self.zeros(rows, len(rows), count).index_add_(1, labels, rows)

    def norm(self, x: Tensor, axes: tuple[int, ...]) -> Tensor:
        return self.torch.linalg.vector_norm(x, dim=axes)  # its gradient at zero is zero, not NaN

    def project(self, packed: Packed, x: Tensor) -> Tensor:
        return self.autograd.project(x, packed)

    def coefficients(self, packed: Packed, x: Tensor) -> Tensor:
        return self.autograd.coefficients(x, packed)

    def combine(self, packed: Packed, theta: Tensor) -> Tensor:
        return self.autograd.combine(theta, packed)


_NUMPY = _NumPy()
_torch = functools.cache(_Torch)
