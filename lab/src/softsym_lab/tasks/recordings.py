"""What tasks of recorded data share: splits by recording, and errors in the units of the records."""

from __future__ import annotations

import functools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.errors import InputError
from softsym.training import Error, Sizes, mse, squared_error

Rows = NDArray[np.intp]


def displacement_error(prediction: Tensor, truth: Tensor, scale: Tensor | None = None) -> Tensor:
    """Euclidean distance, averaged over the points of a trajectory: (..., 3T) to (...).

    Args:
        prediction: T points, one after another, shape (..., 3T).
        truth: The same.
        scale: Length of one unit along x, y and z, shape (3,); one each by default.
    """
    apart = (prediction - truth).unflatten(-1, (-1, 3))
    if scale is not None:
        apart = apart * scale.to(apart)
    return apart.norm(dim=-1).mean(-1)


ade = Error("ADE", "m", displacement_error)
"""Average displacement error of trajectories in metres."""


def scaled_ade(scale: Tensor) -> Error:
    """The average displacement error in metres of trajectories that were divided by ``scale``, shape (3,).

    Example:
        >>> import torch
        >>> error = scaled_ade(torch.tensor([2.0, 2.0, 2.0]))
        >>> error(torch.tensor([[3.0, 4.0, 0.0]]), torch.zeros(1, 3))
        tensor(10.)
    """
    return Error(ade.name, ade.unit, functools.partial(displacement_error, scale=scale.detach().clone()))


def scaled_mse(scale: float) -> Error:
    """The mean squared error of outputs that were divided by ``scale``, in their own units.

    Example:
        >>> import torch
        >>> scaled_mse(3.0)(torch.tensor([[1.0, 1.0]]), torch.zeros(1, 2))
        tensor(9.)
    """
    return Error(mse.name, mse.unit, lambda prediction, truth: scale**2 * squared_error(prediction, truth))


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
