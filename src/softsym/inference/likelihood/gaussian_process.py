r"""A Gaussian process with a mixture of equivariant kernels, conditioned on rows: predictions and leave-one-out errors.

The prior of every block is :math:`a\,(\sum_k w_k K_k + \lambda I)` with the same non-negative weights w for all blocks and a scale a
and noise :math:`\lambda` of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from softsym.groups import Trivial
from softsym.inference.kernels import EquivariantKernel, Kernel, UnconstrainedKernel, nonzero_blocks
from softsym.inference.kernels.base import slices
from softsym.inference.kernels.kernel_blocks import Block
from softsym.inference.likelihood.marginal import (
    Conditioned,
    best_noise,
    condition,
    roots_of,
    scale_by_weights,
)
from softsym.reps import Rep, Scalar
from softsym.typing import Array, Index

CHUNK = 2_000_000
"""Entries of the matrix between new and old rows, at once."""
SEARCHED = 1_500
"""With larger matrices the noise is taken as given."""


@dataclass(frozen=True, eq=False)
class Component:
    """One kernel of the mixture.

    Args:
        candidate: What makes it equivariant.
        kernel: The base kernel.
        weight: Its share of the prior variance.
        has: Names of the candidate groups whose symmetry its functions have.
    """

    candidate: EquivariantKernel
    kernel: Kernel
    weight: float
    has: tuple[str, ...] = ()

    def weighted(self, weight: float) -> Component:
        """The same kernel with another weight."""
        return replace(self, weight=weight)

    def grams(self, blocks: Sequence[Block], left: Array, right: Array | None = None) -> list[Array]:
        """Gram matrices of all blocks."""
        return self.candidate.grams([self.kernel], blocks, left, right)[0]


@dataclass(eq=False)
class ConditionedGP:
    """A mixture of kernels conditioned on rows.

    Args:
        components: The kernels; their weights add up to one.
        blocks: Parts of the outputs that are not zero.
        X: Scaled inputs (n, d).
        Y: Scaled outputs (n, outputs).
        units: What every component's kernel is divided by, one number for each component and block.
        fits: The conditioned Gaussian process of every block.
        row_groups: Labels of the rows, shape (n,); None if rows are independent.
        weights: Weights of the rows (n,), by which the variance of their noise is divided; None if all are the same.
    """

    components: list[Component]
    blocks: list[Block]
    X: Array
    Y: Array
    units: Array
    fits: list[Conditioned]
    row_groups: Index | None = None
    weights: Array | None = None

    @classmethod
    def fit(
        cls,
        components: Sequence[Component],
        blocks: Sequence[Block],
        X: Array,
        Y: Array,
        noises: Sequence[float],
        row_groups: Index | None = None,
        weights: Array | None = None,
    ) -> ConditionedGP:
        """Conditions on rows; noises are optimised from those given, unless matrices are large or there are row groups."""
        signals, units = signals_of(components, blocks, X)
        fits = []
        for signal, block, noise in zip(signals, blocks, noises, strict=True):
            roots = roots_of(weights, block.size)
            signal, outputs = scale_by_weights(signal, roots), block.read(Y) * roots
            is_searched = len(signal) <= SEARCHED and row_groups is None
            known = None if is_searched else condition(signal, outputs, noise)
            fits.append(best_noise(signal, outputs, noise) if known is None else known)
        return cls(list(components), list(blocks), X, Y, units, fits, row_groups, weights)

    @classmethod
    def restored(
        cls,
        components: Sequence[Component],
        blocks: Sequence[Block],
        X: Array,
        Y: Array,
        noises: Sequence[float],
        row_groups: Index | None = None,
        weights: Array | None = None,
    ) -> ConditionedGP:
        """The Gaussian process from stored noises."""
        signals, units = signals_of(components, blocks, X)
        roots = [roots_of(weights, block.size) for block in blocks]
        fits = [
            condition(scale_by_weights(signal, root), block.read(Y) * root, noise)
            for signal, block, noise, root in zip(signals, blocks, noises, roots, strict=True)
        ]
        if any(fit is None for fit in fits):
            raise ValueError("its kernel is singular")
        return cls(
            list(components),
            list(blocks),
            X,
            Y,
            units,
            [fit for fit in fits if fit is not None],
            row_groups,
            weights,
        )

    @property
    def noises(self) -> list[float]:
        """Noise of every block, relative to its signal."""
        return [fit.noise for fit in self.fits]

    def leave_out_errors(self) -> Array:
        """Errors (n, outputs) of the scaled outputs of every row, predicted from all rows of other row groups."""
        errors = np.zeros_like(self.Y)
        for block, fit in zip(self.blocks, self.fits, strict=True):
            block.add_to(
                errors, fit.leave_out_errors(block.size, self.row_groups) / roots_of(self.weights, block.size)
            )
        return errors

    def predict(self, X: Array, return_std: bool = False) -> tuple[Array, Array | None]:
        """Mean (m, outputs) for scaled inputs (m, d), and the standard deviation of a new measurement if asked for."""
        mean = np.zeros((len(X), self.Y.shape[1]))
        for function in self._functions:
            for block, product in zip(self.blocks, function(X), strict=True):
                block.add_to(mean, product)
        return mean, self.std(X) if return_std else None

    @functools.cached_property
    def _functions(self) -> list[Callable[[Array], list[Array]]]:
        """What every component adds to predictions."""
        functions = []
        for component, units in zip(self.components, self.units, strict=True) if self.blocks else ():
            inside = [component.weight / unit * alpha for unit, alpha in zip(units, self.alphas, strict=True)]
            functions.append(component.candidate.function(component.kernel, self.blocks, self.X, inside))
        return functions

    @property
    def alphas(self) -> list[Array]:
        """For every block what predictions multiply its Gram matrix with, (b n, copies)."""
        return [
            fit.alpha * roots_of(self.weights, block.size)
            for block, fit in zip(self.blocks, self.fits, strict=True)
        ]

    def std(self, X: Array) -> Array:
        """Standard deviations (m, outputs) of new measurements."""
        variance = np.zeros((len(X), self.Y.shape[1]))
        largest = max((block.size for block in self.blocks), default=1)
        for rows in slices(len(X), max(1, CHUNK // (len(self.X) * largest**2))):
            for b, gram in enumerate(self._between(X[rows])):
                block, fit = self.blocks[b], self.fits[b]
                cross = gram.T if self.weights is None else gram.T * roots_of(self.weights, block.size)
                inside = solve_triangular(fit.factor, cross, lower=True, check_finite=False)
                inside = inside.reshape(len(inside), block.size, -1)
                covariances = self._prior_covariances(X[rows], b) - np.einsum("iam,ibm->mab", inside, inside)
                covariances += fit.noise * np.eye(block.size)
                variance[rows][:, block.columns] += fit.scale * block.variances(covariances)[:, None]
        return np.sqrt(np.maximum(variance, 0.0))

    def _between(self, X: Array) -> list[Array]:
        """Prior covariances (b m, b n) of new and old rows, for every block."""
        totals = [np.zeros((block.size * len(X), block.size * len(self.X))) for block in self.blocks]
        for component, units in zip(self.components, self.units, strict=True):
            grams = component.grams(self.blocks, X, self.X)
            for total, gram, unit in zip(totals, grams, units, strict=True):
                total += component.weight / unit * gram
        return totals

    def _prior_covariances(self, X: Array, b: int) -> Array:
        """Prior covariances (m, b, b) of the block's coordinates at each new row."""
        return np.asarray(
            sum(
                component.weight
                / units[b]
                * component.candidate.diagonal(component.kernel, self.blocks[b], X)
                for component, units in zip(self.components, self.units, strict=True)
            )
        )


