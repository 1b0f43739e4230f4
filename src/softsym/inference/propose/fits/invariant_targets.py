r"""Outputs of an equivariant law by numbers that nothing moves.

With equivariant polynomials :math:`E_j(x)` an equivariant law is told by :math:`\langle E_j(x), y \rangle`, which are invariant, as
far as y lies in the span of the E_j; what does not must be noise. Under a scaling, outputs grow with a power of the inputs' size.
Outputs that the algebra leaves alone tell themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softsym.inference.propose.fits.features import Gain
from softsym.inference.propose.fits.invariant_polynomials import Polynomials, invariant_polynomials
from softsym.inference.propose.matrix_action import Action
from softsym.reps import Scalar
from softsym.typing import Array

TARGETS = 12
"""At most so many numbers tell the outputs."""


class Telling(Protocol):
    """Numbers that tell outputs."""

    @property
    def is_bounded(self) -> bool:
        """Whether numbers are no larger than outputs; polynomial laws are then no polynomials of the invariants."""

    def numbers(self, X: Array, Y: Array) -> Array:
        """Of inputs (n, D) and outputs (n, q) in their units: (n, m)."""

    def missed(self, X: Array, Y: Array) -> tuple[float, float]:
        """Mean square of what is not told of outputs without units, and in how many dimensions."""

    @property
    def gain(self) -> Gain | None:
        """How numbers grow with the inputs, if they do."""

    def columns(self, T: Array, target: Action) -> Action:
        """How numbers (n, m) transform."""


class Still:
    """Numbers that nothing moves."""

    gain = None

    def columns(self, T: Array, target: Action) -> Action:
        """Scalars."""
        spread = float(T.std()) or 1.0
        unit = np.maximum(T.std(axis=0), 1e-9 * spread)
        still = np.zeros(T.shape[1], dtype=bool)
        return Action(T.shape[1] * Scalar, target.dim, still, False, unit, T.mean(axis=0))


@dataclass(frozen=True, eq=False)
class Themselves(Still):
    """Outputs that do not move."""

    is_bounded = False

    def numbers(self, X: Array, Y: Array) -> Array:
        """The outputs."""
        return Y

    def missed(self, X: Array, Y: Array) -> tuple[float, float]:
        """Nothing."""
        return 0.0, 0.0


@dataclass(frozen=True, eq=False)
class Growing:
    """Outputs that grow with a power of the inputs' size: they tell themselves, and the fit grows with them.

    Dividing them by that power would leave the same law, but far more noise in rows near zero than elsewhere.

    Args:
        gain: How they grow.
    """

    gain: Gain
    is_bounded = False

    def numbers(self, X: Array, Y: Array) -> Array:
        """The outputs."""
        return Y

    def missed(self, X: Array, Y: Array) -> tuple[float, float]:
        """Nothing."""
        return 0.0, 0.0

    def columns(self, T: Array, target: Action) -> Action:
        """The outputs as they move, without a shift: what grows from zero has none."""
        return replace(target, shift=np.zeros(len(target.unit)))


@dataclass(frozen=True, eq=False)
class ByEquivariants(Still):
    """Outputs by their products with equivariant polynomials.

    Args:
        source: The input columns.
        target: The output columns.
        polynomials: Of the inputs, linear in the outputs.
        sizes: Of each, (m,).
        is_bounded: Whether only their directions are used: where lengths of outputs are kept these tell as much, and the noise of
            the numbers is the same in all rows.
    """

    source: Action
    target: Action
    polynomials: tuple[Polynomials, ...]
    sizes: Array
    is_bounded: bool

    def numbers(self, X: Array, Y: Array) -> Array:
        """Products with the outputs."""
        return np.asarray(np.einsum("nmq,nq->nm", self._values(X), Y / self.target.unit))

    def missed(self, X: Array, Y: Array) -> tuple[float, float]:
        """What lies outside of the span."""
        E, outputs = self._values(X), Y / self.target.unit
        spans = np.linalg.pinv(E, rcond=1e-6) @ E
        rest = outputs - np.einsum("nij,nj->ni", spans, outputs)
        left = outputs.shape[1] - float(np.trace(spans, axis1=1, axis2=2).mean())
        return float(np.mean(np.sum(rest**2, axis=1))), left

    def columns(self, T: Array, target: Action) -> Action:
        """Scalars of one unit: a number that is zero but for noise has as much of it as the others, and must not weigh more."""
        apart = super().columns(T, target)
        return replace(apart, unit=np.full(len(apart.unit), float(np.sqrt(np.mean(apart.unit**2)))))

    def _values(self, X: Array) -> Array:
        """(n, m, q)."""
        E = np.concatenate([one.values(X / self.source.unit) for one in self.polynomials], axis=1)
        sizes = (
            np.sqrt(np.sum(E**2, axis=2, keepdims=True) + 1e-12) if self.is_bounded else self.sizes[:, None]
        )
        return np.asarray(E / sizes)


def telling(
    span: Array,
    source: Action,
    target: Action,
    moving: NDArray[np.intp],
    X: Array,
    *,
    is_scaling: bool,
    is_bounded: bool,
) -> Telling | None:
    """How outputs are told under an algebra (k, d, d); None if no polynomials of a low degree do.

    Args:
        span: The algebra.
        source: The input columns.
        target: The output columns.
        moving: Inputs that it moves.
        X: Rows (n, D) by which sizes are measured.
        is_scaling: Whether it is all multiples of the identity.
        is_bounded: Whether only directions of equivariant polynomials are used.
    """
    rates = target.rates(span)
    if not np.abs(rates).max(initial=0.0) > 1e-12:
        return Themselves()
    if is_scaling:
        powers = np.unique(np.diagonal(target.rates(np.eye(target.dim)[None])[0]))
        return Growing(Gain(moving, float(powers[0]))) if len(powers) == 1 else None
    found: list[Polynomials] = []
    for degree in (0, 1, 2):
        one = invariant_polynomials(span, source, moving, degree, target)
        if len(one) and sum(map(len, found)) + len(one) <= TARGETS:
            found.append(one)
    if not found:
        return None
    sizes = [np.sqrt(np.mean(one.values(X / source.unit) ** 2, axis=(0, 2)) + 1e-300) for one in found]
    return ByEquivariants(source, target, tuple(found), np.concatenate(sizes), is_bounded)


def keeps_lengths(span: Array, target: Action) -> bool:
    """Whether an algebra turns outputs, without stretching them."""
    rates = target.rates(span)
    return bool(np.abs(rates).max() > 0 and np.allclose(rates, -rates.swapaxes(1, 2), atol=1e-9))
