r"""Candidate algebras of the selection rows.

Spans of more and fewer eigenvectors of the Lie derivative's null space, projected onto the nearest Lie algebra, and onto one in round
numbers where the rows do not refute it; and spans below a gap of the eigenvalues, estimated again through their invariants, with
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
from softsym.inference.propose.fits.invariant_fit import InvariantFit, fit_invariants, has_invariants
from softsym.inference.propose.fits.invariant_targets import keeps_lengths
from softsym.inference.propose.fits.smooth import SmoothKernel
from softsym.inference.propose.sample_split import SplitPart
from softsym.inference.verdict import ABSENT_ABOVE, LEAST_R2
from softsym.typing import Array

GAP = 1.1
"""Ratio of neighbouring eigenvalues from which the smaller ones may be a symmetry of their own."""
MOST_GAPS, MOST_SIZES, MOST_ROUND = 6, 3, 3
"""So many of the widest gaps are considered, so many of them through invariants, and so many algebras in round numbers of each."""
REFINEMENTS = 3
"""Steps of the frame towards its estimate by the fit through invariants."""
DATA_FRAME = 0.01
"""Degrees within which a span is that of the data, not one in round numbers."""


@dataclass(frozen=True, eq=False)
class Algebra:
    """A Lie algebra and the defects of its generators by a fit.

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
        kernel: Of the fit through its invariants; None for the unconstrained fit.
        is_round: Whether it is in round numbers.
        is_bounded: Whether targets are products with directions of equivariant polynomials.
    """

    span: Array
    distance: float
    kernel: SmoothKernel | None
    is_round: bool
    is_bounded: bool = False


def measure_span(lie: LieDerivative, span: Array, distance: float = 0.0) -> Algebra:
    """The defects of a span (k, d, d) by a fit."""
    vectors = lie.spectrum(coefficients(lie, span))[1]
    return Algebra(span, tuple(lie.defect(one) for one in vectors), distance)


def eigenvector_candidates(part: SplitPart, vectors: Array) -> list[Candidate]:
    """Algebras that a part does not refute and whose violation is bounded, the largest first, one of each dimension."""
    lie, k = part.lie, 0
    for vector in vectors:
        defect = lie.defect(vector)
        if defect.p_value < LEVEL / (k + 1) or defect.interval[1] > ABSENT_ABOVE:
            break
        k += 1
    found = []
    for size in range(k, 0, -1):
        allowed = (one for one in closed_spans(lie, vectors[:size]) if not one[0].is_refuted)
        found += [
            Candidate(algebra.span, algebra.distance, None, is_round)
            for algebra, is_round in itertools.islice(allowed, 1)
        ]
    return found


def sizes_of(values: Array, least: int) -> list[int]:
    """Dimensions above one at which eigenvalues show a gap, the widest first."""
    gaps = {k: values[k] / max(values[k - 1], 1e-300) for k in range(least + 1, len(values))}
    return sorted((k for k in gaps if gaps[k] > GAP), key=lambda k: -gaps[k])[:MOST_GAPS]


def near_spans(part: SplitPart, vectors: Array, sizes: list[int]) -> list[Array]:
    """The algebras near to spans of so many eigenvectors that have invariants, of the widest gaps, the largest first."""
    spans: list[Array] = []
    for size in sizes:
        if len(spans) == MOST_SIZES:
            break
        near = nearest_algebra(orthonormal(np.tensordot(vectors[:size], part.lie.basis, 1)))
        if near is not None:
            listed = itertools.chain([near], itertools.islice(rounder(near), MOST_ROUND))
            spans += [near] if any(has_invariants(one, part.lie.source) for one in listed) else []
    return sorted(spans, key=lambda span: -len(span))


def invariant_candidates(part: SplitPart, near: Array) -> Iterator[Candidate]:
    """Algebras near to one by fits through their invariants: it, a larger one that its fit shows, the span of their brackets."""
    refined = _refine(part, near)
    if refined is None:
        return
    span, fitted = refined
    yield from _in_round_numbers(part, near, span, fitted)
    if not moves(part):
        for larger in (_enlarge(part, span, fitted), _with_scaling(part, span)):
            if larger is not None:
                yield from _in_round_numbers(part, near, *larger)
    brackets = derived(span)
    if 0 < len(brackets) < len(span):
        smaller = _refine(part, brackets)
        if smaller is not None:
            yield from _in_round_numbers(part, brackets, *smaller)


def _refine(part: SplitPart, near: Array) -> tuple[Array, InvariantFit] | None:
    """The algebra near to one that is most likely, and the fit through its invariants; None if that explains nothing."""
    start = _start(part, near)
    if start is None:
        return None
    span, sharp = start
    for _ in range(REFINEMENTS):
        if sharp is not None:
            span = frame_of(part, sharp, span).transform_span()
            sharp = fit_part(part, span, sharp.fit.kernel, is_sharp=True)
    final = _best_fit(part, span)  # the kernel of another frame need not suit this one
    return None if final is None else (span, final)


def _start(part: SplitPart, near: Array) -> tuple[Array, InvariantFit | None] | None:
    """An algebra, or one in round numbers near to it if its invariants explain nothing, and the fit through them."""
    fitted = fit_part(part, near, is_sharp=True)
    if fitted is not None and fitted.fit.trimmed_r2 > LEAST_R2:
        return near, fitted
    fits = [(one, fit_part(part, one, is_sharp=True)) for one in itertools.islice(rounder(near), MOST_ROUND)]
    measured = [(fitted.fit.trimmed_r2, one, fitted) for one, fitted in fits if fitted is not None]
    best = max(measured, key=lambda one: one[0], default=None)
    return None if best is None or best[0] < LEAST_R2 else best[1:]


def _enlarge(part: SplitPart, span: Array, fitted: InvariantFit) -> tuple[Array, InvariantFit] | None:
    """A larger algebra that the better fit through the invariants of a smaller one shows."""
    values, vectors = fitted.lie(part.lie.basis, part.X).spectrum()
    sizes = [k for k in sizes_of(values, len(span)) if values[k - 1] < ABSENT_ABOVE**2]
    spans = near_spans(part, vectors, sizes[:1])
    return _refine(part, spans[0]) if spans else None


def _with_scaling(part: SplitPart, span: Array) -> tuple[Array, InvariantFit] | None:
    """An algebra and all multiples of the identity: functions of directions are steep near zero, where unconstrained fits are poor."""
    together = orthonormal(np.concatenate([span, np.eye(span.shape[-1])[None]]))
    if len(together) == len(span):
        return None
    fits = (fit_part(part, one) for one in itertools.islice(rounder(together), MOST_ROUND))
    measured = next((fitted for fitted in fits if fitted is not None), None)
    return None if measured is None else (together, measured)


def _in_round_numbers(part: SplitPart, near: Array, span: Array, fitted: InvariantFit) -> Iterator[Candidate]:
    """An algebra in round numbers if a part does not refute it, then the algebra itself."""
    kernel = fitted.fit.kernel
    for rounded in itertools.islice(rounder(span), MOST_ROUND):
        if angle(rounded, span) < DATA_FRAME:
            break
        final = _best_fit(part, rounded) if moves(part) else fit_part(part, rounded, kernel)
        if (
            final is not None
            and not measure_span(final.lie(part.lie.basis, part.X, final.highest), rounded).is_refuted
        ):
            yield Candidate(
                rounded,
                angle(near, rounded),
                final.fit.kernel,
                is_known(rounded),
                final.invariant_targets.is_bounded,
            )
            break
    yield Candidate(span, angle(near, span), kernel, False, fitted.invariant_targets.is_bounded)


def fit_part(
    part: SplitPart,
    span: Array,
    kernel: SmoothKernel | None = None,
    *,
    is_sharp: bool = False,
    is_bounded: bool = False,
) -> InvariantFit | None:
    """The fit of a part through the invariants of an algebra (k, d, d); None if it has none."""
    assert part.Y is not None
    source, target = part.lie.source, part.lie.target
    return fit_invariants(
        span, source, target, part.X, part.Y, kernel, is_sharp=is_sharp, is_bounded=is_bounded
    )


def _best_fit(part: SplitPart, span: Array) -> InvariantFit | None:
    """The fit of products with equivariant polynomials or with their directions, whichever explains more."""
    kinds = (False, True) if keeps_lengths(span, part.lie.target) else (False,)
    fits = [
        fitted for fitted in (fit_part(part, span, is_bounded=kind) for kind in kinds) if fitted is not None
    ]
    return max(fits, key=lambda fitted: fitted.fit.trimmed_r2, default=None)


def closed_spans(lie: LieDerivative, vectors: Array) -> Iterator[tuple[Algebra, bool]]:
    """Algebras near to the span of coefficient vectors (k, K), those in round numbers first, and whether they are."""
    span = orthonormal(np.tensordot(vectors, lie.basis, 1))
    near = nearest_algebra(span)
    for candidate in [] if near is None else rounder(near, lie.source.affine):
        closed = nearest_algebra(candidate)
        if closed is not None and angle(closed, candidate) < 1e-3:
            yield measure_span(lie, closed, angle(closed, span)), is_known(closed, lie.source.affine)
    if near is not None:
        yield measure_span(lie, near, angle(near, span)), False


def frame_of(part: SplitPart, fitted: InvariantFit, span: Array) -> Frame:
    """The frame of an algebra (k, d, d) estimated on a part."""
    assert part.Y is not None
    return Frame.of(fitted, part.lie.target, part.lie.basis, part.X, part.Y, span)


def moves(part: SplitPart) -> bool:
    """Whether outputs are anything but scalars."""
    return part.lie.target.moves(part.lie.basis)


def coefficients(lie: LieDerivative, span: Array) -> Array:
    """Coefficients (k, K) of matrices in the basis of unit matrices."""
    flat = lie.basis.reshape(len(lie.basis), -1)
    return np.asarray(span.reshape(len(span), -1) @ flat.T)
