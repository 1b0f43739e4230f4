r"""Lie algebras of matrices near to a span that came from data.

A span is a Lie algebra if its brackets :math:`[A, B] = AB - BA` do not leave it. Generators that come from data close only nearly:
Gauss-Newton steps of least norm move their span onto the nearest one that closes. Near to it are algebras in round numbers; a span is
replaced by one of these only where the data cannot tell the difference, which is for the caller to ask.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from softsym.groups import SL, SO, SU, Sp, U
from softsym.typing import Array

CLOSED = 1e-10
"""Up to this brackets leave a span by rounding."""
STEPS = 30
MOST_UNKNOWNS = 500
"""Larger spans are only closed if they are already."""
NEAR = 20.0
"""Degrees within which an algebra in round numbers is considered."""
ROUND_RATES = (1, 2, 3)
"""Largest rates of round ones."""
MOST_SKEWED = 1e3
"""Condition of a frame from which on it is none."""
COMMUTING = 1e-4
"""Up to this share of their size generators have one frame."""
FREE = 0.9
"""Share of the matrices with a range along a direction that a span must hold to be taken to hold all."""
SAME = 1e-6
"""Degrees up to which two spans differ by rounding."""


def orthonormal(matrices: Array) -> Array:
    """An orthonormal basis (k, d, d) of a span, in the sense of entries."""
    k, d = len(matrices), matrices.shape[-1]
    if not k:
        return matrices
    _, sizes, rows = np.linalg.svd(matrices.reshape(k, -1), full_matrices=False)
    return np.asarray(rows[sizes > 1e-9 * sizes[0]].reshape(-1, d, d))


def leaving(span: Array) -> Array:
    """What brackets of an orthonormal span (k, d, d) have outside of it, (pairs, d, d)."""
    pairs = list(itertools.combinations(range(len(span)), 2))
    if not pairs:
        return np.zeros((0, *span.shape[1:]))
    first, second = span[[a for a, _ in pairs]], span[[b for _, b in pairs]]
    brackets = first @ second - second @ first
    inside = np.einsum("pij,kij,klm->plm", brackets, span, span)
    return np.asarray(brackets - inside)


def is_closed(span: Array, tolerance: float = 1e-6) -> bool:
    """Whether an orthonormal span is a Lie algebra."""
    return bool(np.abs(leaving(span)).max(initial=0.0) <= tolerance)


def derived(span: Array) -> Array:
    """The span (m, d, d) of all brackets of a closed span, orthonormal: without what commutes with everything, if that splits off.

    Example:
        >>> import softsym as ss
        >>> len(derived(ss.U(2).lie_algebra)), len(derived(ss.SO(3).lie_algebra)), len(derived(ss.SO(2).lie_algebra))
        (3, 3, 0)
    """
    brackets = (span[:, None] @ span[None] - span[None] @ span[:, None]).reshape(-1, span.shape[-1] ** 2)
    _, sizes, rows = np.linalg.svd(brackets, full_matrices=False)
    return np.asarray(rows[sizes > 1e-6].reshape(-1, *span.shape[1:]))


def nearest_algebra(span: Array) -> Array | None:
    """The Lie algebra of the same dimension nearest to an orthonormal span (k, d, d); None if steps lead to none.

    Example:
        >>> import numpy as np, softsym as ss
        >>> noisy = ss.SO(3).lie_algebra + 0.05 * np.random.default_rng(0).standard_normal((3, 3, 3))
        >>> near = nearest_algebra(orthonormal(noisy))
        >>> is_closed(near), bool(angle(near, ss.SO(3).lie_algebra) < 10)
        (True, True)
    """
    k, d = len(span), span.shape[-1]
    if k * (d * d - k) > MOST_UNKNOWNS:
        return span if is_closed(span) else None
    for _ in range(STEPS):
        gap = leaving(span)
        if np.abs(gap).max(initial=0.0) <= CLOSED:
            return span
        outside = _complement(span)
        jacobian = _jacobian(span, outside)
        step = np.linalg.lstsq(jacobian, -gap.ravel(), rcond=0.05)[0].reshape(k, len(outside))
        size = float(np.abs(step).max())
        step *= min(1.0, 0.3 / max(size, 1e-300))  # a trust region of 0.3 radians
        span = orthonormal(span + np.tensordot(step, outside, 1))
        if len(span) < k:
            return None
    return span if is_closed(span) else None


def angle(first: Array, second: Array) -> float:
    """The largest principal angle between two spans, in degrees; 90 if they differ in dimension.

    Example:
        >>> import softsym as ss
        >>> angle(ss.SO(3).lie_algebra, 2 * ss.SO(3).lie_algebra)
        0.0
    """
    a, b = (orthonormal(np.asarray(span, dtype=np.float64)) for span in (first, second))
    if len(a) != len(b):
        return 90.0
    if not len(a):
        return 0.0
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    apart = np.linalg.svd(b - (b @ a.T) @ a, compute_uv=False)
    sine = float(apart[0]) if len(apart) else 0.0
    return float(np.degrees(np.arcsin(min(1.0, sine)))) if sine > 1e-12 else 0.0


def _complement(span: Array) -> Array:
    k, d = len(span), span.shape[-1]
    rows = np.linalg.svd(span.reshape(k, -1), full_matrices=True)[2][k:]
    return np.asarray(rows.reshape(-1, d, d))


def _jacobian(span: Array, outside: Array) -> Array:
    """Derivatives of what leaves by every step of every matrix towards every direction outside, (pairs * d^2, k * outside)."""
    k, m, d = len(span), len(outside), span.shape[-1]
    pairs = list(itertools.combinations(range(k), 2))
    flat, out = span.reshape(k, -1), outside.reshape(m, -1)
    with_outside = span[:, None] @ outside[None] - outside[None] @ span[:, None]  # [A_a, O_m]
    with_outside = with_outside.reshape(k, m, d * d)
    with_outside = with_outside - (with_outside @ flat.T) @ flat
    columns = np.zeros((len(pairs), d * d, k, m))
    brackets = span[:, None] @ span[None] - span[None] @ span[:, None]
    inside = np.einsum("abij,cij->abc", brackets, span)
    for row, (a, b) in enumerate(pairs):
        columns[row, :, b] += with_outside[a].T
        columns[row, :, a] -= with_outside[b].T
        # The span changes under the bracket too: the component along A_c follows the step of A_c.
        columns[row] -= np.einsum("c,mx->xcm", inside[a, b], out)
    return columns.reshape(len(pairs) * d * d, k * m)


def rounder(span: Array) -> Iterator[Array]:
    """Lie algebras of the same dimension near to a span (k, d, d), the roundest first, as orthonormal bases.

    Example:
        >>> import numpy as np, softsym as ss
        >>> nearly = orthonormal(ss.SO(3).lie_algebra + 0.01 * np.eye(3))
        >>> bool(angle(next(rounder(nearly)), ss.SO(3).lie_algebra) < 1e-9)
        True
    """
    k, d = len(span), span.shape[-1]
    for known in itertools.chain(catalogue(d, k), _projected(span)):
        basis = orthonormal(np.asarray(known, dtype=np.float64))
        if len(basis) == k and angle(basis, span) < NEAR and is_closed(basis):
            yield basis


def is_known(span: Array) -> bool:
    """Whether a span is one of the catalogue on coordinates: nothing of it came from data but the choice.

    Example:
        >>> import softsym as ss
        >>> is_known(ss.SO(3).lie_algebra), is_known(ss.SO(2).about((1, 2, 0)).lie_algebra)
        (True, False)
    """
    k, d = len(span), span.shape[-1]
    listed = (orthonormal(np.asarray(one, dtype=np.float64)) for one in catalogue(d, k))
    return any(len(one) == k and angle(one, span) < SAME for one in listed)


def catalogue(d: int, k: int | None = None) -> Iterator[Array]:
    """Algebras on coordinates of R^d, with and without scaling, of dimension k if that is given."""
    scaling = np.eye(d)[None]
    for algebra in (*_simple(d), scaling[:0]):
        if len(algebra) and k in (None, len(algebra)):
            yield algebra
        if k in (None, len(algebra) + 1):
            yield np.concatenate([algebra, scaling])


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


def _projected(span: Array) -> Iterator[Array]:
    """The span made antisymmetric, traceless, or one of these together with the identity."""
    k, d = len(span), span.shape[-1]
    rotating = (span - span.swapaxes(1, 2)) / 2
    traceless = span - np.trace(span, axis1=1, axis2=2)[:, None, None] * np.eye(d) / d
    yield _top(rotating, k)
    yield from in_round_rates(span)
    if k == 1:
        yield _nilpotent(span[0])
    yield from _over_quotient(span)
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
        parts = [np.concatenate(pair, axis=1) for pair in ((stretching, 0 * rotating), (0 * stretching, rotating))]
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


def _nilpotent(A: Array) -> Array:
    """The shear (1, d, d) near to a matrix: of rank one, its square zero."""
    left, _, right = np.linalg.svd(A)
    across = right[0] - (right[0] @ left[:, 0]) * left[:, 0]
    return np.outer(left[:, 0], across)[None]


def _over_quotient(span: Array) -> Iterator[Array]:
    """Algebras that hold every matrix with a range in some directions, which nothing depends on, and act on the others in round numbers."""
    k, d = len(span), span.shape[-1]
    sizes, vectors = np.linalg.eigh(
        np.einsum("kij,klj->il", span, span)
    )  # d for directions whose matrices are all in the span
    free, rest = vectors[:, sizes > FREE * d], vectors[:, sizes <= FREE * d]
    inner = k - free.shape[1] * d
    if not free.shape[1] or not rest.shape[1] or inner < 0:
        return
    anything = np.einsum("ir,jc->rcij", free, np.eye(d)).reshape(-1, d, d)
    if not inner:
        yield anything
        return
    across = _top(np.einsum("ia,kij,jb->kab", rest, span, rest), inner)
    for near in itertools.chain(rounder(across), [across]):
        yield np.concatenate([anything, np.einsum("ia,kab,jb->kij", rest, near, rest)])
