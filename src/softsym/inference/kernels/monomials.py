r"""Polynomial kernels written out: :math:`(1 + x \cdot z / d)^p = \varphi(x) \cdot \varphi(z)` with one feature for every monomial.

A sum over many rows z is then one vector of coefficients, and its values cost no more than the monomials of x.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from softsym.typing import Array


def monomials(X: Array, degree: int) -> Array:
    """Features (n, :func:`count`) of rows (n, d) whose inner products are the polynomial kernel of this degree.

    Example:
        >>> x, z = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
        >>> round((monomials(x, 2) @ monomials(z, 2).T).item(), 12), (1 + (x @ z.T).item() / 2) ** 2
        (2.25, 2.25)
    """
    d = X.shape[1]
    which, size = terms(d, degree)
    padded = np.concatenate([np.ones((1, len(X))), X.T / math.sqrt(d)])
    values = padded[which[:, 0]] * size[:, None]
    for k in range(1, degree):
        values *= padded[which[:, k]]
    return np.asarray(values.T)


def count(d: int, degree: int) -> int:
    """Number of monomials of at most this degree in d variables.

    Example:
        >>> count(2, 3)
        10
    """
    return math.comb(d + degree, degree)


@functools.lru_cache(maxsize=32)
def terms(d: int, degree: int) -> tuple[NDArray[np.intp], Array]:
    """Factors of every monomial, 0 for the constant, shape (count, degree), and the root of how often it occurs."""
    which = list(itertools.combinations_with_replacement(range(d + 1), degree))
    often = [
        math.factorial(degree) / math.prod(math.factorial(k) for k in Counter(term).values())
        for term in which
    ]
    return np.array(which, dtype=np.intp), np.sqrt(often)
