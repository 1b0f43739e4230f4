"""Kernel selection, for the evidence and for Gaussian processes: scaled data, candidate kernels, and the likeliest base kernel.

The likelihood is computed on a seeded subset of the rows once the matrices would be larger than :data:`LARGEST`: a few hundred rows
are enough to select kernels, and its cost grows with the third power of their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softsym.data.scaler import SymmetricScaler
from softsym.errors import InputError
from softsym.groups import Group, Trivial, join_groups
from softsym.inference.kernels import GRID, EquivariantKernel, Kernel, UnconstrainedKernel, equivariant_kernel
from softsym.inference.kernels.kernel_blocks import Block, nonzero_blocks
from softsym.inference.likelihood.marginal import LOWEST, Conditioned, best_noise, roots_of, scale_by_weights
from softsym.inference.likelihood.profile import Profile, UnconstrainedFit, profile
from softsym.inference.row_order import stratified_order
from softsym.reps import Rep
from softsym.typing import Array, Index

LARGEST = 900
"""Size of the matrices of the likelihood: rows times coordinates, over all blocks."""
REFINED_SIZE = 1.5
"""Factor by which they are larger when a candidate that is undecided is profiled again: three times the work."""
UNEQUAL = 1.3
"""Ratio of the columns' standard deviations from which a separate scale of each column is tried."""
FEWEST = 10
"""Rows that are used whatever the size."""
CHOOSING = 300
"""Size of the matrices by which base kernels are compared."""
FEW = 4
"""So many of them are compared once more with matrices of the full size: a hundred rows prefer kernels that are too simple for more."""
EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Noise of a row may have the variance of all divided by its weight to one of these powers."""


@dataclass(eq=False)
class KernelSelection:
    """Scaled data, and the kernel of every candidate.

    Args:
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: The candidates.
        scale_in: Of the inputs.
        scale_out: Of the outputs.
        order: The order of rows: random, as many row groups as possible first.
        X: Scaled inputs (n, d), in this order.
        Y: Scaled outputs (n, outputs), in the same order.
        row_groups: Labels of the rows, in the same order; None if rows are independent.
        candidates: The kernel of every candidate that has one, by the group's name.
        notes: Why the others have none.
        kernels: The base kernel of every candidate, and of none under the empty name.
        weights: By what the variance of every row's noise is divided (n,), in the same order; None if all have the same.
        exponent: The power of the weights given that these are: the one under which the data are most likely.
        largest: Size of the matrices of the likelihood.
    """

    rep_in: Rep
    rep_out: Rep
    groups: list[Group]
    scale_in: SymmetricScaler
    scale_out: SymmetricScaler
    order: NDArray[np.intp]
    X: Array
    Y: Array
    row_groups: Index | None = None
    candidates: dict[str, EquivariantKernel] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    weights: Array | None = None
    exponent: float = 1.0
    largest: int = LARGEST

    @classmethod
    def fit(
        cls,
        X: Array,
        Y: Array,
        rep_in: Rep,
        rep_out: Rep,
        groups: Sequence[Group],
        *,
        kernels: Sequence[Kernel] = GRID,
        row_groups: Index | None = None,
        weights: Array | None = None,
        seed: int = 0,
        unconstrained: bool = False,
        largest: int = LARGEST,
    ) -> KernelSelection:
        """Scales data, makes every candidate's kernel and chooses the base kernels.

        Args:
            X: Inputs (n, size of ``rep_in``).
            Y: Outputs (n, size of ``rep_out``).
            rep_in: How inputs transform.
            rep_out: How outputs transform.
            groups: The candidates; may be none.
            kernels: Base kernels to choose from.
            row_groups: Labels 0, 1, ... of the rows, shape (n,), if rows are dependent.
            weights: Weights of the rows (n,). The likelihood chooses how the variance of the noise depends on them.
            seed: Seed of the order of rows.
            unconstrained: Leave the candidates' kernels out.
            largest: Size of the matrices of the likelihood.
        """
        groups = list(groups)
        scale_in, scale_out = (
            SymmetricScaler.fit(Z, rep, groups, weights) for Z, rep in ((X, rep_in), (Y, rep_out))
        )
        order = stratified_order(len(X), row_groups, seed)
        selection = cls(
            rep_in,
            rep_out,
            groups,
            scale_in,
            scale_out,
            order,
            scale_in.transform(X[order]),
            scale_out.transform(Y[order]),
            None if row_groups is None else row_groups[order],
            largest=largest,
        )
        for group in [] if unconstrained else groups:
            try:
                selection.candidates[group.name] = equivariant_kernel(group, rep_in, rep_out)
            except InputError as reason:
                selection.notes[group.name] = str(reason)
        if weights is not None and not selection.is_constant:
            selection._select_exponent(weights[order], kernels)
        selection.kernels = selection._select_kernels(kernels)
        return selection

    @property
    def is_constant(self) -> bool:
        """Whether the outputs do not vary, apart from rounding."""
        return not self.blocks([])

    def blocks(self, groups: Sequence[Group]) -> list[Block]:
        """Blocks of the outputs that none of the groups mixes, without those that are zero."""
        return nonzero_blocks(self.rep_out, groups or [self.whole], self.Y)

    @property
    def whole(self) -> Group:
        """The group that all candidates generate; without candidates one that does nothing."""
        if self.groups:
            return join_groups(self.groups)
        return Trivial(1)

    def rows(self, blocks: Sequence[Block], largest: float | None = None) -> int:
        """How many rows make matrices of at most this size, the usual one by default."""
        size = sum(block.size**3 for block in blocks) ** (1 / 3)
        return min(len(self.X), max(FEWEST, int((largest or self.largest) / max(size, 1.0))))

    def rows_of(self, group: Group, *, refined: bool = False) -> int:
        """How many rows the likelihood of a candidate uses."""
        return self.rows(self.blocks([group]), REFINED_SIZE * self.largest if refined else None)

    def profile(self, group: Group, *, refined: bool = False) -> Profile:
        """The profile likelihood of one candidate, with larger matrices if refined."""
        blocks = self.blocks([group])
        n, kernel = self.rows_of(group, refined=refined), self.kernels[group.name]
        X, Y = self.X[:n], self.Y[:n]
        row_groups = None if self.row_groups is None else self.row_groups[:n]
        weights = None if self.weights is None else self.weights[:n]
        unconstrained = UnconstrainedFit.fit(kernel, blocks, X, Y, row_groups, weights)
        return profile(self.candidates[group.name], kernel, blocks, X, Y, unconstrained, row_groups, weights)

    @property
    def stretch(self) -> Array:
        """Factors that give every input column unit standard deviation, shape (d,)."""
        std = self.X.std(axis=0)
        return np.asarray(1.0 / np.where(std > 1e-6 * std.max(initial=0.0), std, 1.0))

    def per_column_kernel(self, kernels: Sequence[Kernel]) -> tuple[UnconstrainedKernel, Kernel] | None:
        """An unconstrained kernel with separately scaled columns, and its best base kernel; None if columns have equal scales."""
        stretch = self.stretch
        if not self.groups or stretch.max() < UNEQUAL * stretch.min():
            return None
        candidate = UnconstrainedKernel(self.whole, self.rep_in, stretch)
        blocks = self.blocks([])
        values = self._values(candidate, kernels, blocks, self.rows(blocks, CHOOSING))
        return candidate, max(values, key=lambda kernel: values[kernel])

    def _select_exponent(self, weights: Array, kernels: Sequence[Kernel]) -> None:
        """Selects the exponent of the weights.

        Weights need not be inverse variances: if rows of small weight are no noisier, exponent 1 overestimates the noise of the others.
        """
        kinds = [UnconstrainedKernel(self.whole, self.rep_in), *self.candidates.values()]
        blocks = [
            self.blocks([] if isinstance(kind, UnconstrainedKernel) else [kind.group]) for kind in kinds
        ]
        n = min(self.rows(each, CHOOSING) for each in blocks)

        def height(exponent: float) -> float:
            self.weights = weights_to_power(weights, exponent)
            values = (self._values(kind, kernels, each, n) for kind, each in zip(kinds, blocks, strict=True))
            return max(value for each in values for value in each.values())

        self.exponent = max(EXPONENTS, key=height)
        self.weights = weights_to_power(weights, self.exponent)

    def _select_kernels(self, kernels: Sequence[Kernel]) -> dict[str, Kernel]:
        """The base kernel under which the data are most likely, with whichever candidate suits them best, or none."""
        if self.is_constant:
            return dict.fromkeys([*self.candidates, ""], kernels[0])
        best, values = self._best(kernels)
        chosen = {"": best}
        for name, candidate in self.candidates.items():
            allowed = {kernel: value for kernel, value in values[name].items() if candidate.allows(kernel)}
            if not allowed:
                raise InputError(f"{name} needs a polynomial kernel of degree at most 3")
            chosen[name] = best if best in allowed else max(allowed, key=lambda kernel: allowed[kernel])
        return chosen

    def _best(self, kernels: Sequence[Kernel]) -> tuple[Kernel, dict[str, dict[Kernel, float]]]:
        """The likeliest kernel, the best few compared with more rows; and the likelihoods of all, for each candidate, on few rows."""
        kinds = {"": UnconstrainedKernel(self.whole, self.rep_in), **self.candidates}
        blocks = {name: self.blocks([kind.group] if name else []) for name, kind in kinds.items()}
        few_rows = {name: self.rows(each, CHOOSING) for name, each in blocks.items()}
        values = {
            name: self._values(kind, kernels, blocks[name], few_rows[name]) for name, kind in kinds.items()
        }
        tops: dict[Kernel, tuple[float, str]] = {}
        for name, by_kernel in values.items():
            for kernel, value in by_kernel.items():
                tops[kernel] = max(tops.get(kernel, (-np.inf, "")), (value, name))
        few = sorted(tops, key=lambda kernel: -tops[kernel][0])[:FEW]
        # Few rows, as many as each candidate affords, only make the list; what decides are the same rows for all.
        more = min(self.rows(blocks[tops[kernel][1]]) for kernel in few)
        name = tops[few[0]][1]
        if more <= few_rows[name] or self._explains(kinds[name], few[0], blocks[name], few_rows[name]):
            return few[0], values

        def compare(kernel: Kernel) -> float:
            name = tops[kernel][1]
            return self._values(kinds[name], [kernel], blocks[name], more)[kernel]

        return max(few, key=compare), values

    def _explains(
        self, candidate: EquivariantKernel, kernel: Kernel, blocks: Sequence[Block], n: int
    ) -> bool:
        """Whether the residual is rounding: then more rows do not help to compare kernels."""
        (grams,) = self._grams(candidate, [kernel], blocks, n)
        return all(self._fit(*one, n).noise <= 10 * LOWEST for one in zip(grams, blocks, strict=True))

    def _values(
        self, candidate: EquivariantKernel, kernels: Sequence[Kernel], blocks: Sequence[Block], n: int
    ) -> dict[Kernel, float]:
        """Log marginal likelihoods of the first n rows."""
        kernels = [kernel for kernel in kernels if candidate.allows(kernel)]
        return {
            kernel: sum(self._value(gram, block, n) for gram, block in zip(row, blocks, strict=True))
            for kernel, row in zip(kernels, self._grams(candidate, kernels, blocks, n), strict=True)
        }

    def _grams(
        self, candidate: EquivariantKernel, kernels: Sequence[Kernel], blocks: Sequence[Block], n: int
    ) -> list[list[Array]]:
        """Gram matrices of the first n rows; without symmetry one small matrix instead of a Kronecker product."""
        if isinstance(candidate, UnconstrainedKernel):
            return [[candidate.gram(kernel, self.X[:n])] * len(blocks) for kernel in kernels]
        return candidate.grams(kernels, blocks, self.X[:n])

    def _value(self, gram: Array, block: Block, n: int) -> float:
        value = self._fit(gram, block, n).value
        if self.weights is None:
            return value
        return value + 0.5 * block.size * len(block.columns) * float(np.log(self.weights[:n]).sum())

    def _fit(self, gram: Array, block: Block, n: int) -> Conditioned:
        """The conditioned GP of one block with its likeliest noise."""
        Y = block.read(self.Y[:n])
        if len(gram) < len(Y):
            Y = Y.reshape(block.size, n, -1).transpose(1, 0, 2).reshape(n, -1)
        roots = roots_of(None if self.weights is None else self.weights[:n], len(gram) // n)
        unit = gram / max(float(np.trace(gram)) / len(gram), 1e-12)
        return best_noise(scale_by_weights(unit, roots), Y * roots)


def weights_to_power(weights: Array, exponent: float) -> Array | None:
    """Weights to a power, of mean one; None if all are the same.

    Example:
        >>> weights_to_power(np.array([1.0, 9.0]), 0.5)
        array([0.5, 1.5])
    """
    return None if exponent == 0 else np.asarray(weights**exponent / np.mean(weights**exponent))
