r"""How many generators hold exactly: proposed on one half of the rows, tested on the other.

The first half proposes candidates, the largest first: spans of more and fewer eigenvectors of the Lie derivative's null space, moved
onto the nearest Lie algebra, and onto one in round numbers where the first half cannot tell the difference; and spans below a gap of the
eigenvalues, found again through their invariants. The second half has seen none of this. There a candidate holds if none of its
generators is refuted and every violation is surely below the tolerance. The chance of an error is shared among the candidates, each with
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
    closer_candidates,
    coefficients,
    examined,
    frame_of,
    look_at,
    moves,
    near_spans,
    plain_candidates,
    sizes_of,
)
from softsym.inference.propose.derivative import LEVEL, LieDerivative
from softsym.inference.propose.fits.symmetrised import EXCLUDED, Symmetrised
from softsym.inference.propose.halves import Half
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class Search:
    """What was found.

    Args:
        first: The half that proposes.
        second: The half that tests.
        eigenvalues: Of the first half's plain fit, smallest first.
        exact: The largest algebra that holds exactly; None if none does.
        closer: The Lie derivative of the fit that tells so, if it is another; outputs that move are told by invariant numbers there.
        turns: The largest algebra of turns that holds exactly, by the plain fits; None if none does.
        explained: Share of the variance that the better of both fits explains.
    """

    first: Half
    second: Half
    eigenvalues: Array
    exact: Algebra | None
    closer: LieDerivative | None = None
    turns: Algebra | None = None
    explained: float = 1.0


def search(first: Half, second: Half, tolerance: float, level: float = LEVEL) -> Search:
    """Looks for the largest algebra that holds exactly.

    Args:
        first: The half that proposes.
        second: The half that tests.
        tolerance: Relative violation up to which a symmetry counts as exact.
        level: Chance of claiming what is not.
    """
    values, vectors = first.lie.spectrum()
    plain = _plainly(second, plain_candidates(first, vectors), tolerance, level)
    least = 0 if plain is None else len(plain.span)
    closer = (
        None
        if first.Y is None
        else _closely(first, second, vectors, sizes_of(values, least), tolerance, level)
    )
    turns = _turning(first, second, tolerance, level)
    exact, lie = closer or (plain or turns, None)
    explained = max(one.fit.explained for one in (second.lie, lie or second.lie))
    return Search(first, second, values, exact, lie, turns, explained)


def _turning(first: Half, second: Half, tolerance: float, level: float) -> Algebra | None:
    """The largest algebra of turns: what people look for first, and what a larger algebra without a name may hide."""
    d = first.lie.source.dim
    if d < 2 or first.lie.source.affine:
        return None
    turns = coefficients(first.lie, SO(d).lie_algebra)
    listed = plain_candidates(first, first.lie.spectrum(turns)[1])
    return _plainly(second, listed, tolerance, level, turns)


def _plainly(
    half: Half, listed: list[Candidate], tolerance: float, level: float, within: Array | None = None
) -> Algebra | None:
    """The first of candidates that holds exactly, as the plain fit of a half tells."""
    for one, share in zip(listed, _shared(level), strict=False):
        told = examined(half.lie, one.span, one.distance)
        bound = told.bound(share)
        refuted = told.is_refuted if one.is_round else _is_none_there(half.lie, len(one.span), within)
        if not refuted and bound <= tolerance:
            return replace(told, uncertainty=0.0 if one.is_round else bound)
    return None


def _closely(
    first: Half, second: Half, vectors: Array, sizes: list[int], tolerance: float, level: float
) -> tuple[Algebra, LieDerivative] | None:
    """The largest algebra that holds exactly, as fits through invariants tell."""
    levels = _shared(level)
    for near in near_spans(first, vectors, sizes):
        listed = sorted(closer_candidates(first, near), key=lambda one: (-len(one.span), not one.is_round))
        looks = [look_at(second, one.span, one.kernel, is_bounded=one.is_bounded) for one in listed]
        likely = [-math.inf if look is None else look.likelihood for look in looks]
        for place, (one, look) in enumerate(zip(listed, looks, strict=True)):
            smaller = [
                value for other, value in zip(listed, likely, strict=True) if len(other.span) < len(one.span)
            ]
            if look is None or (
                not moves(second) and max(smaller, default=-math.inf) - likely[place] > EXCLUDED
            ):
                continue  # a smaller algebra explains what this one takes for noise
            told = _tested(second, one, look, tolerance, next(levels))
            if told is not None:
                return told
    return None


def _shared(level: float) -> Iterator[float]:
    """Chances of an error for one candidate after the other; plain, closer and turning ones together have the level."""
    return (level / 3 / 2 ** (j + 1) for j in itertools.count())


def _tested(
    half: Half, one: Candidate, look: Symmetrised, tolerance: float, level: float
) -> tuple[Algebra, LieDerivative] | None:
    """A candidate with what a half says about it through its invariants, if it holds exactly there."""
    lie = look.lie(half.lie.basis, half.X, look.highest)
    told = examined(lie, one.span, one.distance)
    bound = math.hypot(told.bound(level), look.unseen(_noise(half), _signal(half), level))
    if bound > tolerance or (one.is_round and told.is_refuted):
        return None
    if one.is_round:
        return told, lie
    frame = frame_of(half, look, one.span)  # a frame from other rows is a little off, which refutes nothing
    bound = math.hypot(bound, frame.bound(lie.basis, lie.N, level))
    if bound > tolerance or _is_refuted_at(half, frame.moved(), one):
        return None
    return replace(told, uncertainty=bound), lie


def _is_refuted_at(half: Half, span: Array, one: Candidate) -> bool:
    """Whether a half refutes an algebra even in the frame that suits it best."""
    look = look_at(half, span, one.kernel, is_bounded=one.is_bounded)
    return look is None or examined(look.lie(half.lie.basis, half.X, look.highest), span).is_refuted


def _is_none_there(lie: LieDerivative, k: int, within: Array | None) -> bool:
    """Whether a half refutes every span of a dimension: for an exact one its eigenvectors are at least as good (Courant and Fischer)."""
    return any(lie.defect(vector).p_value < LEVEL / k for vector in lie.spectrum(within)[1][:k])


def _noise(half: Half) -> float:
    """Variance of the noise of a scaled output, by the plain fit."""
    return half.fit.scale * half.fit.noise


def _signal(half: Half) -> float:
    assert half.Y is not None
    return float(np.mean(np.sum((half.Y / half.lie.target.unit) ** 2, axis=1)))
