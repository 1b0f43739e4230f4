"""Algebras in round numbers: what a span that came from data may be exactly.

A span is replaced by one of these only where the data cannot tell the difference, which is for the caller to ask.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from softsym.groups import SE, SL, SO, SU, Sp, Translation, U
from softsym.inference.propose.algebra.closure import angle, orthonormal
from softsym.typing import Array

NEAR = 20.0
"""Degrees within which an algebra in round numbers is considered."""


ROUND_RATES = (1, 2, 3)
"""Largest rates of round ones."""
MOST_SKEWED = 1e3
"""Condition of a frame from which on it is none."""
COMMUTING = 1e-4
"""Up to this share of their size generators have one frame."""
SAME = 1e-6
"""Degrees up to which two spans differ by rounding."""


def rounder(span: Array, affine: bool = False) -> Iterator[Array]:
    """Spans of the same dimension near to one (k, d, d), the roundest first, as orthonormal bases.

    Example:
        >>> import numpy as np, softsym as ss
        >>> nearly = orthonormal(ss.SO(3).lie_algebra + 0.01 * np.eye(3))
        >>> bool(angle(next(rounder(nearly)), ss.SO(3).lie_algebra) < 1e-9)
        True
    """
    k, d = len(span), span.shape[-1]
    for known in itertools.chain(_affine(d - 1) if affine else _known(d, k), _projected(span, affine)):
        basis = orthonormal(np.asarray(known, dtype=np.float64))
        if len(basis) == k and angle(basis, span) < NEAR:
            yield basis


def is_known(span: Array, affine: bool = False) -> bool:
    """Whether a span is one of the catalogue on coordinates: nothing of it came from data but the choice.

    Example:
        >>> import softsym as ss
        >>> is_known(ss.SO(3).lie_algebra), is_known(ss.SO(2).about((1, 2, 0)).lie_algebra)
        (True, False)
    """
    k, d = len(span), span.shape[-1]
    listed = (
        orthonormal(np.asarray(one, dtype=np.float64)) for one in (_affine(d - 1) if affine else _known(d, k))
    )
    return any(len(one) == k and angle(one, span) < SAME for one in listed)


def _known(d: int, k: int) -> Iterator[Array]:
    """Algebras of the catalogue on coordinates, with and without scaling."""
    for algebra in _simple(d):
        if len(algebra) == k:
            yield algebra
        if len(algebra) == k - 1:
            yield np.concatenate([algebra, np.eye(d)[None]])
    if k == 1:
        yield np.eye(d)[None]


def _simple(d: int) -> Iterator[Array]:
    for m in range(2, d + 1):
        rotations = SO(m).lie_algebra
        for axes in itertools.combinations(range(d), m):
            yield _placed(rotations, d, axes)
            for time in range(m if m > 2 else 1):
                signs = np.ones(m)
                signs[time] = -1.0
                yield _placed(signs[:, None] * rotations, d, axes)
    if d > 1:
        yield SL(d).lie_algebra
    if d % 2 == 0 and d > 2:
        yield Sp(d // 2).lie_algebra
        for group in (SU(d // 2), U(d // 2)):
            mirror = np.diag([-1.0] + [1.0] * (d - 1))
            yield from (group.lie_algebra, mirror @ group.lie_algebra @ mirror)


def _affine(d: int) -> Iterator[Array]:
    yield Translation(d).lie_algebra
    yield SE(d).lie_algebra
    for size in range(1, d):
        for axes in itertools.combinations(range(d), size):
            yield Translation(d).lie_algebra[list(axes)]
    for algebra in _simple(d):
        placed = _placed(algebra, d + 1, tuple(range(d)))
        yield placed
        yield np.concatenate([placed, Translation(d).lie_algebra])


def _projected(span: Array, affine: bool) -> Iterator[Array]:
    """The span made antisymmetric, traceless, or one of these together with the identity."""
    k, d = len(span), span.shape[-1]
    if affine:
        linear = span.copy()
        linear[:, :, -1] = 0.0
        shifts = span - linear
        yield from (_top(linear, k), _top(shifts, k))
        return
    rotating = (span - span.swapaxes(1, 2)) / 2
    traceless = span - np.trace(span, axis1=1, axis2=2)[:, None, None] * np.eye(d) / d
    yield _top(rotating, k)
    yield from in_round_rates(span)
    yield _top(traceless, k)
    if k > 1:
        for rest in (rotating, traceless):
            yield np.concatenate([_top(rest, k - 1), np.eye(d)[None]])


def in_round_rates(span: Array) -> Iterator[Array]:
    """Commuting generators (k, d, d) like these, whose eigenvalues are rates like 1 : 2, in their own eigenbasis; the nearest first.

    Only such ones have invariant polynomials. For generators that do not commute there are none.

    Example:
        >>> import numpy as np
        >>> A = np.diag([0.98, -1.01, 0.02])
        >>> next(in_round_rates(A[None])).round(2) + 0.0
        array([[[ 1.,  0.,  0.],
                [ 0., -1.,  0.],
                [ 0.,  0.,  0.]]])
    """
    mixed = np.tensordot(np.random.default_rng(0).standard_normal(len(span)), span, 1)
    frame = np.linalg.eig(mixed if len(span) > 1 else span[0])[1]
    if np.linalg.cond(frame) > MOST_SKEWED:
        return
    inverse = np.linalg.inv(frame)
    rates = np.diagonal(inverse @ span @ frame, axis1=1, axis2=2)
    if np.abs((frame * rates[:, None]) @ inverse - span).max() > COMMUTING * np.abs(span).max():
        return
    stretching, rotating = rates.real, rates.imag
    parts = [np.concatenate([stretching, rotating], axis=1)]
    if len(span) == 1:  # a single generator stretches or rotates
        parts = [
            np.concatenate(pair, axis=1) for pair in ((stretching, 0 * rotating), (0 * stretching, rotating))
        ]
    found: list[tuple[float, Array]] = []
    for most, part in itertools.product(ROUND_RATES, parts):
        rounded = np.round(_echelon(part) * most)
        if np.linalg.matrix_rank(rounded) < len(span):
            continue
        stretch, rotation = np.split(rounded, 2, axis=1)
        B = ((frame * (stretch + 1j * rotation)[:, None]) @ inverse).real
        if all(angle(B, other) > SAME for _, other in found):
            found.append((angle(span, B), B))
    yield from (B for _, B in sorted(found, key=lambda pair: pair[0]))


def _echelon(rows: Array) -> Array:
    """The same span of rows (k, m), each with one, or minus one, where the others have zeros, largest entries first."""
    rows = rows.copy()
    for k in range(len(rows)):
        i, j = divmod(int(np.abs(rows[k:]).argmax()), rows.shape[1])
        if not rows[k + i, j]:
            break
        rows[[k, k + i]] = rows[[k + i, k]]
        rows[k] /= abs(rows[k, j])
        others = np.arange(len(rows)) != k
        rows[others] -= rows[others, j, None] * rows[k, j] * rows[k]
    return rows


def _top(matrices: Array, k: int) -> Array:
    """The k strongest directions of a stack."""
    rows = np.linalg.svd(matrices.reshape(len(matrices), -1), full_matrices=False)[2]
    return np.asarray(rows[:k].reshape(-1, *matrices.shape[1:]))


def _placed(matrices: Array, d: int, axes: tuple[int, ...]) -> Array:
    out = np.zeros((len(matrices), d, d))
    out[:, np.array(axes)[:, None], np.array(axes)] = matrices
    return out