def blocks_of(components: Sequence[Component], rep_out: Rep, Y: Array) -> list[Block]:
    """The blocks of outputs (n, outputs) that no component's group mixes; without any group every column is a block."""
    groups = [c.candidate.group for c in components if not isinstance(c.candidate, UnconstrainedKernel)]
    return (
        nonzero_blocks(rep_out, groups, Y) if groups else nonzero_blocks(Y.shape[1] * Scalar, [Trivial(1)], Y)
    )


def same_noise(noises: Sequence[float], blocks: Sequence[Block]) -> list[float]:
    """One noise for each block: those given, or their geometric mean if they belong to other blocks."""
    if len(noises) == len(blocks):
        return list(noises)
    return [float(np.exp(np.mean(np.log(noises))))] * len(blocks)


def unit_of(gram: Array) -> float:
    """The mean diagonal, or one if there is nothing."""
    size = float(np.trace(gram)) / len(gram)
    return size if size > 1e-12 else 1.0


def signals_of(
    components: Sequence[Component], blocks: Sequence[Block], X: Array
) -> tuple[list[Array], Array]:
    """The prior's Gram matrix of every block, and what the components' kernels were divided by, shape (components, blocks)."""
    signals: list[Array] = []
    units = np.ones((len(components), len(blocks)))
    for c, component in enumerate(components):
        for b, gram in enumerate(component.grams(blocks, X)):
            units[c, b] = unit_of(gram)
            gram *= component.weight / units[c, b]
            if c == 0:
                signals.append(gram)
            else:
                signals[b] += gram
    return signals, units
