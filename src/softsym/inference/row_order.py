"""The order in which rows are taken, if not all are: at random, and first one row of every source, then a second one, and so on.

Rows of one source (windows of one recording) share their errors. A likelihood takes rows as independent; it is fooled least by rows of
as many sources as possible.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softsym.typing import Index


def spread_order(n: int, sources: Index | None, seed: int | np.random.Generator) -> NDArray[np.intp]:
    """A random order of rows whose beginnings hold as many sources as possible.

    Args:
        n: Number of rows.
        sources: Labels 0, 1, ..., shape (n,); None if every row stands by itself.
        seed: Seed or generator.

    Example:
        >>> import numpy as np
        >>> sources = np.array([0, 0, 0, 1, 1, 2])
        >>> order = spread_order(6, sources, seed=0)
        >>> sorted(sources[order[:3]].tolist()), sources[order[-1]].item()
        ([0, 1, 2], 0)
    """
    order = np.random.default_rng(seed).permutation(n)
    if sources is None:
        return order
    labels = sources[order]
    by_label = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    turn = np.empty(n, dtype=np.int64)
    turn[by_label] = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(order[np.argsort(turn, kind="stable")], dtype=np.intp)
