r"""Lie algebras of matrices: the one nearest to a span that came from data, those in round numbers, their names, words for generators.

A span is a Lie algebra if its brackets :math:`[A, B] = AB - BA` do not leave it. Generators that come from data close only nearly:
Gauss-Newton steps of least norm move their span onto the nearest one that closes. Near to it are algebras in round numbers; a span is
replaced by one of these only where the data cannot tell the difference, which is for the caller to ask.

An algebra is named by what it keeps: fixed directions, a symmetric form (so(p, q)), an antisymmetric one (sp), volume (sl), lengths and a
complex structure (su, u), nothing (gl); multiples of the identity are removed first. The basis in which it has its usual form gives a
:class:`softsym.Group`; a name is given only if the group's algebra is the span again. Everything else is "unnamed".
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space, orth

from softsym.errors import UnclearNullSpaceWarning
from softsym.groups import GL, SE, SL, SO, SU, Group, Scaling, SO11p, SO13p, Sp, Translation, U
from softsym.groups.group import AXIS_NAMES, axis_text
from softsym.inference.lattice import contains as contains_group
from softsym.typing import Array

CLOSED = 1e-10  # up to this brackets leave a span by rounding
STEPS = 30
MOST_UNKNOWNS = 500  # larger spans are only closed if they are already
NEAR = 20.0  # degrees within which an algebra in round numbers is considered
ROUND_RATES = (1, 2, 3)  # largest rates of round ones
MOST_SKEWED = 1e3  # condition of a frame from which on it is none
COMMUTING = 1e-4  # up to this share of their size generators have one frame
FREE = 0.9  # share of the matrices with a range along a direction that a span must hold to be taken to hold all
EQUAL, SAME = 1e-6, 0.01  # degrees up to which two spans differ by rounding, and within which they are one
ROUGH = 1e-6  # singular values below are zero
ORTHOGONAL = 1e-7  # a basis that is a rotation up to this is taken as one
CLEAR = 0.05  # share of a matrix that may be something else before it has no name in words


def orthonormal(matrices: Array) -> Array:
    """An orthonormal basis (k, d, d) of a span, in the sense of entries."""
    matrices = np.asarray(matrices, dtype=np.float64)
    k, d = len(matrices), matrices.shape[-1]
    if not k:
        return matrices
    _, sizes, rows = np.linalg.svd(matrices.reshape(k, -1), full_matrices=False)
    return np.asarray(rows[sizes > 1e-9 * sizes[0]].reshape(-1, d, d))


def leaving(span: Array) -> Array:
    """What brackets of an orthonormal span (k, d, d) have outside of it, (pairs, d, d)."""
    first, second = (span[places] for places in np.triu_indices(len(span), 1))
    brackets = first @ second - second @ first
    inside = np.einsum("pij,kij,klm->plm", brackets, span, span)
    return np.asarray(brackets - inside)


def is_closed(span: Array) -> bool:
    """Whether an orthonormal span is a Lie algebra."""
    return bool(np.abs(leaving(span)).max(initial=0.0) <= 1e-6)


def derived(span: Array) -> Array:
    """The span (m, d, d) of all brackets of a closed span, orthonormal: without what commutes with everything, if that splits off."""
    brackets = (span[:, None] @ span[None] - span[None] @ span[:, None]).reshape(-1, span.shape[-1] ** 2)
    _, sizes, rows = np.linalg.svd(brackets, full_matrices=False)
    return np.asarray(rows[sizes > 1e-6].reshape(-1, *span.shape[1:]))


def nearest_algebra(span: Array) -> Array | None:
    """The Lie algebra of the same dimension nearest to an orthonormal span (k, d, d); None if steps lead to none."""
    k, d = len(span), span.shape[-1]
    if k * (d * d - k) > MOST_UNKNOWNS:
        return span if is_closed(span) else None
    for _ in range(STEPS):
        gap = leaving(span)
        if np.abs(gap).max(initial=0.0) <= CLOSED:
            return span
        outside = null_space(span.reshape(k, -1)).T.reshape(-1, d, d)
        step = np.linalg.lstsq(_jacobian(span, outside), -gap.ravel(), rcond=0.05)[0].reshape(k, len(outside))
        step *= min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-300))  # a trust region of 0.3 radians
        span = orthonormal(span + np.tensordot(step, outside, 1))
        if len(span) < k:
            return None
    return span if is_closed(span) else None


def angle(first: Array, second: Array) -> float:
    """The largest principal angle between two spans, in degrees; 90 if they differ in dimension."""
    a, b = orthonormal(first), orthonormal(second)
    if len(a) != len(b):
        return 90.0
    if not len(a):
        return 0.0
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    sine = float(np.linalg.norm(b - (b @ a.T) @ a, 2))
    return float(np.degrees(np.arcsin(min(1.0, sine)))) if sine > 1e-12 else 0.0


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
    """Lie algebras of the same dimension near to a span (k, d, d), the roundest first, as orthonormal bases."""
    for basis in map(orthonormal, itertools.chain(catalogue(span.shape[-1], len(span)), _projected(span))):
        if angle(basis, span) < NEAR and is_closed(basis):
            yield basis


def is_known(span: Array) -> bool:
    """Whether a span is one of the catalogue on coordinates: nothing of it came from data but the choice."""
    return any(angle(one, span) < EQUAL for one in catalogue(span.shape[-1], len(span)))


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
        if all(angle(B, other) > EQUAL for _, other in found):
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
    sizes, vectors = np.linalg.eigh(np.einsum("kij,klj->il", span, span))  # d where all matrices are in the span
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


@dataclass(frozen=True, eq=False)
class Recognised:
    """The name of an algebra, and its group."""

    name: str  # such as "so(3)", or "unnamed, dimension 2"
    group: Group  # the connected one that it generates
    is_compact: bool  # whether that is compact: lengths of some inner product are kept


def recognise(algebra: Array, affine: bool = False) -> Recognised:
    """The name of a closed span of matrices (k, d, d), k >= 1, in homogeneous coordinates if affine."""
    span = orthonormal(algebra)
    is_compact = _positive(forms(span, 1)) is not None
    for name, group in _affine(span) if affine else _candidates(span):
        if angle(group.lie_algebra, span) < SAME:
            return Recognised(name, group, is_compact)
    name = f"unnamed, dimension {len(span)}"
    return Recognised(name, Group.from_generators(_tidy(span), name=name), is_compact)


def contains(big: Group, small: Group) -> bool:
    """Whether one group lies in another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclearNullSpaceWarning)  # groups from data have a few digits
        return contains_group(big, small)


