"""Arrays and seeds as people pass them: read, or refused in one line."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softsym.errors import InputError, shorten
from softsym.typing import Array

ADVICE = {
    "M": "dates; pass numbers, such as seconds since the first of them",
    "m": "durations; pass numbers, such as seconds",
    "c": "complex numbers; pass real and imaginary parts as columns",
    "U": "texts; pass numbers",
    "S": "texts; pass numbers",
    "V": "records; pass one array of numbers",
}
"""What an array of each kind of numpy holds, if it holds no real numbers."""


def read_numbers(values: Any, name: str) -> Array:
    """Real numbers of any array library as float64, of whatever shape; a tensor is detached and copied from its device.

    Raises:
        InputError: Masked cells, dates, texts, complex numbers, rows of unequal length or column names that occur twice.

    Example:
        >>> read_numbers([[1, 2], [3]], "X")
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: `X` has rows of unequal length; pass an array of numbers
    """
    columns = getattr(values, "columns", ())
    twice = [each for each, count in Counter(map(str, columns)).items() if count > 1]
    if twice:
        raise InputError(
            f"`{name}` has {Counter(map(str, columns))[twice[0]]} columns called {twice[0]!r}; give each a name of its own"
        )
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            row = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
            raise InputError(
                f"`{name}` has masked cells, the first at {row}; fill them in or leave those rows out"
            )
        values = values.data
    if hasattr(values, "detach"):
        values = values.detach().cpu().resolve_conj()
        values = values.float() if values.dtype.itemsize == 2 and values.is_floating_point() else values
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        problem = "has rows of unequal length" if isinstance(values, list | tuple) else "is no array"
        raise InputError(f"`{name}` {problem}; pass an array of numbers") from error
    if array.dtype.kind in ADVICE:
        raise InputError(f"`{name}` holds {ADVICE[array.dtype.kind]}")
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must hold real numbers: {shorten(str(error), 100)}") from error


def read_rows(values: Any, name: str) -> Array:
    """Finite real numbers as rows (n, columns); a single column may come without its axis.

    Example:
        >>> read_rows([1, 2, 3], "y").shape
        (3, 1)
    """
    array = read_numbers(values, name)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2:
        raise InputError(f"`{name}` must have shape (rows, columns), got {array.shape}")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise InputError(
            f"`{name}` is {array[row, column]} in row {row}, column {column}, counted from 0; leave such rows out"
        )
    return array


def freeze(values: ArrayLike) -> Array:
    """A read-only float64 copy without negative zeros, so that equal values have equal bytes."""
    array = np.array(values, dtype=np.float64) + 0.0
    array.flags.writeable = False
    return array


def make_rng(seed: Any) -> np.random.Generator:
    """The generator of a seed, or the generator itself.

    Example:
        >>> make_rng(-1)
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: a seed is a whole number of at least 0 or a numpy Generator, got -1
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a seed is a whole number of at least 0 or a numpy Generator, got {shorten(repr(seed), 60)}"
        ) from error
