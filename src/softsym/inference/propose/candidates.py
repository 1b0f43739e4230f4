r"""Algebras that one half of the rows proposes.

Spans of more and fewer eigenvectors of the Lie derivative's null space, moved onto the nearest Lie algebra, and onto one in round
numbers where this half cannot tell the difference; and spans below a gap of the eigenvalues, found again through their invariants, with
larger ones that the better fit shows, and smaller ones that their brackets span.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from softsym.inference.propose.algebra.closure import angle, derived, nearest_algebra, orthonormal
from softsym.inference.propose.algebra.round_numbers import is_known, rounder
from softsym.inference.propose.derivative import LEVEL, Defect, LieDerivative
from softsym.inference.propose.fits.frame import Frame
from softsym.inference.propose.fits.invariant_targets import keeps_lengths
from softsym.inference.propose.fits.smooth import SmoothKernel
from softsym.inference.propose.fits.symmetrised import Symmetrised, has_invariants, symmetrised
from softsym.inference.propose.halves import Half
from softsym.inference.verdict import ABSENT_ABOVE, LEAST_EXPLAINED
from softsym.typing import Array

GAP = 1.1
"""Ratio of neighbouring eigenvalues from which the smaller ones may be a symmetry of their own."""
MOST_GAPS, MOST_SIZES, MOST_ROUND = 6, 3, 3
"""So many of the widest gaps are looked at, so many of them through invariants, and so many algebras in round numbers of each."""
REFINEMENTS = 3
"""Steps of the frame towards where the fit through invariants has it."""
DATA_FRAME = 0.01
"""Degrees within which a span is that of the data, not one in round numbers."""


@dataclass(frozen=True, eq=False)
class Algebra:
    """A Lie algebra and what a fit says about it.

    Args:
        span: Generators (k, d, d), orthonormal.
        defects: Of the eigenvectors within it, the most exact first.
        distance: Degrees between it and the span of the eigenvectors it came from.
        uncertainty: The largest violation that was not excluded, of a frame from data; zero for one in round numbers.
    """

    span: Array
    defects: tuple[Defect, ...]
    distance: float = 0.0
    uncertainty: float = 0.0

    @property
    def is_refuted(self) -> bool:
        """Whether one of the generators is, with the chance of a false alarm shared among them."""
        return any(defect.p_value < LEVEL / len(self.defects) for defect in self.defects)

    def bound(self, level: float = LEVEL) -> float:
        """The largest violation of a generator that is possible, up to a chance."""
        return max((defect.most(level) for defect in self.defects), default=0.0)


@dataclass(frozen=True, eq=False)
class Candidate:
    """An algebra to test.

    Args:
        span: Generators (k, d, d), orthonormal.
        distance: Degrees between it and the span of the eigenvectors it came from.
        kernel: Of the fit through its invariants; None for the plain fit.
        is_round: Whether it is in round numbers.
        is_bounded: Whether only directions of equivariant polynomials tell outputs.
    """

    span: Array
    distance: float
    kernel: SmoothKernel | None
    is_round: bool
    is_bounded: bool = False


def examined(lie: LieDerivative, span: Array, distance: float = 0.0) -> Algebra:
    """What the fit says about a span (k, d, d)."""
    vectors = lie.spectrum(coefficients(lie, span))[1]
    return Algebra(span, tuple(lie.defect(one) for one in vectors), distance)


def plain_candidates(half: Half, vectors: Array) -> list[Candidate]:
    """Algebras that a half does not refute and that are surely not absent there, the largest first, one of each dimension."""
    lie, k = half.lie, 0
    for vector in vectors:
        defect = lie.defect(vector)
        if defect.p_value < LEVEL / (k + 1) or defect.interval[1] > ABSENT_ABOVE:
            break
        k += 1
    found = []
    for size in range(k, 0, -1):
        allowed = (one for one in closed_spans(lie, vectors[:size]) if not one[0].is_refuted)
        found += [
            Candidate(told.span, told.distance, None, is_round)
            for told, is_round in itertools.islice(allowed, 1)
        ]
    return found


def sizes_of(values: Array, least: int) -> list[int]:
    """Dimensions above one at which eigenvalues show a gap, the widest first."""
    gaps = {k: values[k] / max(values[k - 1], 1e-300) for k in range(least + 1, len(values))}
    return sorted((k for k in gaps if gaps[k] > GAP), key=lambda k: -gaps[k])[:MOST_GAPS]


def near_spans(half: Half, vectors: Array, sizes: list[int]) -> list[Array]:
    """The algebras near to spans of so many eigenvectors that have invariants, of the widest gaps, the largest first."""
    spans: list[Array] = []
    for size in sizes:
        if len(spans) == MOST_SIZES:
            break
        near = nearest_algebra(orthonormal(np.tensordot(vectors[:size], half.lie.basis, 1)))
        if near is not None:
            listed = itertools.chain([near], itertools.islice(rounder(near), MOST_ROUND))
            spans += [near] if any(has_invariants(one, half.lie.source) for one in listed) else []
    return sorted(spans, key=lambda span: -len(span))


def closer_candidates(half: Half, near: Array) -> Iterator[Candidate]:
    """Algebras near to one, as fits through their invariants tell: it, a larger one that its fit shows, what their brackets span."""
    refined = _refined(half, near)
    if refined is None:
        return
    span, look = refined
    yield from _in_round_numbers(half, near, span, look)
    if not moves(half):
        for larger in (_grown(half, span, look), _with_scaling(half, span)):
            if larger is not None:
                yield from _in_round_numbers(half, near, *larger)
    brackets = derived(span)
    if 0 < len(brackets) < len(span):
        smaller = _refined(half, brackets)
        if smaller is not None:
            yield from _in_round_numbers(half, brackets, *smaller)


def _refined(half: Half, near: Array) -> tuple[Array, Symmetrised] | None:
    """The algebra near to one that is most likely, and the data seen through its invariants; None if these tell nothing."""
    start = _start(half, near)
    if start is None:
        return None
    span, sharp = start
    for _ in range(REFINEMENTS):
        if sharp is not None:
            span = frame_of(half, sharp, span).moved()
            sharp = look_at(half, span, sharp.fit.kernel, is_sharp=True)
    final = _best_look(half, span)  # a kernel that suited a frame that was off need not suit it
    return None if final is None else (span, final)


def _start(half: Half, near: Array) -> tuple[Array, Symmetrised | None] | None:
    """An algebra, or one in round numbers near to it if it has no invariants that tell anything, seen through them."""
    look = look_at(half, near, is_sharp=True)
    if look is not None and look.fit.mostly_explained > LEAST_EXPLAINED:
        return near, look
    looks = [(one, look_at(half, one, is_sharp=True)) for one in itertools.islice(rounder(near), MOST_ROUND)]
    told = [(look.fit.mostly_explained, one, look) for one, look in looks if look is not None]
    best = max(told, key=lambda one: one[0], default=None)
    return None if best is None or best[0] < LEAST_EXPLAINED else best[1:]


def _grown(half: Half, span: Array, look: Symmetrised) -> tuple[Array, Symmetrised] | None:
    """A larger algebra that the better fit through the invariants of a smaller one shows."""
    values, vectors = look.lie(half.lie.basis, half.X).spectrum()
    sizes = [k for k in sizes_of(values, len(span)) if values[k - 1] < ABSENT_ABOVE**2]
    spans = near_spans(half, vectors, sizes[:1])
    return _refined(half, spans[0]) if spans else None


def _with_scaling(half: Half, span: Array) -> tuple[Array, Symmetrised] | None:
    """An algebra and all multiples of the identity: laws of directions are steep near zero, and plain fits do not see that they scale."""
    together = orthonormal(np.concatenate([span, np.eye(span.shape[-1])[None]]))
    if len(together) == len(span):
        return None
    looks = (look_at(half, one) for one in itertools.islice(rounder(together), MOST_ROUND))
    told = next((look for look in looks if look is not None), None)
    return None if told is None else (together, told)


def _in_round_numbers(half: Half, near: Array, span: Array, look: Symmetrised) -> Iterator[Candidate]:
    """An algebra in round numbers if a half cannot tell the difference, then as it is."""
    kernel = look.fit.kernel
    for rounded in itertools.islice(rounder(span), MOST_ROUND):
        if angle(rounded, span) < DATA_FRAME:
            break
        final = _best_look(half, rounded) if moves(half) else look_at(half, rounded, kernel)
        if (
            final is not None
            and not examined(final.lie(half.lie.basis, half.X, final.highest), rounded).is_refuted
        ):
            yield Candidate(
                rounded, angle(near, rounded), final.fit.kernel, is_known(rounded), final.telling.is_bounded
            )
            break
    yield Candidate(span, angle(near, span), kernel, False, look.telling.is_bounded)


def look_at(
    half: Half,
    span: Array,
    kernel: SmoothKernel | None = None,
    *,
    is_sharp: bool = False,
    is_bounded: bool = False,
) -> Symmetrised | None:
    """A half seen through the invariants of an algebra (k, d, d); None if it has none."""
    assert half.Y is not None
    source, target = half.lie.source, half.lie.target
    return symmetrised(span, source, target, half.X, half.Y, kernel, is_sharp=is_sharp, is_bounded=is_bounded)


def _best_look(half: Half, span: Array) -> Symmetrised | None:
    """Outputs told by equivariant polynomials or by their directions, whichever explains more."""
    kinds = (False, True) if keeps_lengths(span, half.lie.target) else (False,)
    looks = [look for look in (look_at(half, span, is_bounded=kind) for kind in kinds) if look is not None]
    return max(looks, key=lambda look: look.fit.mostly_explained, default=None)


def closed_spans(lie: LieDerivative, vectors: Array) -> Iterator[tuple[Algebra, bool]]:
    """Algebras near to the span of coefficient vectors (k, K), those in round numbers first, and whether they are."""
    span = orthonormal(np.tensordot(vectors, lie.basis, 1))
    near = nearest_algebra(span)
    for candidate in [] if near is None else rounder(near, lie.source.affine):
        closed = nearest_algebra(candidate)
        if closed is not None and angle(closed, candidate) < 1e-3:
            yield examined(lie, closed, angle(closed, span)), is_known(closed, lie.source.affine)
    if near is not None:
        yield examined(lie, near, angle(near, span)), False


def frame_of(half: Half, look: Symmetrised, span: Array) -> Frame:
    """What a half tells about the frame of an algebra (k, d, d)."""
    assert half.Y is not None
    return Frame.of(look, half.lie.target, half.lie.basis, half.X, half.Y, span)


def moves(half: Half) -> bool:
    """Whether outputs are anything but scalars."""
    return half.lie.target.moves(half.lie.basis)


def coefficients(lie: LieDerivative, span: Array) -> Array:
    """Coefficients (k, K) of matrices in the basis of unit matrices."""
    flat = lie.basis.reshape(len(lie.basis), -1)
    return np.asarray(span.reshape(len(span), -1) @ flat.T)
