r"""Discrete candidates: elements that no Lie derivative shows.

Inversion, mirrors (reflections in a plane), rotations by a fraction of a circle, and exchanges of coordinates, about coordinate axes and
about axes of the data: the eigenvectors of the Lie derivative among rotations. A mirror's normal is one of these, because the mirror
commutes with rotations about it and reverses the others; it is then refined to minimise the violation of the fit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from softsym.groups import SO, C, Group, O, S
from softsym.groups.change_of_basis import axis_text
from softsym.inference.propose.algebra.recognise import rounded_axis
from softsym.inference.propose.derivative import LEVEL, PROBED, Defect, LieDerivative
from softsym.inference.propose.fits.reflection_plane import refined_normal, reflection
from softsym.inference.verdict import ABSENT_ABOVE
from softsym.typing import Array

Predict = Callable[[Array], Array]
FOLDS = (2, 3, 4, 6)
"""Fractions of a full rotation that are tried."""
MOST = 8
"""So many that the fit is nearest to are tested."""
MOVING = 100
"""Rows by which a mirror's normal is found."""
FINE = 7
"""Decimals of a refined normal."""
APART = 3.0
"""Degrees within which two axes are one."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A discrete group to try.

    Args:
        name: In words.
        element: Its generator (d, d).
        group: The group.
        normal: Of a mirror, (d,); None for others.
        rotation: Generator of the rotations about the same axis, (d, d); None if it is no rotation.
    """

    name: str
    element: Array
    group: Group
    normal: Array | None = None
    rotation: Array | None = None


@dataclass(frozen=True, eq=False)
class CandidateDefect:
    """A candidate and its defect by a fit."""

    candidate: Candidate
    defect: Defect


def mirror(normal: Array, decimals: int = 4) -> Candidate:
    """The mirror whose plane is perpendicular to a direction (d,): one of whole numbers, or of unit length to some decimals.

    Example:
        >>> import numpy as np
        >>> mirror(np.array([0.0, 1.0, 0.0])).group, mirror(np.array([2.0, -1.0, 0.0])).name
        (O(1)@3[1], 'mirror normal to (2,-1,0)')
    """
    axis = _forward(normal) if _is_whole(normal) else np.array(rounded_axis(normal, decimals))
    d, unit = len(axis), axis / np.linalg.norm(axis)
    element = reflection(unit)
    if np.count_nonzero(axis) == 1:
        place = int(np.abs(axis).argmax())
        name = f"mirror of {'xyz'[place]}" if d <= 3 else f"mirror of coordinate {place}"
        return Candidate(name, np.diag(np.round(np.diag(element))), O(1).embed(d, (place,)), unit)
    name = f"mirror normal to {axis_text(axis.tolist())}"
    return Candidate(name, element, Group.from_generators(discrete=[element], name=name), unit)


def candidates(d: int, axes: Array) -> list[Candidate]:
    """All that are tried, given axes (m, d) of the data."""
    inversion = Group.from_generators(discrete=[-np.eye(d)], name="inversion")
    found = [Candidate("inversion", -np.eye(d), inversion)]
    if d > 1:
        found += [mirror(direction) for direction in (*np.eye(d), *axes)]
    if d == 2:
        rotation = SO(2).lie_algebra[0]
        found += [
            Candidate(f"rotation by 1/{n}", C(n).discrete_generators[0], C(n), rotation=rotation)
            for n in FOLDS[1:]
        ]
    if d == 3:
        diagonal = np.ones((1, 3))
        for direction in (*np.eye(3), *axes, *diagonal):
            for n in FOLDS:
                axis = rounded_axis(direction)
                group, rotation = C(n).about(axis), SO(2).about(axis).lie_algebra[0]
                name = f"rotation by 1/{n} about {axis_text(axis)}"
                found.append(Candidate(name, group.discrete_generators[0], group, rotation=rotation))
    if d > 1:
        for i, j in itertools.combinations(range(d), 2):
            swap = S(2).embed(d, (i, j))
            found.append(Candidate(f"exchange of coordinates {i} and {j}", swap.discrete_generators[0], swap))
    return found


def find_axes(lie: LieDerivative) -> Array:
    """Axes (m, d) of the data: eigenvectors of the Lie derivative among rotations."""
    d = lie.source.dim
    if d not in (2, 3) or lie.source.affine:
        return np.zeros((0, d))
    if d == 2:
        angles = np.arange(12) * np.pi / 12
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rotations = SO(3).lie_algebra
    coefficients = rotations.reshape(3, -1) @ lie.basis.reshape(len(lie.basis), -1).T
    vectors = lie.spectrum(coefficients)[1] @ lie.basis.reshape(len(lie.basis), -1)
    A = vectors.reshape(-1, 3, 3)
    return np.stack([A[:, 2, 1], A[:, 0, 2], A[:, 1, 0]], axis=1)


