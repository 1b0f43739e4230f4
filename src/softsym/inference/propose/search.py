r"""The largest algebra that holds exactly: selected on one part of the rows, tested on the other.

The selection rows propose candidates, the largest first: spans of more and fewer eigenvectors of the Lie derivative's null space, projected
onto the nearest Lie algebra, and onto one in round numbers where the selection rows do not refute it; and spans below a gap of the
eigenvalues, estimated again through their invariants. On the inference rows a candidate holds if none of its generators is refuted and
the upper bound of every violation is below the tolerance. The chance of an error is shared among the candidates, each with
half of what the one before had, so that all of them together claim a false generator as rarely as one would.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from softsym.groups import SO
from softsym.inference.propose.candidates import (
    Algebra,
    Candidate,
    coefficients,
    eigenvector_candidates,
    fit_part,
    frame_of,
    invariant_candidates,
    measure_span,
    moves,
    near_spans,
    sizes_of,
)
from softsym.inference.propose.derivative import LEVEL, LieDerivative
from softsym.inference.propose.fits.invariant_fit import EXCLUDED, InvariantFit
from softsym.inference.propose.sample_split import SplitPart
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class Search:
    """The outcome of a search.

    Args:
        first: The selection rows.
        second: The inference rows.
        eigenvalues: Of the unconstrained fit of the selection rows, smallest first.
        exact: The largest algebra that holds exactly; None if none does.
        invariant_lie: The Lie derivative of the fit through invariants that shows this; None if it is the unconstrained fit.
        rotations: The largest algebra of rotations that holds exactly, by the unconstrained fits; None if none does.
        r2: Leave-one-out R² of the better of both fits.
    """

    first: SplitPart
    second: SplitPart
    eigenvalues: Array
    exact: Algebra | None
    invariant_lie: LieDerivative | None = None
    rotations: Algebra | None = None
    r2: float = 1.0


def search(first: SplitPart, second: SplitPart, tolerance: float, level: float = LEVEL) -> Search:
    """Searches for the largest algebra that holds exactly.

    Args:
        first: The selection rows.
        second: The inference rows.
        tolerance: Relative violation up to which a symmetry counts as exact.
        level: Chance of a false claim.
    """
    values, vectors = first.lie.spectrum()
    unconstrained = _by_unconstrained_fit(second, eigenvector_candidates(first, vectors), tolerance, level)
    least = 0 if unconstrained is None else len(unconstrained.span)
    by_invariants = (
        None
        if first.Y is None
        else _by_invariants(first, second, vectors, sizes_of(values, least), tolerance, level)
    )
    rotations = _rotations_only(first, second, tolerance, level)
    exact, lie = by_invariants or (unconstrained or rotations, None)
    r2 = max(one.fit.r2 for one in (second.lie, lie or second.lie))
    return Search(first, second, values, exact, lie, rotations, r2)


def _rotations_only(first: SplitPart, second: SplitPart, tolerance: float, level: float) -> Algebra | None:
    """The largest algebra of rotations, which may be a part of a larger algebra without a name."""
    d = first.lie.source.dim
    if d < 2 or first.lie.source.affine:
        return None
    rotations = coefficients(first.lie, SO(d).lie_algebra)
    listed = eigenvector_candidates(first, first.lie.spectrum(rotations)[1])
    return _by_unconstrained_fit(second, listed, tolerance, level, rotations)


def _by_unconstrained_fit(
    part: SplitPart, listed: list[Candidate], tolerance: float, level: float, within: Array | None = None
) -> Algebra | None:
    """The first candidate that holds exactly by the unconstrained fit of a part."""
    for one, share in zip(listed, _shared(level), strict=False):
        measured = measure_span(part.lie, one.span, one.distance)
        bound = measured.bound(share)
        refuted = measured.is_refuted if one.is_round else _is_none_there(part.lie, len(one.span), within)
        if not refuted and bound <= tolerance:
            return replace(measured, uncertainty=0.0 if one.is_round else bound)
    return None


def _by_invariants(
    first: SplitPart, second: SplitPart, vectors: Array, sizes: list[int], tolerance: float, level: float
) -> tuple[Algebra, LieDerivative] | None:
    """The largest algebra that holds exactly by fits through invariants."""
    levels = _shared(level)
    for near in near_spans(first, vectors, sizes):
        listed = sorted(invariant_candidates(first, near), key=lambda one: (-len(one.span), not one.is_round))
        fits = [fit_part(second, one.span, one.kernel, is_bounded=one.is_bounded) for one in listed]
        likely = [-math.inf if fitted is None else fitted.likelihood for fitted in fits]
        for place, (one, fitted) in enumerate(zip(listed, fits, strict=True)):
            smaller = [
                value for other, value in zip(listed, likely, strict=True) if len(other.span) < len(one.span)
            ]
            if fitted is None or (
                not moves(second) and max(smaller, default=-math.inf) - likely[place] > EXCLUDED
            ):
                continue  # a smaller algebra explains what this one takes for noise
            tested = _test_candidate(second, one, fitted, tolerance, next(levels))
            if tested is not None:
                return tested
    return None


def _shared(level: float) -> Iterator[float]:
    """Chances of an error for one candidate after the other; the three kinds of candidates together have the level."""
    return (level / 3 / 2 ** (j + 1) for j in itertools.count())


def _test_candidate(
    part: SplitPart, one: Candidate, fitted: InvariantFit, tolerance: float, level: float
) -> tuple[Algebra, LieDerivative] | None:
    """The algebra of a candidate measured by a fit through its invariants, if it holds exactly there."""
    lie = fitted.lie(part.lie.basis, part.X, fitted.highest)
    measured = measure_span(lie, one.span, one.distance)
    bound = math.hypot(measured.bound(level), fitted.undetected_bound(_noise(part), _signal(part), level))
    if bound > tolerance or (one.is_round and measured.is_refuted):
        return None
    if one.is_round:
        return measured, lie
    frame = frame_of(part, fitted, one.span)  # a frame from other rows is a little off, which refutes nothing
    bound = math.hypot(bound, frame.bound(lie.basis, lie.N, level))
    if bound > tolerance or _is_refuted_at(part, frame.transform_span(), one):
        return None
    return replace(measured, uncertainty=bound), lie


def _is_refuted_at(part: SplitPart, span: Array, one: Candidate) -> bool:
    """Whether a part refutes an algebra even in its most likely frame."""
    fitted = fit_part(part, span, one.kernel, is_bounded=one.is_bounded)
    return fitted is None or measure_span(fitted.lie(part.lie.basis, part.X, fitted.highest), span).is_refuted


def _is_none_there(lie: LieDerivative, k: int, within: Array | None) -> bool:
    """Whether a part refutes every span of a dimension: for an exact one its eigenvectors are at least as good (Courant and Fischer)."""
    return any(lie.defect(vector).p_value < LEVEL / k for vector in lie.spectrum(within)[1][:k])


def _noise(part: SplitPart) -> float:
    """Variance of the noise of a scaled output, by the unconstrained fit."""
    return part.fit.scale * part.fit.noise


def _signal(part: SplitPart) -> float:
    assert part.Y is not None
    return float(np.mean(np.sum((part.Y / part.lie.target.unit) ** 2, axis=1)))
