r"""The nearest Lie algebra: a span of matrices that its brackets :math:`[A, B] = AB - BA` do not leave.

Generators that come from data close only nearly. Gauss-Newton steps of least norm move the span onto the nearest one that closes.
"""

from __future__ import annotations

import itertools

import numpy as np

from softsym.typing import Array

CLOSED = 1e-10
"""Up to this brackets leave a span by rounding."""
STEPS = 30
MOST_UNKNOWNS = 500
"""Larger spans are only closed if they are already."""


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