def rounded_axis(direction: Array, decimals: int = 4) -> tuple[float, ...]:
    """A direction of unit length to some decimals, by default less than a hundredth of a degree off, its largest number positive."""
    unit = direction / np.linalg.norm(direction)
    unit = unit * np.sign(unit[np.abs(unit).argmax()])
    return tuple((np.round(unit, decimals) + 0.0).tolist())


def forms(span: Array, sign: int) -> Array:
    """Bilinear forms that an algebra keeps, A'B + BA = 0: symmetric (sign 1) or antisymmetric (-1), (m, d, d)."""
    d = span.shape[-1]
    one = np.eye(d)
    rows = [np.kron(A.T, one) + np.kron(one, A.T) for A in span]
    swap = np.eye(d * d).reshape(d, d, d, d).transpose(1, 0, 2, 3).reshape(d * d, d * d)
    return np.asarray(null_space(np.concatenate([*rows, np.eye(d * d) - sign * swap]), rcond=ROUGH).T.reshape(-1, d, d))


def _candidates(span: Array) -> Iterator[tuple[str, Group]]:
    """Names and groups that it may be, the whole span or without multiples of the identity."""
    d = span.shape[-1]
    one = np.eye(d) / np.sqrt(d)
    scales = np.linalg.norm(one - np.einsum("kij,ij,klm->lm", span, one, span)) < ROUGH
    if not scales:
        yield from _traceless(span)
        return
    if len(span) == d * d:
        yield f"gl({d})", GL(d)
        return
    if len(span) == 1:
        yield "scaling", Scaling(d)
        return
    rest = orthonormal(span - np.einsum("kij,ij->k", span, one)[:, None, None] * one)
    for name, group in _traceless(rest):
        yield f"{name} + scaling", group | Scaling(d)


def _traceless(span: Array) -> Iterator[tuple[str, Group]]:
    """Algebras that act on a subspace and fix a complement."""
    d = span.shape[-1]
    fixed = null_space(np.concatenate(list(span)), rcond=ROUGH)
    moved = orth(np.concatenate(list(span), axis=1), rcond=ROUGH)
    if not fixed.shape[1]:
        yield from ((name, _conjugate(group, frame)) for name, group, frame in _whole(span))
        return
    frame = np.concatenate([moved, fixed], axis=1)
    if frame.shape != (d, d) or np.linalg.cond(frame) > 1e6:
        return
    m = moved.shape[1]
    inner = (np.linalg.inv(frame) @ span @ frame)[:, :m, :m]
    for name, group, own in _whole(inner):
        if d == 3 and name == "so(2)" and np.allclose(span, -span.swapaxes(1, 2), atol=ORTHOGONAL):
            yield "so(2)", SO(2).about(rounded_axis(fixed[:, 0]))
        yield name, _conjugate(group.embed(d, range(m)), np.concatenate([moved @ own, fixed], axis=1))


