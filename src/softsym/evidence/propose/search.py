r"""How many generators hold exactly.

With more and more eigenvectors of the Lie derivative's null space: as long as none is refuted and every violation is surely below the
tolerance, the largest such span that is a Lie algebra counts, moved onto the nearest algebra, and onto one in round numbers where the
data cannot tell the difference. No direction is chosen before it is tested here that would not pass by right: for an exact symmetry of
dimension k the k-th eigenvalue is at most what the fit's error makes of the true generators (Courant and Fischer), so choosing them on the
same rows makes the test careful, not hasty.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.evidence.propose.action import Action
from softsym.evidence.propose.algebra.closure import angle, nearest_algebra, orthonormal
from softsym.evidence.propose.algebra.round_numbers import rounder
from softsym.evidence.propose.derivative import LEVEL, Defect, LieDerivative
from softsym.evidence.propose.symmetrised import REFINING, symmetrised
from softsym.evidence.verdict import LEAST_EXPLAINED

Array = NDArray[np.float64]
GAP = 1.5
"""Ratio of neighbouring eigenvalues from which the smaller ones may be a symmetry of their own."""
MOST_SIZES, MOST_ROUND = 3, 2
"""So many dimensions are looked at through invariants, and so many algebras in round numbers of each."""
CLOSER = 600
"""Rows of a closer look at most: invariants are few, and fits through them need fewer rows than plain ones."""
REFINEMENTS = 2
"""Times that directions are found again with the better fit."""


@dataclass(frozen=True, eq=False)
class Algebra:
    """A Lie algebra that data suggest.

    Args:
        span: Generators (k, d, d), orthonormal.
        coefficients: Of the eigenvectors within it, (k, K), the most exact first.
        defects: Of those.
        eigenvalues: Of those.
        distance: Degrees between it and the span of the eigenvectors it came from.
    """

    span: Array
    coefficients: Array
    defects: tuple[Defect, ...]
    eigenvalues: tuple[float, ...]
    distance: float = 0.0

    @property
    def is_refuted(self) -> bool:
        """Whether one of the generators is, with the chance of a false alarm shared among them."""
        return any(defect.p_value < LEVEL / len(self.defects) for defect in self.defects)

    @property
    def bound(self) -> float:
        """The largest violation of a generator that is possible."""
        return max((defect.interval[1] for defect in self.defects), default=0.0)


def examined(lie: LieDerivative, span: Array, distance: float = 0.0) -> Algebra:
    """What the fit says about a span (k, d, d)."""
    rows = _coefficients(lie, span)
    values, coefficients = lie.spectrum(rows)
    defects = tuple(lie.defect(one) for one in coefficients)
    return Algebra(span, coefficients, defects, tuple(values.tolist()), distance)


@dataclass(frozen=True, eq=False)
class Search:
    """What was found.

    Args:
        plain: The Lie derivative of the plain fit.
        eigenvalues: Of the plain fit, smallest first.
        vectors: Their coefficients (k, K).
        exact: The largest algebra that holds exactly; None if none does.
        closer: The Lie derivative of the fit that tells so, if it is another; outputs that move are told by invariant numbers there.
    """

    plain: LieDerivative
    eigenvalues: Array
    vectors: Array
    exact: Algebra | None
    closer: LieDerivative | None = None


def search(plain: LieDerivative, target: Action, Y: Array | None, tolerance: float) -> Search:
    """Looks for the largest algebra that holds exactly, with the plain fit and then through invariants.

    Args:
        plain: The Lie derivative of the plain fit.
        target: The output columns.
        Y: Outputs (n, q); None for the plain fit alone.
        tolerance: Relative violation up to which a symmetry counts as exact.
    """
    values, vectors = plain.spectrum()
    exact = _plainly(plain, vectors, tolerance)
    least = 0 if exact is None else len(exact.span)
    for size in [] if Y is None else _sizes(values, least):
        assert Y is not None
        closer = _closer(plain, vectors[:size], target, Y, tolerance)
        if closer is not None:
            return Search(plain, values, vectors, *closer)
    return Search(plain, values, vectors, exact)


def _plainly(lie: LieDerivative, vectors: Array, tolerance: float) -> Algebra | None:
    """The largest algebra that the plain fit tells to be exact."""
    k = 0
    for vector in vectors:
        defect = lie.defect(vector)
        if defect.p_value < LEVEL / (k + 1) or defect.interval[1] > tolerance:
            break
        k += 1
    for size in range(k, 0, -1):
        for candidate in closed_spans(lie, vectors[:size]):
            if not candidate.is_refuted and candidate.bound <= tolerance:
                return candidate
    return None


def _sizes(values: Array, least: int) -> list[int]:
    """Dimensions above one at which eigenvalues show a gap, the largest first."""
    gaps = {k: values[k] / max(values[k - 1], 1e-300) for k in range(least + 1, len(values))}
    widest = sorted((k for k in gaps if gaps[k] > GAP), key=lambda k: -gaps[k])[:MOST_SIZES]
    return sorted(widest, reverse=True)


def _closer(
    plain: LieDerivative, vectors: Array, target: Action, Y: Array, tolerance: float
) -> tuple[Algebra, LieDerivative] | None:
    """The algebra near to a span that holds exactly, as a fit through its invariants tells; None if there is none."""
    X, Y, basis, source = plain.X[:CLOSER], Y[:CLOSER], plain.basis, plain.source
    near = nearest_algebra(orthonormal(np.tensordot(vectors, basis, 1)))
    if near is None:
        return None
    looks = (
        (span, symmetrised(span, source, target, X, Y)) for span in itertools.chain([near], rounder(near))
    )
    span, look = next(((span, look) for span, look in looks if look is not None), (near, None))
    if look is None or look.fit.explained < LEAST_EXPLAINED:
        return None
    if (
        not np.abs(target.rates(basis)).max(initial=0.0) > 0
    ):  # else invariant numbers tell of this algebra alone
        for _ in range(REFINEMENTS):
            again = look.lie(basis, X, max(REFINING, look.highest)).spectrum()[1][: len(vectors)]
            refined = nearest_algebra(orthonormal(np.tensordot(again, basis, 1)))
            better = None if refined is None else symmetrised(refined, source, target, X, Y, look.fit.kernel)
            if refined is None or better is None:
                return None
            span, look = refined, better
    for rounded in itertools.chain(itertools.islice(rounder(span), MOST_ROUND), [span]):
        final = symmetrised(rounded, source, target, X, Y, look.fit.kernel)
        if final is None:
            continue
        lie = final.lie(basis, X, final.highest)
        told = examined(lie, rounded, angle(near, rounded))
        bound = told.bound
        if (
            angle(rounded, span) < 0.01
        ):  # a basis from data is as uncertain as a fit says that is free to show another one
            bound = max(bound, examined(final.lie(basis, X, max(REFINING, final.highest)), span).bound)
        if not told.is_refuted and math.hypot(bound, math.sqrt(final.missed)) <= tolerance:
            return told, lie
    return None


def closed_spans(lie: LieDerivative, vectors: Array) -> Iterator[Algebra]:
    """Algebras near to the span of coefficient vectors (k, K), those in round numbers first, as far as the data allow them."""
    span = orthonormal(np.tensordot(vectors, lie.basis, 1))
    affine = lie.source.affine
    near = nearest_algebra(span)
    for candidate in [] if near is None else rounder(near, affine):
        closed = nearest_algebra(candidate)
        if closed is not None and angle(closed, candidate) < 1e-3:
            one = examined(lie, closed, angle(closed, span))
            if not one.is_refuted:
                yield one
    if near is not None:
        yield examined(lie, near, angle(near, span))


def _coefficients(lie: LieDerivative, span: Array) -> Array:
    """Coefficients (k, K) of matrices in the basis of unit matrices."""
    flat = lie.basis.reshape(len(lie.basis), -1)
    return np.asarray(span.reshape(len(span), -1) @ flat.T)
