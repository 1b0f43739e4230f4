"""Row groups: rows that depend on each other and must be on the same side of every split.

Windows of one recording or repeated measurements of one specimen resemble each other more than new data would. If some are trained on
and others held out, the held-out error is too small.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from softsym.errors import InputError
from softsym.typing import Index


def encode_row_groups(groups: Any, rows: int) -> Index | None:
    """The ``groups`` of an estimator's ``fit`` as labels 0, 1, ..., shape (rows,); None if there are none.

    Example:
        >>> encode_row_groups(["b", "a", "b"], 3).tolist()
        [0, 1, 0]
    """
    if groups is None:
        return None
    try:
        labels = list(groups.tolist() if hasattr(groups, "tolist") else groups)
    except TypeError as error:
        raise InputError(f"`groups` must hold a label for every row, got {groups!r}") from error
    if len(labels) != rows:
        raise InputError(
            f"`groups` has {len(labels)} labels for {rows} rows; pass one for every row "
            "(candidate symmetry groups are an argument of the estimator itself)"
        )
    return encode_labels(labels, "`groups`")


def encode_labels(labels: Sequence[Hashable], what: str) -> Index:
    """Numbers 0, 1, ... in the order in which labels first occur, the same where labels are equal, shape (n,).

    Example:
        >>> encode_labels(["mon", 2, "mon", (3, "c")], "day").tolist()
        [0, 1, 0, 2]
    """
    known: dict[Hashable, int] = {}
    numbers = np.empty(len(labels), dtype=np.int64)
    for row, label in enumerate(labels):
        if _is_missing(label):
            raise InputError(f"{what} has no label in row {row}, counted from 0; every row needs one")
        try:
            numbers[row] = known.setdefault(label, len(known))
        except TypeError as error:
            raise InputError(
                f"{what} holds a {type(label).__name__} in row {row}, counted from 0; pass one text or number for every row"
            ) from error
    return numbers


def merge_row_groups(first: Index, second: Index) -> Index:
    """The finest row groups that contain those of both labellings, shape (n,): connected components of rows with an equal label.

    Example:
        >>> merge_row_groups(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])).tolist()
        [0, 0, 0, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Labels of both labellings are nodes, every row is an edge between its two labels.
    nodes = int(first.max()) + int(second.max()) + 2
    edges = coo_array((np.ones(len(first)), (first, int(first.max()) + 1 + second)), shape=(nodes, nodes))
    of_node = connected_components(edges, directed=False)[1]
    _, labels = np.unique(of_node[first], return_inverse=True)
    return labels.astype(np.int64)


def _is_missing(label: object) -> bool:
    """Whether a label is None or, like NaN, not even equal to itself."""
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # as pandas.NA, which is neither
        return isinstance(label, Hashable)
