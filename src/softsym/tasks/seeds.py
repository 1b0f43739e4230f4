"""Streams of random numbers: one seed, many independent generators.

Data, splits and samples of one run each have a stream of their own, so that drawing more of one never changes another.
"""

from __future__ import annotations

import operator

import numpy as np
import torch

from softsym.errors import InputError


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