def _whole(span: Array) -> Iterator[tuple[str, Group, Array]]:
    """Algebras that leave no direction alone, each with the basis (m, m) in which it is the one of the catalogue."""
    k, m = len(span), span.shape[-1]
    if k == m * m - 1 and m > 1:
        yield f"sl({m})", SL(m), np.eye(m)
    symmetric = forms(span, 1)
    if len(symmetric) == 1 and k == m * (m - 1) // 2:
        yield from _indefinite(symmetric[0])
    positive = _positive(symmetric)
    if m % 2 == 0 and m > 2:
        antisymmetric = forms(span, -1)
        if len(antisymmetric) == 1 and k == m // 2 * (m + 1):
            yield f"sp({m},R)", Sp(m // 2), _symplectic_frame(antisymmetric[0])
        if positive is not None and k in ((m // 2) ** 2 - 1, (m // 2) ** 2):
            yield from _unitary(span, positive)


def _indefinite(form: Array) -> Iterator[tuple[str, Group, Array]]:
    """so(p, q) from the form it keeps, the fewer signs first."""
    values, vectors = np.linalg.eigh(form)
    if np.abs(values).min() < ROUGH * np.abs(values).max():
        return
    if (values > 0).sum() > (values < 0).sum() or ((values > 0).sum() == (values < 0).sum() and values[0] < 0):
        values, vectors = -values[::-1], vectors[:, ::-1]  # an overall sign does not matter
    positive = int((values > 0).sum())
    order = np.argsort(values < 0, kind="stable")
    frame = _align_basis(vectors[:, order] / np.sqrt(np.abs(values[order])), positive)
    m = len(form)
    if positive == 0:
        yield f"so({m})", SO(m), frame
    elif positive == 1 and m in (2, 4):
        yield f"so(1,{m - 1})", SO13p() if m == 4 else SO11p(), frame
    else:
        signs = np.where(np.arange(m) < positive, 1.0, -1.0)
        lie = [np.diag(signs) @ A for A in SO(m).lie_algebra]
        name = f"so({m - positive},{positive})" if positive == 1 else f"so({positive},{m - positive})"
        yield name, Group.from_generators(lie, name=name), frame


def _align_basis(frame: Array, positive: int) -> Array:
    """The form's basis rotated as near to the coordinate axes as rotations among equal signs allow."""
    out = frame.copy()
    for columns in (slice(0, positive), slice(positive, len(frame))):
        block = frame[:, columns]
        if block.shape[1] == len(frame):  # all signs equal: the symmetric root
            left, sizes, _ = np.linalg.svd(block)
            return np.asarray(left * sizes @ left.T)
        if block.shape[1]:
            strongest = np.argsort(-np.sum(block**2, axis=1), kind="stable")[: block.shape[1]]
            left, _, right = np.linalg.svd(block[np.sort(strongest)])
            out[:, columns] = block @ (left @ right).T
    return out


def _symplectic_frame(form: Array) -> Array:
    """A basis M with M' form M = [[0, 1], [-1, 0]]."""
    values, vectors = np.linalg.eigh(1j * form)
    chosen = vectors[:, values > 0] * np.sqrt(2 / values[values > 0])
    first, second = chosen.real, chosen.imag
    return np.concatenate([first, second * np.sign(first[:, 0] @ form @ second[:, 0])], axis=1)


def _unitary(span: Array, positive: Array) -> Iterator[tuple[str, Group, Array]]:
    """su(n) and u(n), from a complex structure that commutes with them."""
    m = span.shape[-1]
    n = m // 2
    values, vectors = np.linalg.eigh(positive)
    root = vectors * np.sqrt(values) @ vectors.T
    back = np.linalg.inv(root)
    lie = root @ span @ back
    one = np.eye(m)
    commuting = null_space(np.concatenate([np.kron(A, one) - np.kron(one, A.T) for A in lie]), rcond=ROUGH)
    antisymmetric = orthonormal(np.array([(C - C.T) / 2 for C in commuting.T.reshape(-1, m, m)]))
    if not len(antisymmetric):
        return
    usual = np.kron([[0.0, -1.0], [1.0, 0.0]], np.eye(n))
    J = np.einsum("kij,ij,klm->lm", antisymmetric, usual, antisymmetric)
    J = antisymmetric[0] if np.linalg.norm(J) < 0.1 else J
    J = J * np.sqrt(m) / np.linalg.norm(J)
    if not np.allclose(J @ J, -one, atol=1e-5):
        return
    real: list[Array] = []
    for start in np.eye(m):
        taken = np.array([vector for u in real for vector in (u, J @ u)]).reshape(-1, m)
        rest = start - taken.T @ (taken @ start)
        if len(real) < n and np.linalg.norm(rest) > 0.3:
            real.append(rest / np.linalg.norm(rest))
    if len(real) == n:
        frame = back @ np.array([*real, *(J @ u for u in real)]).T
        name = f"su({n})" if len(span) == n * n - 1 else f"u({n})"
        yield name, SU(n) if name.startswith("su") else U(n), frame


def _affine(span: Array) -> Iterator[tuple[str, Group]]:
    """Algebras in homogeneous coordinates that hold all translations, and those that fix the origin."""
    d = span.shape[-1] - 1
    if len(span) == d:
        yield f"translations of R^{d}", Translation(d)
    if len(span) == d + d * (d - 1) // 2:
        yield f"se({d})", SE(d)
    linear = orthonormal(span[:, :d, :d]) if np.abs(span[:, :d, :d]).max() > ROUGH else span[:0, :d, :d]
    shifts = len(span) - len(linear)
    for name, group in _candidates(linear) if len(linear) else ():
        placed = group.embed(d + 1, range(d))
        if shifts == 0:
            yield name, placed
        elif shifts == d:
            yield f"{name} + translations", placed | Translation(d)
    if not len(linear):
        name = f"translations along {shifts} direction{'s' * (shifts > 1)}"
        yield name, Group.from_generators(_tidy(span), name=name)


def _conjugate(group: Group, frame: Array) -> Group:
    """The group in a basis: unchanged where the basis does not matter, conjugated by an exact rotation where the basis is one."""
    frame = frame * abs(np.linalg.det(frame)) ** (-1 / len(frame))
    left, _, right = np.linalg.svd(frame)
    if np.allclose(frame, left @ right, atol=ORTHOGONAL):
        frame = left @ right
    there = group.conjugated(frame)
    return group if angle(group.lie_algebra, there.lie_algebra) < SAME / 10 else there


def _positive(symmetric: Array) -> Array | None:
    """A positive definite form among combinations of forms, if the one nearest to the identity is."""
    if not len(symmetric):
        return None
    d = symmetric.shape[-1]
    basis = symmetric.reshape(len(symmetric), -1)
    form = (basis.T @ (basis @ np.eye(d).ravel())).reshape(d, d)
    return form if np.linalg.eigvalsh(form)[0] > ROUGH else None


def _tidy(span: Array) -> Array:
    """A basis of the span with zeros and ones where there can be: the reduced rows."""
    rows = span.reshape(len(span), -1).copy()
    for k in range(len(rows)):
        column = int(np.abs(rows[k]).argmax())
        rows[k] /= rows[k, column]
        others = np.arange(len(rows)) != k
        rows[others] -= rows[others, column, None] * rows[k]
    rows = np.where(np.abs(rows) < 1e-12, 0.0, rows)
    return rows.reshape(span.shape)


def axis_words(direction: Array) -> str:
    """A direction of space and where it points."""
    axis = np.array(rounded_axis(direction))
    nearest = int(np.abs(axis).argmax())
    if np.count_nonzero(axis) == 1:
        return AXIS_NAMES[nearest]
    off = np.degrees(np.arccos(min(1.0, abs(axis[nearest]) / np.linalg.norm(axis))))
    return f"{axis_text(axis.tolist())}, {off:.1f} degrees from {AXIS_NAMES[nearest]}"


def generator_words(A: Array, affine: bool = False) -> str:
    """What a generator (d, d) does."""
    if affine:
        linear, shift = A[:-1, :-1], A[:-1, -1]
        if np.linalg.norm(linear) < CLEAR * np.linalg.norm(A):
            return f"translation along {axis_words(shift)}" if len(shift) == 3 else "translation"
        return f"{generator_words(linear)}{' and translation' if np.linalg.norm(shift) > CLEAR * np.linalg.norm(A) else ''}"
    d, size = len(A), float(np.linalg.norm(A))
    rotating, stretching = (A - A.T) / 2, (A + A.T) / 2
    if np.linalg.norm(stretching) < CLEAR * size:
        axis = axis_words(np.array([rotating[2, 1], rotating[0, 2], rotating[1, 0]])) if d == 3 else ""
        return f"rotation about {axis}" if axis else "rotation"
    scaling = np.trace(A) / d
    if np.linalg.norm(A - scaling * np.eye(d)) < CLEAR * size:
        return "scaling"
    volume = " that keeps volume" if abs(np.trace(A)) < CLEAR * size else ""
    return f"stretch{volume}" if np.linalg.norm(rotating) < CLEAR * size else f"shear or rotation{volume}"


def count_translations(group: Group) -> int:
    """Number of independent translations in a group in homogeneous coordinates."""
    span = orthonormal(group.lie_algebra)
    linear = span[:, :-1, :-1].reshape(len(span), (group.dim - 1) ** 2)
    return len(span) - (int(np.linalg.matrix_rank(linear, tol=1e-6)) if len(span) else 0)
