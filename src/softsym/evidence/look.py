"""The common ground of evidence and Gaussian process: scaled data, candidate kernels, and the base kernel that suits the data.

The likelihood is computed on a seeded subset of the rows once the matrices would be larger than :data:`LARGEST`: it tells what it
tells with a few hundred rows, and its cost grows with the third power of their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softsym.data.scaler import SymmetricScaler
from softsym.errors import InputError
from softsym.evidence.kernels import GRID, EquivariantKernel, Kernel, Plain, equivariant_kernel
from softsym.evidence.kernels.blocks import Block, nonzero_blocks
from softsym.evidence.likelihood.marginal import Spectrum
from softsym.evidence.likelihood.profile import Plainly, Profile, profile
from softsym.evidence.rows import spread_order
from softsym.groups import Group, Trivial, joined
from softsym.reps import Rep

Array = NDArray[np.float64]
LARGEST = 900
"""Size of the matrices of the likelihood: rows times coordinates, over all blocks."""
UNEQUAL = 1.3
"""Ratio of the columns' deviations from which their own units are tried."""
FEWEST = 10
"""Rows that are used whatever the size."""
CHOOSING = 300
"""The same while base kernels are compared."""


@dataclass(eq=False)
class Look:
    """Data and candidates, ready for kernels.

    Args:
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: The candidates.
        scale_in: Of the inputs.
        scale_out: Of the outputs.
        order: The order of rows: random, as many sources as possible first.
        X: Scaled inputs (n, d), in this order.
        Y: Scaled outputs (n, outputs), in the same order.
        sources: Labels of the rows, in the same order; None if each stands by itself.
        candidates: The kernel of every candidate that has one, by the group's name.
        notes: Why the others have none.
        kernels: The base kernel of every candidate, and of none under the empty name.
    """

    rep_in: Rep
    rep_out: Rep
    groups: list[Group]
    scale_in: SymmetricScaler
    scale_out: SymmetricScaler
    order: NDArray[np.intp]
    X: Array
    Y: Array
    sources: NDArray[np.int64] | None = None
    candidates: dict[str, EquivariantKernel] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)

    @classmethod
    def at(
        cls,
        X: Array,
        Y: Array,
        rep_in: Rep,
        rep_out: Rep,
        groups: Sequence[Group],
        *,
        kernels: Sequence[Kernel] = GRID,
        sources: NDArray[np.int64] | None = None,
        seed: int = 0,
        plain: bool = False,
    ) -> Look:
        """Scales data, makes every candidate's kernel and chooses the base kernels.

        Args:
            X: Inputs (n, size of ``rep_in``).
            Y: Outputs (n, size of ``rep_out``).
            rep_in: How inputs transform.
            rep_out: How outputs transform.
            groups: The candidates; may be none.
            kernels: Base kernels to choose from.
            sources: Labels 0, 1, ... of the rows, shape (n,), if rows belong together.
            seed: Of the order of rows.
            plain: Leave the candidates' kernels out.
        """
        groups = list(groups)
        scale_in, scale_out = (SymmetricScaler.fit(Z, rep, groups) for Z, rep in ((X, rep_in), (Y, rep_out)))
        order = spread_order(len(X), sources, seed)
        look = cls(
            rep_in,
            rep_out,
            groups,
            scale_in,
            scale_out,
            order,
            scale_in.transform(X[order]),
            scale_out.transform(Y[order]),
            None if sources is None else sources[order],
        )
        for group in [] if plain else groups:
            try:
                look.candidates[group.name] = equivariant_kernel(group, rep_in, rep_out)
            except InputError as reason:
                look.notes[group.name] = str(reason)
        look.kernels = look._chosen(kernels)
        return look

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
            return joined(self.groups)
        return Trivial(1)

    def rows(self, blocks: Sequence[Block], largest: int = LARGEST) -> int:
        """How many rows make matrices of at most this size."""
        size = sum(block.size**3 for block in blocks) ** (1 / 3)
        return min(len(self.X), max(FEWEST, int(largest / max(size, 1.0))))

    def profile(self, group: Group) -> Profile:
        """What the likelihood says about one candidate."""
        blocks = self.blocks([group])
        n, kernel = self.rows(blocks), self.kernels[group.name]
        X, Y = self.X[:n], self.Y[:n]
        sources = None if self.sources is None else self.sources[:n]
        plain = Plainly.of(kernel, blocks, X, Y, sources)
        return profile(self.candidates[group.name], kernel, blocks, X, Y, plain, sources)

    @property
    def stretch(self) -> Array:
        """Factors that give every input column unit deviation, shape (d,)."""
        spread = self.X.std(axis=0)
        return np.asarray(1.0 / np.where(spread > 1e-6 * spread.max(initial=0.0), spread, 1.0))

    def free(self, kernels: Sequence[Kernel]) -> tuple[Plain, Kernel] | None:
        """A kernel without symmetry whose columns have units of their own, and its best base kernel; None if they have already."""
        stretch = self.stretch
        if not self.groups or stretch.max() < UNEQUAL * stretch.min():
            return None
        candidate = Plain(self.whole, self.rep_in, stretch)
        values = self._values(candidate, kernels, self.blocks([]))
        return candidate, max(values, key=lambda kernel: values[kernel])

    def _chosen(self, kernels: Sequence[Kernel]) -> dict[str, Kernel]:
        """The base kernel under which the data are most likely, with whichever candidate suits them best, or none."""
        if self.is_constant:
            return dict.fromkeys([*self.candidates, ""], kernels[0])
        plain = Plain(self.whole, self.rep_in)
        values = {"": self._values(plain, kernels, self.blocks([]))}
        for name, candidate in self.candidates.items():
            values[name] = self._values(candidate, kernels, self.blocks([candidate.group]))
        best = max(kernels, key=lambda kernel: max(value.get(kernel, -np.inf) for value in values.values()))
        chosen = {"": best}
        for name, candidate in self.candidates.items():
            allowed = {kernel: value for kernel, value in values[name].items() if candidate.allows(kernel)}
            if not allowed:
                raise InputError(f"{name} needs a polynomial kernel of degree at most 3")
            chosen[name] = best if best in allowed else max(allowed, key=lambda kernel: allowed[kernel])
        return chosen

    def _values(
        self, candidate: EquivariantKernel, kernels: Sequence[Kernel], blocks: list[Block]
    ) -> dict[Kernel, float]:
        """Log marginal likelihoods of a few rows."""
        n = self.rows(blocks, CHOOSING)
        kernels = [kernel for kernel in kernels if candidate.allows(kernel)]
        if isinstance(candidate, Plain):  # one small matrix instead of a Kronecker product
            grams = [[candidate.gram(kernel, self.X[:n])] * len(blocks) for kernel in kernels]
        else:
            grams = candidate.grams(kernels, blocks, self.X[:n])
        return {
            kernel: sum(self._value(gram, block, n) for gram, block in zip(row, blocks, strict=True))
            for kernel, row in zip(kernels, grams, strict=True)
        }

    def _value(self, gram: Array, block: Block, n: int) -> float:
        Y = block.read(self.Y[:n])
        if len(gram) < len(Y):
            Y = Y.reshape(block.size, n, -1).transpose(1, 0, 2).reshape(n, -1)
        size = max(float(np.trace(gram)) / len(gram), 1e-12)
        return Spectrum.of(gram / size, Y).best()[1]
