"""Rows, groups and lattice of a proposal, from the outcome of a search."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from softsym.errors import UnclearNullSpaceWarning
from softsym.groups import SO, SO13, Group, Lorentz, O, SO13p, Translation
from softsym.inference.lattice import contains
from softsym.inference.propose.algebra.closure import is_closed, orthonormal
from softsym.inference.propose.algebra.recognise import Recognised, recognise, rounded_axis
from softsym.inference.propose.algebra.words import generator_words
from softsym.inference.propose.derivative import LEVEL, Defect, LieDerivative
from softsym.inference.propose.discrete import CandidateDefect
from softsym.inference.propose.proposal import ProposalRow
from softsym.inference.propose.search import Search
from softsym.inference.verdict import ABSENT_ABOVE, Verdict
from softsym.typing import Array

MOST_SOFT = 3
"""Discrete elements that hold softly are shown at most."""
MOST_PARTS = 4
"""Discrete groups that are listed next to the one that all generate."""


def generator_rows(found: Search, tolerance: float) -> list[ProposalRow]:
    """One row for each exact generator, and for each further direction that is softly one."""
    rows = []
    basis, affine = found.second.lie.basis, found.second.lie.source.affine
    if found.exact is not None:
        for A, defect, value in zip(found.exact.span, *_exact_defects(found), strict=True):
            rows.append(_generator_row(A, defect, value, "exact", affine))
    for vector, value, defect in soft_directions(found):
        A = np.tensordot(vector, basis, 1)
        verdict = _verdict(defect, tolerance)
        if verdict == "undecided" and found.exact is not None and found.invariant_lie is not None:
            continue  # the unconstrained fit is too poor to add to the fit through invariants
        rows.append(_generator_row(A / np.linalg.norm(A), defect, float(value), verdict, affine))
    return rows


def soft_directions(found: Search) -> list[tuple[Array, float, Defect]]:
    """Rotations (with points, translations too) outside the exact algebra, and scaling, of small violation by the unconstrained fits."""
    lie = found.first.lie
    exact = np.zeros((0, len(lie.basis))) if found.exact is None else _in_basis(lie, found.exact.span)
    small = []
    for matrices in _soft_spans(lie):
        inside = _in_basis(lie, orthonormal(matrices))
        rest = inside - (inside @ exact.T) @ exact
        sizes, rows = np.linalg.svd(rest, full_matrices=False)[1:]
        rest = rows[sizes > 0.1]  # a small remainder of an exact direction is no further direction
        for value, vector in zip(*lie.spectrum(rest), strict=True) if len(rest) else ():
            defect = found.second.lie.defect(vector) if math.sqrt(value) < ABSENT_ABOVE else None
            if defect is not None and defect.interval[1] < ABSENT_ABOVE:
                small.append((vector, float(value), defect))
    return small


def _soft_spans(lie: LieDerivative) -> list[Array]:
    """Spans in which soft symmetries are sought: rotations, scaling, translations."""
    d, affine = lie.source.dim, lie.source.affine
    spans = [SO(d).lie_algebra] if d > 1 else []
    spans.append(np.eye(d)[None])
    if affine:
        spans = [np.pad(span, ((0, 0), (0, 1), (0, 1))) for span in spans] + [Translation(d).lie_algebra]
    return spans


def discrete_rows(
    tried: Sequence[CandidateDefect], listed: Sequence[Group], tolerance: float
) -> list[ProposalRow]:
    """One row for each discrete element of the listed groups, for those that may hold, and for a few that hold softly."""
    soft = [each for each in tried if _verdict(each.defect, tolerance) == "soft"]
    return [
        ProposalRow(
            each.candidate.name, _verdict(each.defect, tolerance), "discrete", _tuples(each.candidate.element), math.nan,
            each.defect.p_value, each.defect.violation, each.defect.interval, each.candidate.group.text,
        )
        for each in tried
        if each.defect.interval[1] < ABSENT_ABOVE
        and each not in soft[MOST_SOFT:]
        and (_verdict(each.defect, tolerance) != "exact" or each.candidate.group in listed)
    ]  # fmt: skip


def groups(
    found: Search,
    exact: Recognised | None,
    rotations: Recognised | None,
    tried: Sequence[CandidateDefect],
    tolerance: float,
) -> tuple[tuple[Group, ...], tuple[Verdict, ...]]:
    """Groups to go on with: what all exact symmetries generate, rotations that have no other name, its parts, then soft ones."""
    holding = [each.candidate.group for each in tried if _verdict(each.defect, tolerance) == "exact"]
    whole = None if exact is None else exact.group
    parts: list[Group] = []
    holding.sort(key=lambda group: group.name != "inversion")  # where it holds, names are shorter with it
    for group in holding:
        if whole is None or not inside(whole, group):
            joined = group if whole is None else _joined(whole, group)
            if joined is not None:
                whole = joined
                parts.append(group)
    listed = [] if whole is None else [whole]
    listed += [exact.group] if exact is not None and parts else []
    listed += [rotations.group] if rotations is not None else []
    listed += [group for group in parts[:MOST_PARTS] if group is not whole]
    verdicts: list[Verdict] = ["exact"] * len(listed)
    for group in _soft(found, tolerance, listed):
        listed.append(group)
        verdicts.append("soft")
    return tuple(listed), tuple(verdicts)


def lattice(listed: Sequence[Group]) -> tuple[tuple[int, int], ...]:
    """Which lies directly inside which."""
    pairs = {
        (i, j)
        for i, big in enumerate(listed)
        for j, small in enumerate(listed)
        if i != j and inside(big, small) and not (inside(small, big) and j < i)
    }
    between = range(len(listed))
    return tuple(
        sorted((i, j) for i, j in pairs if not any((i, k) in pairs and (k, j) in pairs for k in between))
    )


def _soft(found: Search, tolerance: float, listed: Sequence[Group]) -> list[Group]:
    """Groups that hold softly: all rotations together with what is exact, else one by one."""
    directions = [
        vector for vector, _, defect in soft_directions(found) if _verdict(defect, tolerance) == "soft"
    ]
    spans = []
    if directions:
        start = found.second.lie.basis[:0] if found.exact is None else found.exact.span
        matrices = np.tensordot(np.array(directions), found.second.lie.basis, 1)
        matrices = matrices / np.linalg.norm(matrices, axis=(1, 2), keepdims=True)
        together = orthonormal(np.concatenate([start, matrices]))
        spans = [together] if is_closed(together) else [A[None] for A in matrices]
    soft = [recognise(span, found.second.lie.source.affine).group for span in spans]
    return [group for group in soft[:MOST_PARTS] if not any(inside(one, group) for one in listed)]


def _joined(whole: Group, group: Group) -> Group | None:
    """The group that both generate, by its name where it has one; None if it is neither continuous nor finite."""
    d = whole.dim
    for smaller, known in ((SO(d), O(d)), (SO13p(), SO13()), (SO13(), Lorentz())):
        if whole == smaller and inside(
            known, group
        ):  # one more component: whatever is new generates the rest
            return known
    if d == 3 and len(whole.lie) == 1 and not whole.discrete and whole.is_orthogonal:
        A = whole.lie_algebra[0]
        about = O(2).about(rounded_axis(np.array([A[2, 1], A[0, 2], A[1, 0]])))
        if inside(about, group):
            return about
    joined = whole | group
    return joined if joined.lie or joined.is_finite else None


def rotation_axis(exact: Recognised | None) -> Array | None:
    """The axis of an exact rotation of space; None if there is no single one."""
    if exact is None or exact.group.dim != 3 or exact.name not in ("so(2)", "so(2) + scaling"):
        return None
    if not np.allclose(exact.group.lie_algebra[0], -exact.group.lie_algebra[0].T):
        return None  # in a skewed basis it is no rotation
    A = exact.group.lie_algebra[0]
    return np.array(rounded_axis(np.array([A[2, 1], A[0, 2], A[1, 0]])))


def inside(big: Group, small: Group) -> bool:
    """Whether one group lies in another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclearNullSpaceWarning)  # groups from data have axes of four digits
        return contains(big, small)


