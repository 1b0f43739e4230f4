"""Splitting rows into training, validation and test parts, so that equal rows never stand on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.data.table import duplicate_groups

Index = NDArray[np.int64]
SMALLEST_TEST = 20
"""With fewer test rows than this, measuring uses the training rows too."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Row numbers of each part."""

    train: Index
    val: Index
    test: Index


def split_rows(X: NDArray[np.float64], fraction: float, seed: int) -> Parts:
    """Shuffles rows into parts; ``fraction`` of them for validation and as many for the test.

    Rows with equal inputs stay together: a duplicate in the test would make the fit look better than it is.

    Example:
        >>> parts = split_rows(np.arange(20.0)[:, None], 0.2, seed=0)
        >>> len(parts.train), len(parts.val), len(parts.test)
        (12, 4, 4)
    """
    labels = duplicate_groups(X)
    kinds = int(labels.max()) + 1
    rng = np.random.default_rng(seed)
    order = rng.permutation(kinds)
    held = min(round(fraction * kinds), (kinds - 1) // 2)
    part_of = np.zeros(kinds, dtype=np.int64)
    part_of[order[:held]] = 1
    part_of[order[held : 2 * held]] = 2
    shuffled = rng.permutation(
        len(X)
    )  # so that the first test rows are any rows, whatever the file is sorted by
    train, val, test = (shuffled[part_of[labels[shuffled]] == part] for part in range(3))
    return Parts(train, val if len(val) else train, test if len(test) else train)
