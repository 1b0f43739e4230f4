r"""Kernels with their derivatives.

A sum of a polynomial part, a function of :math:`s = x \cdot x' / d`, and a radial one, of :math:`r^2 = |x - x'|^2 / d`. For directions
u at x and u' at x' all that derivatives of a Gaussian process need is

.. math:: \partial_u k = a\, (x' \cdot u) + b\, (x \cdot u), \qquad
          \partial_u \partial_{u'} k = \tfrac1d (\varphi' - 2 \psi')\, u \cdot u' + \tfrac1{d^2} (\varphi''\, (x' \cdot u)(x \cdot u')
          - 4 \psi''\, ((x - x') \cdot u)((x - x') \cdot u')) ,

with :math:`a = (\varphi' - 2 \psi') / d` and :math:`b = 2 \psi' / d`. With a gain g, the last column of the rows, the kernel is
:math:`g\, g'\, k`: that of g times a function of the other columns, such as one that grows with a power of the inputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from softsym.typing import Array


@dataclass(frozen=True)
class Polynomial:
    """:math:`((1 + s) / 2)^p`: all polynomials up to degree p; one at typical inputs.

    Args:
        degree: p.
    """

    degree: int

    def values(self, s: Array, order: int = 0) -> Array:
        """The function of s or its derivative of an order."""
        if order > self.degree:
            return np.zeros_like(s)
        value = np.full_like(s, math.perm(self.degree, order) / 2.0**self.degree)
        for _ in range(self.degree - order):  # NumPy's powers beyond two take ten times as long
            value *= 1.0 + s
        return value


@dataclass(frozen=True)
class Gaussian:
    r""":math:`\exp(-r^2 / 2 w^2)`: functions as smooth as can be.

    Args:
        width: w.
    """

    width: float

    def values(self, r2: Array, order: int = 0) -> Array:
        """The function of r^2 or its derivative of an order."""
        return np.asarray((-0.5 / self.width**2) ** order * np.exp(-0.5 / self.width**2 * r2))


@dataclass(frozen=True)
class Matern:
    r""":math:`(1 + z + z^2 / 3) e^{-z}, z = \sqrt5 r / w`: functions with two derivatives.

    Args:
        width: w.
    """

    width: float

    def values(self, r2: Array, order: int = 0) -> Array:
        """The function of r^2 or its derivative of an order."""
        z = np.sqrt(5.0 * r2) / self.width
        if order == 0:
            return np.asarray((1.0 + z + z**2 / 3.0) * np.exp(-z))
        if order == 1:
            return np.asarray(-5.0 / (6.0 * self.width**2) * (1.0 + z) * np.exp(-z))
        return np.asarray(25.0 / (12.0 * self.width**4) * np.exp(-z))


@dataclass(frozen=True)
class SmoothKernel:
    """A share of a radial part, the rest polynomial.

    Args:
        polynomial: None for none.
        radial: None for none.
        share: Of the radial part, where there are both.
        has_gain: Whether the last column of rows is a gain.

    Example:
        >>> import numpy as np
        >>> SmoothKernel(Polynomial(2)).gram(np.eye(2), np.eye(2))
        array([[0.5625, 0.25  ],
               [0.25  , 0.5625]])
    """

    polynomial: Polynomial | None = None
    radial: Gaussian | Matern | None = None
    share: float = 0.5
    has_gain: bool = False

    @property
    def _weights(self) -> tuple[float, float]:
        if self.polynomial is None or self.radial is None:
            return float(self.polynomial is not None), float(self.radial is not None)
        return 1.0 - self.share, self.share

    def _derivatives(self, left: Array, right: Array, order: int) -> tuple[Array, Array]:
        """Derivatives of an order of the polynomial part by s and of the radial one by r^2, each (n, m)."""
        d = left.shape[1]
        inner = left @ right.T / d
        flat, round_ = self._weights
        polynomial = radial = np.zeros_like(inner)
        if self.polynomial is not None:
            polynomial = flat * self.polynomial.values(inner, order)
        if self.radial is not None:
            r2 = (left**2).sum(1)[:, None] / d + (right**2).sum(1) / d - 2 * inner
            radial = round_ * self.radial.values(np.maximum(r2, 0.0), order)
        return polynomial, radial

    def gram(self, left: Array, right: Array) -> Array:
        """Values for rows (n, d) and (m, d), shape (n, m)."""
        if self.has_gain:
            return self._ungained.gram(left[:, :-1], right[:, :-1]) * left[:, -1:] * right[:, -1]
        polynomial, radial = self._derivatives(left, right, 0)
        return polynomial + radial

    def jacobian(self, left: Array, right: Array, weights: Array) -> Array:
        """Gradients at rows (n, d) of functions that are sums over rows (m, d) with weights (m, q), shape (n, q, d)."""
        if self.has_gain:
            weights, plain = weights * right[:, -1:], self._ungained
            slopes = plain.jacobian(left[:, :-1], right[:, :-1], weights) * left[:, -1, None, None]
            values = plain.gram(left[:, :-1], right[:, :-1]) @ weights
            return np.concatenate([slopes, values[:, :, None]], axis=2)
        a, b = self._slopes(left, right)
        m, q, d = len(right), weights.shape[1], left.shape[1]
        lifted = (weights[:, :, None] * right[:, None, :]).reshape(m, q * d)
        there = (a @ lifted).reshape(len(left), q, d)
        return np.asarray(there + (b @ weights)[:, :, None] * left[:, None, :])

    def along(self, left: Array, directions: Array, right: Array) -> Array:
        """Derivatives at ``left`` along directions (n, d), shape (n, m)."""
        if self.has_gain:
            plain, rows = self._ungained, (left[:, :-1], right[:, :-1])
            moved = plain.along(rows[0], directions[:, :-1], rows[1]) * left[:, -1:]
            return (moved + plain.gram(*rows) * directions[:, -1:]) * right[:, -1]
        a, b = self._slopes(left, right)
        return a * (directions @ right.T) + b * np.sum(directions * left, axis=1)[:, None]

    def along_both(self, points: Array, directions: Array) -> Array:
        """Second derivatives, one at each of two points (n, d), along directions (n, d): shape (n, n)."""
        if self.has_gain:
            return self._gained_along_both(points, directions)
        d = points.shape[1]
        first, first_radial = self._derivatives(points, points, 1)
        second, second_radial = self._derivatives(points, points, 2)
        towards = directions @ points.T  # [i, j] = u_i . x_j
        own = np.diag(towards)
        apart = own[:, None] - towards  # [i, j] = u_i . (x_i - x_j)
        total = (first - 2 * first_radial) / d * (directions @ directions.T)
        return np.asarray(total + (second * towards * towards.T + 4 * second_radial * apart * apart.T) / d**2)

    @property
    def _ungained(self) -> SmoothKernel:
        return replace(self, has_gain=False)

    def _slopes(self, left: Array, right: Array) -> tuple[Array, Array]:
        """The weights a and b of x' and of x in the gradient at x, each (n, m)."""
        polynomial, radial = self._derivatives(left, right, 1)
        return (polynomial - 2 * radial) / left.shape[1], 2 * radial / left.shape[1]

    def _gained_along_both(self, points: Array, directions: Array) -> Array:
        plain, rows, moving = self._ungained, points[:, :-1], directions[:, :-1]
        gain, gaining = points[:, -1], directions[:, -1]
        mixed = plain.along(rows, moving, rows) * np.outer(gain, gaining)
        both = plain.along_both(rows, moving) * np.outer(gain, gain)
        return np.asarray(both + mixed + mixed.T + plain.gram(rows, rows) * np.outer(gaining, gaining))

    def __str__(self) -> str:
        parts = []
        if self.polynomial is not None:
            parts.append(f"polynomial of degree {self.polynomial.degree}")
        if self.radial is not None:
            parts.append(f"{type(self.radial).__name__} of width {self.radial.width:.2g}")
        return " + ".join(parts)