def _exact_defects(found: Search) -> tuple[list[Defect], list[float]]:
    """Defects and eigenvalues of the exact generators one by one, by the fit that showed them."""
    assert found.exact is not None
    lie = found.invariant_lie or found.second.lie
    rows = _in_basis(lie, found.exact.span)
    defects = [lie.defect(row) for row in rows]
    return defects, [defect.square / defect.size if defect.size > 0 else math.nan for defect in defects]


def _in_basis(lie: LieDerivative, span: Array) -> Array:
    return np.asarray(span.reshape(len(span), -1) @ lie.basis.reshape(len(lie.basis), -1).T)


def _generator_row(A: Array, defect: Defect, value: float, verdict: Verdict, affine: bool) -> ProposalRow:
    words = generator_words(A, affine)
    text = Group.from_generators(A[None], name=words).text
    return ProposalRow(
        words,
        verdict,
        "generator",
        _tuples(A),
        value,
        defect.p_value,
        defect.violation,
        defect.interval,
        text,
    )


def _verdict(defect: Defect, tolerance: float) -> Verdict:
    if defect.p_value < LEVEL and defect.interval[0] > 0:
        return "soft"
    return "exact" if defect.interval[1] <= tolerance else "undecided"


def _tuples(A: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in np.round(A, 12) + 0.0)
