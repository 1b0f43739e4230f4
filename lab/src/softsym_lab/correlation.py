r"""Discovery quality: does what a network says of symmetries follow what the data have?

The Pearson correlation, pooled over groups and data sets,

.. math:: \frac{\sum_i (a_i - \bar a)(b_i - \bar b)}{\sqrt{\sum_i (a_i - \bar a)^2 \sum_i (b_i - \bar b)^2}} ,

between data equivariance errors and a network's own errors, regularizer values or strengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from softsym.errors import InputError
from softsym.typing import Array

if TYPE_CHECKING:
    from torch import Tensor


def correlation(a: ArrayLike | Sequence[ArrayLike] | Tensor, b: ArrayLike | Sequence[ArrayLike] | Tensor) -> float:
    """The Pearson correlation of two sets of numbers.

    Args:
        a: An array of any shape, or several arrays (one for each data set, say), pooled in order.
        b: As many numbers.

    Example:
        >>> round(correlation([[0.0, 1.0], [2.0, 3.0]], [0.0, 2.0, 4.0, 7.0]), 3)
        0.994
    """
    first, second = _pool(a, "a"), _pool(b, "b")
    if len(first) != len(second):
        raise InputError(f"`a` has {len(first)} numbers and `b` has {len(second)}; pass as many of each")
    if len(first) < 2:
        raise InputError(f"a correlation needs at least 2 pairs, got {len(first)}")
    for values, name in ((first, "a"), (second, "b")):
        if not np.isfinite(values).all():
            raise InputError(f"`{name}` contains NaN or infinity")
        if np.ptp(values) == 0:
            raise InputError(f"`{name}` is constant ({values[0]:g}); its correlation with anything is undefined")
    return float(np.corrcoef(first, second)[0, 1])


def _pool(values: Any, name: str) -> Array:
    if hasattr(values, "detach"):  # a tensor; torch itself is not needed
        values = values.detach().cpu().double().numpy()
    if isinstance(values, np.ndarray) or np.isscalar(values):
        return np.asarray(values, dtype=np.float64).ravel()
    try:
        parts = [_pool(item, name) for item in values]
    except TypeError as error:
        raise InputError(f"`{name}` must hold numbers, got {type(values).__name__}") from error
    return np.concatenate(parts) if parts else np.zeros(0)
