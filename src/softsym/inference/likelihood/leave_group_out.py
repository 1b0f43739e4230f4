"""Model selection with row groups: by leave-one-group-out errors instead of the likelihood.

Rows of one row group share their errors, which a likelihood of independent rows takes for signal: its noise is too small, and the Gaussian
process follows each row group's own error. Errors of predictions of whole row groups from all others, in closed form, show this. They
choose the noise, and between the mixture, one of its kernels alone, and an unconstrained kernel with separately scaled columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softsym.inference.kernels import Block, Kernel, UnconstrainedKernel
from softsym.inference.likelihood.gaussian_process import Component, signals_of, unit_of
from softsym.inference.likelihood.marginal import condition
from softsym.typing import Array, Index

Labels = Index
LARGEST = 900
"""Size of the matrices with which noises are compared."""
NOISES = tuple(float(noise) for noise in 10.0 ** np.arange(-7, 1.5))
"""Noises that are tried, relative to the signal; then one half-way to each neighbour of the best."""
WORSE = 1.02
"""Errors that differ by less than this factor are the same: then the larger noise is taken, and the mixture before its parts."""


def choose_by_row_groups(
    components: Sequence[Component],
    blocks: Sequence[Block],
    X: Array,
    Y: Array,
    row_groups: Labels,
    unconstrained: UnconstrainedKernel,
    kernels: Sequence[Kernel],
) -> tuple[list[Component], list[float]]:
    """The mixture or one kernel, and the noise of every block with which row groups left out are predicted best.

    Args:
        components: The kernels of the mixture.
        blocks: Parts of the outputs.
        X: Scaled inputs (n, d).
        Y: Scaled outputs (n, outputs).
        row_groups: Labels of the rows, shape (n,).
        unconstrained: Makes a kernel without symmetry.
        kernels: Base kernels to try with it.
    """
    size = max((block.size for block in blocks), default=1)
    rows = whole_row_groups(row_groups, max(2, LARGEST // size))
    labels = row_groups[rows]
    choices: list[tuple[list[Component], list[float], float]] = []
    for mixture in [list(components), *([component.weighted(1.0)] for component in components)]:
        signals, _ = signals_of(mixture, blocks, X[rows])
        best = [
            best_noise_by_row_groups(signal, block.read(Y[rows]), block.size, labels)
            for signal, block in zip(signals, blocks, strict=True)
        ]
        choices.append((mixture, [one[0] for one in best], sum(one[1] for one in best)))
    for kernel in kernels:  # without symmetry every column is a right-hand side
        gram = unconstrained.gram(kernel, X[rows])
        noise, error = best_noise_by_row_groups(gram / unit_of(gram), Y[rows], 1, labels)
        choices.append(([Component(unconstrained, kernel, 1.0)], [noise] * len(blocks), error))
    least = min(error for _, _, error in choices)
    return next((chosen, noises) for chosen, noises, error in choices if error <= WORSE * least)


def best_noise_by_row_groups(signal: Array, Y: Array, size: int, row_groups: Labels) -> tuple[float, float]:
    """The noise with which row groups left out are predicted best, and the sum of the squared errors.

    Args:
        signal: Gram matrix (b n, b n), of about unit diagonal.
        Y: Outputs (b n, c).
        size: Number b of coordinates of a row.
        row_groups: Labels of the rows, shape (n,).
    """

    def error(noise: float) -> float:
        fit = condition(signal, Y, noise)
        return np.inf if fit is None else float(np.sum(fit.leave_out_errors(size, row_groups) ** 2))

    errors = {noise: error(noise) for noise in NOISES}
    coarse = min(errors, key=lambda noise: errors[noise])
    errors |= {noise: error(noise) for noise in (coarse * 10**-0.5, coarse * 10**0.5)}
    least = min(errors.values())
    best = max(noise for noise, one in errors.items() if one <= WORSE * least)
    return best, errors[best]


def whole_row_groups(row_groups: Labels, most: int) -> NDArray[np.intp]:
    """Rows of as many whole row groups, the first ones, as have at most so many rows; of two row groups at least.

    Example:
        >>> import numpy as np
        >>> whole_row_groups(np.array([2, 0, 2, 1, 0, 1]), 4)
        array([0, 1, 2, 4])
    """
    labels, first, counts = np.unique(row_groups, return_index=True, return_counts=True)
    order = np.argsort(first)
    taken = max(2, int(np.sum(np.cumsum(counts[order]) <= most)))
    return np.flatnonzero(np.isin(row_groups, labels[order[:taken]]))
