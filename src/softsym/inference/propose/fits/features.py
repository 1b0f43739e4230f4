r"""Features of a fit: the inputs, or the invariants of an algebra and a small share of the inputs.

A function with a symmetry is a function of the algebra's invariants I(x) alone. As a function of :math:`(I(x), \varepsilon x)` it has the
symmetry exactly with :math:`\varepsilon = 0` and need not have it with a larger one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from softsym.inference.propose.fits.invariant_polynomials import Invariants
from softsym.inference.propose.matrix_action import Action
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class Gain:
    """A power of the inputs' size, by which a homogeneous function grows.

    Args:
        columns: Inputs that count.
        power: The power.
    """

    columns: NDArray[np.intp]
    power: float

    def values(self, X: Array) -> Array:
        """Of rows (n, D): (n, 1)."""
        return np.asarray(np.mean(X[:, self.columns] ** 2, axis=1, keepdims=True) ** (self.power / 2))

    def slopes(self, X: Array) -> Array:
        """Derivatives by the inputs, (n, 1, D)."""
        moved, out = X[:, self.columns], np.zeros((len(X), 1, X.shape[1]))
        square = np.mean(moved**2, axis=1, keepdims=True)
        out[:, 0, self.columns] = self.power * square ** (self.power / 2 - 1) * moved / len(self.columns)
        return out


@dataclass(frozen=True, eq=False)
class Features:
    """Features of inputs (n, D).

    Args:
        source: The input columns.
        invariants: Functions of the columns in their units.
        still: Invariant columns.
        shift: Taken off the invariants and still columns.
        unit: They are divided by it.
        lean: epsilon.
        is_bent: Whether invariants are compressed to arsinh(I), so that no row lies far from all others.
        gain: One more column, last; None for none.
    """

    source: Action
    invariants: tuple[Invariants, ...] = ()
    still: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    shift: Array = field(default_factory=lambda: np.zeros(0))
    unit: Array = field(default_factory=lambda: np.zeros(0))
    lean: float = 1.0
    is_bent: bool = False
    gain: Gain | None = None

    @classmethod
    def of(
        cls, source: Action, X: Array, invariants: tuple[Invariants, ...], still: NDArray[np.intp]
    ) -> Features:
        """Scaled so that invariants of one degree keep their sizes relative to each other."""
        blocks = [X[:, still], *(one.values(X / source.unit) for one in invariants)]
        units = [np.maximum(X[:, still].std(axis=0), 1e-12)]
        units += [np.full(block.shape[1], max(float(block.std()), 1e-12)) for block in blocks[1:]]
        return cls(
            source, invariants, still, np.concatenate(blocks, axis=1).mean(axis=0), np.concatenate(units)
        )

    def leaning(self, lean: float) -> Features:
        """The same with another share of the inputs."""
        return replace(self, lean=lean)

    def values(self, X: Array) -> Array:
        """Features (n, F) of rows (n, D) in their units."""
        inputs = self.source.scaled(X)
        if not len(self.unit):
            return inputs
        main = np.concatenate(
            [X[:, self.still], *(one.values(X / self.source.unit) for one in self.invariants)], axis=1
        )
        main = (main - self.shift) / self.unit
        all_ = self._together(np.arcsinh(main) if self.is_bent else main, self.lean * inputs)
        return all_ if self.gain is None else np.hstack([all_, self.gain.values(X / self.source.unit)])

    def slopes(self, X: Array) -> Array:
        """Their derivatives by scaled inputs, (n, F, D)."""
        n, D = X.shape
        inputs = np.broadcast_to(np.eye(D), (n, D, D))
        if not len(self.unit):
            return inputs
        still = np.zeros((n, len(self.still), D))
        still[:, np.arange(len(self.still)), self.still] = self.source.unit[self.still]
        main = np.concatenate([still, *(one.slopes(X / self.source.unit) for one in self.invariants)], axis=1)
        main = main / self.unit[:, None]
        if self.is_bent:
            values = np.concatenate(
                [X[:, self.still], *(one.values(X / self.source.unit) for one in self.invariants)], axis=1
            )
            main = main / np.sqrt(1.0 + ((values - self.shift) / self.unit) ** 2)[:, :, None]
        all_ = self._together(main, self.lean * inputs)
        return all_ if self.gain is None else np.hstack([all_, self.gain.slopes(X / self.source.unit)])

    def _together(self, main: Array, rest: Array) -> Array:
        """Both parts as one, each as if it were alone: kernels divide by the number of columns."""
        m, r = main.shape[1], rest.shape[1]
        return np.concatenate([main * np.sqrt((m + r) / m), rest * np.sqrt((m + r) / r)], axis=1)
