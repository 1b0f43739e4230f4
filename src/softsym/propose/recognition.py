r"""Names of Lie algebras and words for generators: what a closed span of matrices is, in which basis.

An algebra is named by what it keeps: fixed directions, a symmetric form (so(p, q)), an antisymmetric one (sp), volume (sl), lengths and a
complex structure (su, u), nothing (gl); multiples of the identity are removed first. The basis in which it has its usual form gives a
:class:`softsym.Group`; a name is given only if the group's algebra is the span again. Everything else is "unnamed".
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from softsym.errors import UnclearNullSpaceWarning
from softsym.groups import GL, SE, SL, SO, SU, Group, Scaling, SO11p, SO13p, Sp, Translation, U
from softsym.groups.group import AXIS_NAMES, axis_text
from softsym.inference.lattice import contains as contains_group
from softsym.propose.algebra import angle, orthonormal
from softsym.typing import Array

SAME = 0.01
"""Degrees between the span and the algebra of the group whose name it is given."""
ROUGH = 1e-6
"""Singular values below are zero."""
ORTHOGONAL = 1e-7
"""A basis that is a rotation up to this is taken as one."""
CLEAR = 0.05
"""Share of a matrix that may be something else before it has no name in words."""


@dataclass(frozen=True, eq=False)
class Recognised:
    """The name of an algebra, and its group.

    Args:
        name: Such as "so(3)", or "unnamed, dimension 2".
        group: The connected group that it generates.
        is_compact: Whether that is compact.
        is_named: Whether the name is of the catalogue.
    """

    name: str
    group: Group
    is_compact: bool
    is_named: bool


def recognise(algebra: Array, affine: bool = False) -> Recognised:
    """The name of a closed span of matrices (k, d, d), k >= 1, in homogeneous coordinates if affine.

    Example:
        >>> import numpy as np, softsym as ss
        >>> recognise(ss.SO13p().lie_algebra).name
        'so(1,3)'
        >>> recognise(np.diag([1.0, 2.0, 5.0])[None]).name
        'unnamed, dimension 1'
    """
    span = orthonormal(np.asarray(algebra, dtype=np.float64))
    compact = _is_compact(span)
    for name, group in _affine(span) if affine else _candidates(span):
        if angle(group.lie_algebra, span) < SAME:
            return Recognised(name, group, compact, True)
    name = f"unnamed, dimension {len(span)}"
    return Recognised(name, Group.from_generators(_tidy(span), name=name), compact, False)


def contains(big: Group, small: Group) -> bool:
    """Whether one group lies in another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnclearNullSpaceWarning)  # groups from data have a few digits
        return contains_group(big, small)


def rounded_axis(direction: Array, decimals: int = 4) -> tuple[float, ...]:
    """A direction of unit length to some decimals, by default less than a hundredth of a degree off, its largest number positive.

    Example:
        >>> rounded_axis(np.array([-1.0, -2.0, 0.0]))
        (0.4472, 0.8944, 0.0)
    """
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
    moved = _range(np.concatenate(list(span), axis=1))
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
    chosen = [k for k in range(len(values)) if values[k] > 0]
    first = np.array([np.sqrt(2 / values[k]) * vectors[:, k].real for k in chosen])
    second = np.array([np.sqrt(2 / values[k]) * vectors[:, k].imag for k in chosen])
    frame = np.concatenate([first, second]).T
    sign = np.sign(frame[:, 0] @ form @ frame[:, len(chosen)])
    frame[:, len(chosen) :] *= sign
    return frame


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
    rotation = _nearest_rotation(frame)
    if np.allclose(frame, rotation, atol=ORTHOGONAL):
        frame = rotation
    there = group.conjugated(frame)
    return group if angle(group.lie_algebra, there.lie_algebra) < SAME / 10 else there


def _nearest_rotation(M: Array) -> Array:
    left, _, right = np.linalg.svd(M)
    return np.asarray(left @ right)


def _positive(symmetric: Array) -> Array | None:
    """A positive definite form among combinations of forms, if the one nearest to the identity is."""
    if not len(symmetric):
        return None
    d = symmetric.shape[-1]
    basis = symmetric.reshape(len(symmetric), -1)
    form = (basis.T @ (basis @ np.eye(d).ravel())).reshape(d, d)
    return form if np.linalg.eigvalsh(form)[0] > ROUGH else None


def _is_compact(span: Array) -> bool:
    """Whether lengths of some inner product are kept."""
    return _positive(forms(span, 1)) is not None


def _range(matrix: Array) -> Array:
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left[:, sizes > ROUGH * sizes[0]])


def _tidy(span: Array) -> Array:
    """A basis of the span with zeros and ones where there can be: the reduced rows."""
    rows = span.reshape(len(span), -1).copy()
    for k in range(len(rows)):
        column = int(np.abs(rows[k]).argmax())
        rows[k] /= rows[k, column]
        for j in range(len(rows)):
            if j != k:
                rows[j] -= rows[j, column] * rows[k]
    rows = np.where(np.abs(rows) < 1e-12, 0.0, rows)
    return rows.reshape(span.shape)


def axis_words(direction: Array) -> str:
    """A direction of space and where it points.

    Example:
        >>> axis_words(np.array([0.0, 0.02, 1.0]))
        '(0,0.02,0.9998), 1.1 degrees from z'
        >>> axis_words(np.array([0.0, -3.0, 0.0]))
        'y'
    """
    axis = np.array(rounded_axis(direction))
    if np.count_nonzero(axis) == 1:
        return AXIS_NAMES[int(np.abs(axis).argmax())]
    nearest = int(np.abs(axis).argmax())
    off = np.degrees(np.arccos(min(1.0, abs(axis[nearest]) / np.linalg.norm(axis))))
    return f"{axis_text(axis.tolist())}, {off:.1f} degrees from {AXIS_NAMES[nearest]}"


def generator_words(A: Array, affine: bool = False) -> str:
    """What a generator (d, d) does.

    Example:
        >>> generator_words(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]]))
        'rotation about z'
        >>> generator_words(np.eye(4)), generator_words(np.diag([1.0, -1.0]))
        ('scaling', 'stretch that keeps volume')
    """
    if affine:
        linear, shift = A[:-1, :-1], A[:-1, -1]
        if np.linalg.norm(linear) < CLEAR * np.linalg.norm(A):
            return f"translation along {axis_words(shift)}" if len(shift) == 3 else "translation"
        return f"{generator_words(linear)}{' and translation' if np.linalg.norm(shift) > CLEAR * np.linalg.norm(A) else ''}"
    d, size = len(A), float(np.linalg.norm(A))
    rotating, stretching = (A - A.T) / 2, (A + A.T) / 2
    if np.linalg.norm(stretching) < CLEAR * size:
        if d == 2:
            return "rotation"
        if d == 3:
            return f"rotation about {axis_words(np.array([rotating[2, 1], rotating[0, 2], rotating[1, 0]]))}"
        return "rotation"
    scaling = np.trace(A) / d
    if np.linalg.norm(A - scaling * np.eye(d)) < CLEAR * size:
        return "scaling"
    volume = " that keeps volume" if abs(np.trace(A)) < CLEAR * size else ""
    return f"stretch{volume}" if np.linalg.norm(rotating) < CLEAR * size else f"shear or rotation{volume}"


def count_translations(group: Group) -> int:
    """Number of independent translations in a group in homogeneous coordinates."""
    span = orthonormal(group.lie_algebra)
    if not len(span):
        return 0
    return len(span) - int(np.linalg.matrix_rank(span[:, :-1, :-1].reshape(len(span), -1), tol=1e-6))