def try_all(
    first: tuple[LieDerivative, Predict],
    second: tuple[LieDerivative, Predict],
    holds: Callable[[Group], bool],
    axis: Array | None = None,
    Y: Array | None = None,
) -> list[CandidateDefect]:
    """Tests the candidates with the smallest violation by the first fit that are not known to hold already, the most exact first.

    Args:
        first: The Lie derivative of the fit of the selection rows, and its values (n, q), scaled, at inputs (n, D) in their units.
        second: Those of the inference rows, by which the candidates are tested.
        holds: Whether a group is inside what is known to hold.
        axis: Of an exact rotation of space, (3,): mirrors nearly along or across it are so exactly, and one of each is enough.
        Y: Outputs (n, q) of the selection rows, by which the planes of mirrors are refined; None if residuals of a model are fitted.
    """
    lie, predict = first
    values, X = predict(lie.X), lie.X[:PROBED]
    may_rotate: dict[bytes, bool] = {}  # one answer for all rotations about an axis
    rough: list[tuple[float, Candidate]] = []
    axes = find_axes(lie)
    axes = axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-300)
    if axis is not None:
        axis = axis / np.linalg.norm(axis)
        axes = np.array([axis, *(one for one in axes if abs(one @ axis) < np.cos(np.radians(APART)))])
    for start in candidates(lie.source.dim, axes):
        if _is_known(start, [each for _, each in rough]):
            continue
        one = start
        if one.normal is not None and not _is_upright(one.normal):
            normal, violation = _refine_normal(one.normal, lie, predict, values)
            one = mirror(normal)
            if (
                Y is not None and axis is None and violation <= ABSENT_ABOVE
            ):  # near enough to refine the plane
                found = refined_normal(normal, lie.fit.kernel, lie.source, lie.target, lie.X, Y)
                one = mirror(found, FINE)
        one = _align(one, axis)
        if _is_known(one, [each for _, each in rough]) or holds(one.group):
            continue
        if one.rotation is not None:
            key = one.rotation.tobytes()
            may_rotate[key] = may_rotate[key] if key in may_rotate else _may_rotate(one.rotation, lie)
            if may_rotate[key]:
                continue
        there = predict(lie.source.transform(one.element, X))
        violation = lie.element_violation(one.element, values[:PROBED], there)
        if violation <= ABSENT_ABOVE:
            rough.append((violation, one))
    rough.sort(key=lambda pair: pair[0])
    tried = [_measure(one, *second) for _, one in rough[:MOST]]
    return sorted(tried, key=lambda each: each.defect.interval[1])


def _measure(one: Candidate, lie: LieDerivative, predict: Predict) -> CandidateDefect:
    X = lie.X[:PROBED]
    return CandidateDefect(
        one, lie.element_defect(one.element, predict(X), predict(lie.source.transform(one.element, X)))
    )


def _align(one: Candidate, axis: Array | None) -> Candidate:
    """A mirror nearly along or across an axis, exactly so; across it one stands for all."""
    if one.normal is None or axis is None:
        return one
    along = float(one.normal @ axis)
    if abs(along) > np.cos(np.radians(APART)):
        return mirror(axis)
    if abs(along) < np.sin(np.radians(APART)):
        across = np.eye(3)[int(np.abs(axis).argmin())]
        return mirror(across - (across @ axis) * axis)
    return one


def _may_rotate(rotation: Array, lie: LieDerivative) -> bool:
    """Whether rotations by a fraction are implied, because the fit does not refute all rotations about their axis."""
    coefficients = rotation.ravel() @ lie.basis.reshape(len(lie.basis), -1).T
    return lie.defect(coefficients).p_value >= LEVEL


def _refine_normal(normal: Array, lie: LieDerivative, predict: Predict, values: Array) -> tuple[Array, float]:
    """The normal nearby with the smallest violation of its reflection, and that violation."""
    few = slice(0, MOVING)

    def violation(normal: Array) -> float:
        element = reflection(normal)
        there = predict(lie.source.transform(element, lie.X[few]))
        return lie.element_violation(element, values[few], there)

    best = minimize(
        violation, normal, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-9, "maxfev": 120}
    )
    return np.asarray(best.x), float(best.fun)


def _forward(normal: Array) -> Array:
    """The direction with its largest number positive."""
    return np.asarray(normal * np.sign(normal[np.abs(normal).argmax()]) + 0.0)


def _is_whole(normal: Array) -> bool:
    return bool(np.all(normal == np.round(normal)))


def _is_upright(normal: Array) -> bool:
    return np.count_nonzero(normal) == 1


def _is_known(one: Candidate, others: list[Candidate]) -> bool:
    """Whether nearly the same element was tried before."""
    far = 2 * np.sin(np.radians(APART))
    return any(np.linalg.norm(one.element - each.element) < far for each in others)
