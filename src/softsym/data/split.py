"""Splitting rows into training, validation and test parts that no row group straddles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.arrays import make_rng, merge_row_groups
from softsym.errors import InputError
from softsym.typing import Array, Index

HELD_OUT = 0.15  # default share of the rows for validation, and as many for the test
SMALLEST_TEST = 20  # with fewer test rows than this, metrics use the training rows too


@dataclass(frozen=True, eq=False)
class Parts:
    """Row numbers of each part."""

    train: Index
    val: Index
    test: Index


def split_rows(
    X: Array, fraction: float, seed: int, *, duplicates: Index | None = None, row_groups: Index | None = None
) -> Parts:
    """Shuffles rows into parts; ``fraction`` of them for validation and as many for the test."""
    # Rows with equal inputs stay in one part, because a duplicate in the test would make the test error too small.
    labels = duplicate_groups(X) if duplicates is None else duplicates
    rng = make_rng(seed)
    if row_groups is None:
        part_of = _parts_by_number(int(labels.max()) + 1, fraction, rng)
    else:
        labels = merge_row_groups(labels, row_groups)
        part_of = _parts_by_size(np.bincount(labels), int(row_groups.max()) + 1, fraction, rng)
    # Shuffled once more, so that the first test rows are any rows, whatever the file is sorted by.
    shuffled = rng.permutation(len(X))
    train, val, test = (shuffled[part_of[labels[shuffled]] == part] for part in range(3))
    return Parts(train, val if len(val) else train, test if len(test) else train)


def _parts_by_number(distinct: int, fraction: float, rng: np.random.Generator) -> Index:
    """The part of each of so many different rows: 0 for training, 1 for validation, 2 for the test."""
    order = rng.permutation(distinct)
    held = min(round(fraction * distinct), (distinct - 1) // 2)
    part_of = np.zeros(distinct, dtype=np.int64)
    part_of[order[:held]] = 1
    part_of[order[held : 2 * held]] = 2
    return part_of


def _parts_by_size(sizes: Index, labels: int, fraction: float, rng: np.random.Generator) -> Index:
    """The part of each row group, with about as many rows as wanted in each part.

    Groups come in random order to whichever of validation and test has fewer rows, if that brings it nearer to its size. The largest
    group is always for training, since it may be most of the rows. A part that then has too few rows gets the smallest groups left.
    """
    rows, wanted = int(sizes.sum()), max(1, round(fraction * int(sizes.sum())))
    if len(sizes) < 3:
        joined = "" if len(sizes) == labels else f", which equal inputs join to {len(sizes)}"
        raise InputError(
            f"there are {labels} row groups{joined}; at least 3 are needed, for training, validation and test"
        )
    order = rng.permutation(len(sizes))
    others: list[int] = np.delete(order, sizes[order].argmax()).tolist()
    part_of, filled = np.zeros(len(sizes), dtype=np.int64), np.zeros(2, dtype=np.int64)

    def put(group: int) -> None:
        part = int(filled.argmin())
        part_of[group] = part + 1
        filled[part] += sizes[group]

    for group in others:
        if sizes[group] < 2 * (wanted - filled.min()):
            put(group)
    enough = min(SMALLEST_TEST, wanted)
    for group in sorted(others, key=lambda group: int(sizes[group])):
        if filled.min() < enough and not part_of[group]:
            put(group)
    if filled.min() < enough:
        raise InputError(
            f"{sizes.max():,} of {rows:,} rows are in one row group; the others do not make a validation and a test part of at least "
            f"{enough} rows each; pass smaller row groups"
        )
    return part_of


def duplicate_groups(X: Array) -> Index:
    """Labels 0, 1, ... that equal rows share, shape (n,), so that a split can keep them in one part."""
    # -0.0 + 0.0 is 0.0, so equal rows have equal bytes.
    rows = np.ascontiguousarray(np.asarray(X, dtype=np.float64) + 0.0)
    if not rows.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, labels = np.unique(whole, return_inverse=True)
    return labels.astype(np.int64)
