r"""Invariant targets: scalars that determine the outputs of an equivariant function.

With equivariant polynomials :math:`E_j(x)` an equivariant function is determined by the products :math:`\langle E_j(x), y \rangle`, which
are invariant, as far as y lies in the span of the E_j; the rest must be noise. Under a scaling, outputs are homogeneous functions of the
inputs. Invariant outputs are their own targets.
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
"""At most so many targets are used."""


class InvariantTargets(Protocol):
    """Invariant targets of outputs."""

    @property
    def is_bounded(self) -> bool:
        """Whether targets are no larger than outputs; they are then no polynomials of the invariants where outputs are polynomials."""

    def values(self, X: Array, Y: Array) -> Array:
        """Of inputs (n, D) and outputs (n, q) in their units: (n, m)."""

    def residual(self, X: Array, Y: Array) -> tuple[float, float]:
        """Mean square of the part of the scaled outputs that targets do not determine, and its number of dimensions."""

    @property
    def gain(self) -> Gain | None:
        """How targets grow with the inputs, if they do."""

    def columns(self, T: Array, target: Action) -> Action:
        """How targets (n, m) transform."""


class Scalars:
    """Targets that are scalars."""

    gain = None

    def columns(self, T: Array, target: Action) -> Action:
        """Scalars."""
        std = float(T.std()) or 1.0
        unit = np.maximum(T.std(axis=0), 1e-9 * std)
        still = np.zeros(T.shape[1], dtype=bool)
        return Action(T.shape[1] * Scalar, target.dim, still, False, unit, T.mean(axis=0))


@dataclass(frozen=True, eq=False)
class Identity(Scalars):
    """Outputs that are invariant themselves."""

    is_bounded = False

    def values(self, X: Array, Y: Array) -> Array:
        """The outputs."""
        return Y

    def residual(self, X: Array, Y: Array) -> tuple[float, float]:
        """Zero: targets determine the outputs."""
        return 0.0, 0.0


@dataclass(frozen=True, eq=False)
class Homogeneous:
    """Outputs that are homogeneous functions of the inputs: they are their own targets, and the fit grows with them.

    Dividing them by the power of the inputs' size would amplify the noise of rows near zero.

    Args:
        gain: How they grow.
    """

    gain: Gain
    is_bounded = False

    def values(self, X: Array, Y: Array) -> Array:
        """The outputs."""
        return Y

    def residual(self, X: Array, Y: Array) -> tuple[float, float]:
        """Zero: targets determine the outputs."""
        return 0.0, 0.0

    def columns(self, T: Array, target: Action) -> Action:
        """The columns of the outputs, without a shift: a homogeneous function has none."""
        return replace(target, shift=np.zeros(len(target.unit)))


@dataclass(frozen=True, eq=False)
class EquivariantProducts(Scalars):
    """Outputs by their products with equivariant polynomials.

    Args:
        source: The input columns.
        target: The output columns.
        polynomials: Of the inputs, linear in the outputs.
        sizes: Of each, (m,).
        is_bounded: Whether only their directions are used: where lengths of outputs are invariant these determine as much, and the
            noise of the targets is the same in all rows.
    """

    source: Action
    target: Action
    polynomials: tuple[Polynomials, ...]
    sizes: Array
    is_bounded: bool

    def values(self, X: Array, Y: Array) -> Array:
        """Products with the outputs."""
        return np.asarray(np.einsum("nmq,nq->nm", self._values(X), Y / self.target.unit))

    def residual(self, X: Array, Y: Array) -> tuple[float, float]:
        """The part outside of the span."""
        E, outputs = self._values(X), Y / self.target.unit
        spans = np.linalg.pinv(E, rcond=1e-6) @ E
        rest = outputs - np.einsum("nij,nj->ni", spans, outputs)
        left = outputs.shape[1] - float(np.trace(spans, axis1=1, axis2=2).mean())
        return float(np.mean(np.sum(rest**2, axis=1))), left

    def columns(self, T: Array, target: Action) -> Action:
        """Scalars of one unit: a target that is only noise has as much of it as the others, and must not weigh more."""
        apart = super().columns(T, target)
        return replace(apart, unit=np.full(len(apart.unit), float(np.sqrt(np.mean(apart.unit**2)))))

    def _values(self, X: Array) -> Array:
        """(n, m, q)."""
        E = np.concatenate([one.values(X / self.source.unit) for one in self.polynomials], axis=1)
        sizes = (
            np.sqrt(np.sum(E**2, axis=2, keepdims=True) + 1e-12) if self.is_bounded else self.sizes[:, None]
        )
        return np.asarray(E / sizes)


def invariant_targets(
    span: Array,
    source: Action,
    target: Action,
    moving: NDArray[np.intp],
    X: Array,
    *,
    is_scaling: bool,
    is_bounded: bool,
) -> InvariantTargets | None:
    """The invariant targets under an algebra (k, d, d); None if polynomials of a low degree give none.

    Args:
        span: The algebra.
        source: The input columns.
        target: The output columns.
        moving: Inputs that it transforms.
        X: Rows (n, D) by which sizes are measured.
        is_scaling: Whether it is all multiples of the identity.
        is_bounded: Whether only directions of equivariant polynomials are used.
    """
    rates = target.rates(span)
    if not np.abs(rates).max(initial=0.0) > 1e-12:
        return Identity()
    if is_scaling:
        powers = np.unique(np.diagonal(target.rates(np.eye(target.dim)[None])[0]))
        return Homogeneous(Gain(moving, float(powers[0]))) if len(powers) == 1 else None
    found: list[Polynomials] = []
    for degree in (0, 1, 2):
        one = invariant_polynomials(span, source, moving, degree, target)
        if len(one) and sum(map(len, found)) + len(one) <= TARGETS:
            found.append(one)
    if not found:
        return None
    sizes = [np.sqrt(np.mean(one.values(X / source.unit) ** 2, axis=(0, 2)) + 1e-300) for one in found]
    return EquivariantProducts(source, target, tuple(found), np.concatenate(sizes), is_bounded)


def keeps_lengths(span: Array, target: Action) -> bool:
    """Whether an algebra acts on outputs by rotations."""
    rates = target.rates(span)
    return bool(np.abs(rates).max() > 0 and np.allclose(rates, -rates.swapaxes(1, 2), atol=1e-9))
