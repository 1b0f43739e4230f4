r"""Base kernels: the similarity of two inputs.

All of them are functions of the inner product and the two lengths alone, so they are invariant under any orthogonal group,
:math:`k(gx, gx') = k(x, x')`. With :math:`u = x \cdot x' / d` and :math:`r^2 = |x - x'|^2 / d` for d columns of about unit size:

- ``polynomial``: :math:`(1 + u)^p`, all polynomials up to degree p;
- ``rbf``: :math:`\exp(-r^2 / 2 w^2)`, analytic functions, of width w;
- ``matern``: :math:`(1 + z + z^2 / 3)\, e^{-z}, z = \sqrt5\, r / w`, functions with two derivatives;
- ``rbf+linear``: an rbf and a linear part, half each;
- ``rbf*linear``: :math:`(1 + u)\, \exp(-r^2 / 2 w^2)`, locally linear functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softsym.errors import InputError
from softsym.inference.kernels.monomials import count, monomials
from softsym.typing import Array

CHUNK = 500_000
"""Kernel values held at once."""
TILE = (128, 256)
"""New rows and known rows between which kernel values are held at once: no more than a core's cache holds."""
FAMILIES = ("polynomial", "rbf", "matern", "rbf+linear", "rbf*linear")


@dataclass(frozen=True)
class Kernel:
    """One base kernel.

    Args:
        family: One of :data:`FAMILIES`.
        parameter: The degree of a polynomial, the width of the others.

    Example:
        >>> import numpy as np
        >>> x = np.eye(2)
        >>> Kernel("polynomial", 2).gram(x, x)
        array([[2.25, 1.  ],
               [1.  , 2.25]])
    """

    family: str
    parameter: float

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise InputError(f"unknown kernel {self.family!r}; pass one of {', '.join(FAMILIES)}")
        if not self.parameter > 0:
            raise InputError(f"a kernel's degree or width must be positive, got {self.parameter!r}")

    def of(self, inner: Array, left: Array, right: Array) -> Array:
        """Values from inner products and the squared lengths of both sides, all divided by the number of columns, broadcast."""
        if self.family == "polynomial":
            return _power(1.0 + inner, self.parameter)
        distance = -2.0 * inner
        distance += left
        distance += right
        np.maximum(distance, 0.0, out=distance)
        if self.family == "matern":
            np.sqrt(distance, out=distance)
            distance *= math.sqrt(5.0) / self.parameter
            values = distance / 3.0
            values += 1.0
            values *= distance
            values += 1.0
            values *= np.exp(np.negative(distance, out=distance), out=distance)
            return values
        distance *= -0.5 / self.parameter**2
        smooth = np.exp(distance, out=distance)
        if self.family == "rbf":
            return smooth
        return 0.5 * (smooth + 1.0 + inner) if self.family == "rbf+linear" else smooth * (1.0 + inner)

    def gram(self, left: Array, right: Array) -> Array:
        """Values for rows (n, d) and (m, d), shape (n, m)."""
        d = left.shape[1]
        return self.of(left @ right.T / d, squares(left)[:, None], squares(right))

    def function(self, X: Array, values: Array) -> Callable[[Array], Array]:
        """The function sum_i k(., x_i) values_i of new rows (m, d), shape (m, c); no Gram matrix is kept.

        Args:
            X: Rows (n, d).
            values: One row of numbers for each of them, shape (n, c).
        """
        degree = int(self.parameter)
        is_polynomial = self.family == "polynomial" and self.parameter == degree
        size = count(X.shape[1], degree) if is_polynomial else len(X)
        if size >= len(X):
            return self._tiled(X, values)
        step = max(1, CHUNK // size)
        inside = np.zeros((size, values.shape[1]))
        for rows in slices(len(X), step):
            inside += monomials(X[rows], degree).T @ values[rows]
        return lambda new: _in_pieces(
            lambda rows: monomials(rows, degree) @ inside, new, step, values.shape[1]
        )

    def _tiled(self, X: Array, values: Array) -> Callable[[Array], Array]:
        """As :meth:`function`, from tiles of the Gram matrix that fit into a core's cache."""
        scaled, lengths = X / X.shape[1], squares(X)
        tiles = slices(len(X), TILE[1])

        def sums(new: Array) -> Array:
            diagonal = squares(new)[:, None]
            out = np.zeros((len(new), values.shape[1]))
            for rows in slices(len(new), TILE[0]):
                for some in tiles:
                    tile = self.of(new[rows] @ scaled[some].T, diagonal[rows], lengths[some])
                    out[rows] += tile @ values[some]
            return out

        return sums

    def __str__(self) -> str:
        what = "degree" if self.family == "polynomial" else "width"
        return f"{self.family} of {what} {self.parameter:g}"


GRID = (
    *(Kernel("polynomial", p) for p in (1, 2, 3)),
    *(Kernel("rbf", w) for w in (0.7, 1.4, 2.8)),
    *(Kernel("matern", w) for w in (1.0, 2.5, 6.0)),
    Kernel("rbf+linear", 1.0),
    *(Kernel("rbf*linear", w) for w in (1.0, 2.0)),
)
"""The kernels that are tried."""


def squares(X: Array) -> Array:
    """Squared lengths of rows (..., n, d) divided by d, shape (..., n)."""
    return np.asarray(np.einsum("...ij,...ij->...i", X, X) / X.shape[-1])


def slices(n: int, step: int) -> list[slice]:
    """Consecutive slices of at most so many of n rows.

    Example:
        >>> slices(5, 2)
        [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(n, start + step)) for start in range(0, n, step)]


def _in_pieces(function: Callable[[Array], Array], X: Array, step: int, width: int) -> Array:
    out = np.empty((len(X), width))
    for rows in slices(len(X), step):
        out[rows] = function(X[rows])
    return out


def _power(base: Array, exponent: float) -> Array:
    if exponent == int(exponent) and exponent <= 4:
        out = base
        for _ in range(int(exponent) - 1):
            out = out * base
        return out
    return np.asarray(base**exponent)
