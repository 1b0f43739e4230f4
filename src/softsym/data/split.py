"""Splitting rows into training, validation and test parts, so that equal rows never stand on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
SMALLEST_TEST = 20
"""With fewer test rows than this, measuring uses the training rows too."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Row numbers of each part."""

    train: Index
    val: Index
    test: Index


def split_rows(
    X: NDArray[np.float64], fraction: float, seed: int, *, duplicates: Index | None = None
) -> Parts:
    """Shuffles rows into parts; ``fraction`` of them for validation and as many for the test.

    Rows with equal inputs stay together: a duplicate in the test would make the fit look better than it is.

    Args:
        X: Inputs, shape (n, p).
        fraction: Share of the rows in each of the two smaller parts.
        seed: Seed of the shuffle.
        duplicates: Labels that equal rows share, shape (n,), where they are known already, as :attr:`Table.duplicates` are.

    Example:
        >>> parts = split_rows(np.arange(20.0)[:, None], 0.2, seed=0)
        >>> len(parts.train), len(parts.val), len(parts.test)
        (12, 4, 4)
    """
    labels = duplicate_groups(X) if duplicates is None else duplicates
    distinct = int(labels.max()) + 1
    rng = np.random.default_rng(seed)
    order = rng.permutation(distinct)
    held = min(round(fraction * distinct), (distinct - 1) // 2)
    part_of = np.zeros(distinct, dtype=np.int64)
    part_of[order[:held]] = 1
    part_of[order[held : 2 * held]] = 2
    # Shuffled once more, so that the first test rows are any rows, whatever the file is sorted by.
    shuffled = rng.permutation(len(X))
    train, val, test = (shuffled[part_of[labels[shuffled]] == part] for part in range(3))
    return Parts(train, val if len(val) else train, test if len(test) else train)


def duplicate_groups(X: NDArray[np.float64]) -> Index:
    """Labels 0, 1, ... that equal rows share, shape (n,), so that a split can keep them together.

    Args:
        X: Rows, shape (n, p).

    Example:
        >>> duplicate_groups(np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]])).tolist()
        [1, 0, 1]
    """
    # -0.0 + 0.0 is 0.0, so equal rows have equal bytes.
    rows = np.ascontiguousarray(np.asarray(X, dtype=np.float64) + 0.0)
    if not rows.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, labels = np.unique(whole, return_inverse=True)
    return labels.astype(np.int64)
