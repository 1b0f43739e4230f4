r"""Discrete candidates: elements that no derivative finds.

Inversion, mirrors, turns by a fraction of a circle, and exchanges of coordinates, about coordinate axes and about those that the data
single out: the eigenvectors of the Lie derivative among turns. A mirror's normal is one of these, because the mirror leaves turns about it
alone and reverses the others; it is then moved to where the fit is nearest to its mirror image.
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
from softsym.inference.propose.fits.mirrored import refined_normal, reflection
from softsym.inference.verdict import ABSENT_ABOVE
from softsym.typing import Array

Predict = Callable[[Array], Array]
FOLDS = (2, 3, 4, 6)
"""Fractions of a turn that are tried."""
MOST = 8
"""So many that the fit is nearest to are tested."""
MOVING = 100
"""Rows by which a mirror's normal is found."""
FINE = 7
"""Decimals of a refined normal: with little noise data tell so many."""
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
        turning: Generator of the turns that a fraction of a turn is one of, (d, d); None for others.
    """

    name: str
    element: Array
    group: Group
    normal: Array | None = None
    turning: Array | None = None


@dataclass(frozen=True, eq=False)
class Tried:
    """A candidate and what the fit says about it."""

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
    """All that are tried, given directions (m, d) that the data single out."""
    inversion = Group.from_generators(discrete=[-np.eye(d)], name="inversion")
    found = [Candidate("inversion", -np.eye(d), inversion)]
    if d > 1:
        found += [mirror(direction) for direction in (*np.eye(d), *axes)]
    if d == 2:
        turning = SO(2).lie_algebra[0]
        found += [
            Candidate(f"turn by 1/{n}", C(n).discrete_generators[0], C(n), turning=turning) for n in FOLDS[1:]
        ]
    if d == 3:
        diagonal = np.ones((1, 3))
        for direction in (*np.eye(3), *axes, *diagonal):
            for n in FOLDS:
                axis = rounded_axis(direction)
                group, turning = C(n).about(axis), SO(2).about(axis).lie_algebra[0]
                name = f"turn by 1/{n} about {axis_text(axis)}"
                found.append(Candidate(name, group.discrete_generators[0], group, turning=turning))
    if d > 1:
        for i, j in itertools.combinations(range(d), 2):
            swap = S(2).embed(d, (i, j))
            found.append(Candidate(f"exchange of coordinates {i} and {j}", swap.discrete_generators[0], swap))
    return found


def singled_out(lie: LieDerivative) -> Array:
    """Directions (m, d) that turns of the plane or of space single out."""
    d = lie.source.dim
    if d not in (2, 3) or lie.source.affine:
        return np.zeros((0, d))
    if d == 2:
        angles = np.arange(12) * np.pi / 12
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    turns = SO(3).lie_algebra
    coefficients = turns.reshape(3, -1) @ lie.basis.reshape(len(lie.basis), -1).T
    vectors = lie.spectrum(coefficients)[1] @ lie.basis.reshape(len(lie.basis), -1)
    A = vectors.reshape(-1, 3, 3)
    return np.stack([A[:, 2, 1], A[:, 0, 2], A[:, 1, 0]], axis=1)


def try_all(
    first: tuple[LieDerivative, Predict],
    second: tuple[LieDerivative, Predict],
    holds: Callable[[Group], bool],
    axis: Array | None = None,
    Y: Array | None = None,
) -> list[Tried]:
    """Tries the candidates that the first half's fit is nearest to and that are not known to hold already, the most exact first.

    Args:
        first: The Lie derivative of the first half's fit, and its values (n, q), scaled, at inputs (n, D) in their units.
        second: Those of the second half, by which the candidates are tested.
        holds: Whether a group is inside what is known to hold.
        axis: Of an exact turn of space, (3,): mirrors nearly along or across it are so exactly, and one of each is enough.
        Y: Outputs (n, q) of the first half, by which the planes of mirrors are refined; None if only what a model leaves of them is
            fitted.
    """
    lie, predict = first
    values, X = predict(lie.X), lie.X[:PROBED]
    may_turn: dict[bytes, bool] = {}  # one answer for all fractions of a turn about an axis
    rough: list[tuple[float, Candidate]] = []
    axes = singled_out(lie)
    axes = axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-300)
    if axis is not None:
        axis = axis / np.linalg.norm(axis)
        axes = np.array([axis, *(one for one in axes if abs(one @ axis) < np.cos(np.radians(APART)))])
    for start in candidates(lie.source.dim, axes):
        if _is_there(start, [each for _, each in rough]):
            continue
        one = start
        if one.normal is not None and not _is_upright(one.normal):
            normal, violation = _moved(one.normal, lie, predict, values)
            one = mirror(normal)
            if (
                Y is not None and axis is None and violation <= ABSENT_ABOVE
            ):  # near enough to ask where the plane is
                found = refined_normal(normal, lie.fit.kernel, lie.source, lie.target, lie.X, Y)
                one = mirror(found, FINE)
        one = _straightened(one, axis)
        if _is_there(one, [each for _, each in rough]) or holds(one.group):
            continue
        if one.turning is not None:
            key = one.turning.tobytes()
            may_turn[key] = may_turn[key] if key in may_turn else _may_turn(one.turning, lie)
            if may_turn[key]:
                continue
        there = predict(lie.source.moved(one.element, X))
        violation = lie.element_violation(one.element, values[:PROBED], there)
        if violation <= ABSENT_ABOVE:
            rough.append((violation, one))
    rough.sort(key=lambda pair: pair[0])
    tried = [_tried(one, *second) for _, one in rough[:MOST]]
    return sorted(tried, key=lambda each: each.defect.interval[1])


def _tried(one: Candidate, lie: LieDerivative, predict: Predict) -> Tried:
    X = lie.X[:PROBED]
    return Tried(one, lie.element_defect(one.element, predict(X), predict(lie.source.moved(one.element, X))))


def _straightened(one: Candidate, axis: Array | None) -> Candidate:
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


def _may_turn(turning: Array, lie: LieDerivative) -> bool:
    """Whether fractions of a turn say nothing new, because the fit does not refute all turns about their axis."""
    coefficients = turning.ravel() @ lie.basis.reshape(len(lie.basis), -1).T
    return lie.defect(coefficients).p_value >= LEVEL


def _moved(normal: Array, lie: LieDerivative, predict: Predict, values: Array) -> tuple[Array, float]:
    """The normal nearby to whose mirror image the fit is nearest, and how near that is."""
    few = slice(0, MOVING)

    def violation(normal: Array) -> float:
        element = reflection(normal)
        there = predict(lie.source.moved(element, lie.X[few]))
        return lie.element_violation(element, values[few], there)

    best = minimize(
        violation, normal, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-9, "maxfev": 120}
    )
    return np.asarray(best.x), float(best.fun)


def _forward(normal: Array) -> Array:
    """The same direction, its largest number positive."""
    return np.asarray(normal * np.sign(normal[np.abs(normal).argmax()]) + 0.0)


def _is_whole(normal: Array) -> bool:
    return bool(np.all(normal == np.round(normal)))


def _is_upright(normal: Array) -> bool:
    return np.count_nonzero(normal) == 1


def _is_there(one: Candidate, others: list[Candidate]) -> bool:
    """Whether nearly the same element was tried before."""
    far = 2 * np.sin(np.radians(APART))
    return any(np.linalg.norm(one.element - each.element) < far for each in others)
