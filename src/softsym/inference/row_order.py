"""The order in which rows are taken, if not all are: at random, and first one row of every row group, then a second one, and so on.

Rows of one row group (windows of one recording) share their errors, and a likelihood takes rows as independent. The error of this
assumption is smallest for rows of as many row groups as possible.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softsym.typing import Index


def stratified_order(n: int, row_groups: Index | None, seed: int | np.random.Generator) -> NDArray[np.intp]:
    """A random order of rows whose beginnings hold as many row groups as possible.

    Args:
        n: Number of rows.
        row_groups: Labels 0, 1, ..., shape (n,); None if rows are independent.
        seed: Seed or generator.

    Example:
        >>> import numpy as np
        >>> row_groups = np.array([0, 0, 0, 1, 1, 2])
        >>> order = stratified_order(6, row_groups, seed=0)
        >>> sorted(row_groups[order[:3]].tolist()), row_groups[order[-1]].item()
        ([0, 1, 2], 0)
    """
    order = np.random.default_rng(seed).permutation(n)
    if row_groups is None:
        return order
    labels = row_groups[order]
    by_label = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    rank = np.empty(n, dtype=np.int64)
    rank[by_label] = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(order[np.argsort(rank, kind="stable")], dtype=np.intp)
