"""Drawing data: one seed gives many independent streams, and recordings are dealt out whole.

Data, splits and samples of one run each have a stream of their own, so that drawing more of one never changes another; examples of one
recording never end up in two splits.
"""

from __future__ import annotations

import operator

import numpy as np
import torch
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.training.splits import Sizes

Rows = NDArray[np.intp]


def stream(seed: int, name: str) -> torch.Generator:
    """The generator of a named stream.

    Args:
        seed: Seed of the run, not negative.
        name: Which stream, such as ``"train"``.

    Example:
        >>> a, b = stream(0, "train"), stream(0, "test")
        >>> a.initial_seed() == b.initial_seed()
        False
    """
    seed = operator.index(seed)
    if seed < 0:
        raise InputError(f"`seed` must not be negative, got {seed}")
    (word,) = np.random.SeedSequence([seed, *name.encode()]).generate_state(1, np.uint64)
    return torch.Generator().manual_seed(int(word) >> 1)


def split_by_group(
    labels: NDArray[np.generic], sizes: Sizes, generator: torch.Generator, *, exact: bool, what: str
) -> tuple[Rows, Rows, Rows]:
    """Rows for training, validation and test.

    Whole recordings are dealt out at random, in proportion to the sizes; of each share as many rows as wanted are drawn.

    Args:
        labels: The recording each row belongs to, shape (n,).
        sizes: How many rows each split should have.
        generator: Source of the shuffle.
        exact: Fail if a split would get fewer rows than wanted; else it gets what there is.
        what: Name of a recording for error messages, such as ``"flight"``.
    """
    names, row_group = np.unique(labels, return_inverse=True)
    order = torch.randperm(len(names), generator=generator).numpy()
    counts = np.bincount(row_group)[order]
    middles = np.cumsum(counts) - counts / 2
    share = np.empty(len(names), dtype=np.intp)
    share[order] = np.searchsorted(np.cumsum(sizes)[:2] / sum(sizes) * len(labels), middles, side="right")
    rows = [np.flatnonzero(share[row_group] == k) for k in range(3)]
    for part, own, wanted in zip(sizes._fields, rows, sizes, strict=True):
        if len(own) < (wanted if exact else min(wanted, 1)):
            raise InputError(
                f"the {part} split should have {wanted} examples, but of the {len(labels)} in {len(names)} {what}s only "
                f"{len(own)} fall to it; ask for fewer or record more"
            )
    drawn = [
        own[torch.randperm(len(own), generator=generator).numpy()[:wanted]]
        for own, wanted in zip(rows, sizes, strict=True)
    ]
    return drawn[0], drawn[1], drawn[2]
