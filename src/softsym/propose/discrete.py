r"""Discrete candidates: elements that no Lie derivative shows.

Minus the identity, reflections, rotations by a fraction of a circle and signed permutations of coordinates, about coordinate axes and
about axes of the data: the eigenvectors of the Lie derivative among rotations. (A reflection commutes with rotations about its normal and
reverses the others, so its normal is one of these.) A fitted function says how far each element h is from a symmetry,
:math:`\rho_{out}(h) f(x) - f(\rho_{in}(h) x)`; normals of reflections are moved to where this is smallest. The nearest ones are joined to
what is known to hold as long as the rows stay as likely.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from softsym.groups import SO, SO13, C, Group, Lorentz, O, S, SO13p
from softsym.groups.group import axis_text
from softsym.propose.algebra import contains, rounded_axis
from softsym.propose.columns import Rows
from softsym.propose.lie_derivative import LieMatrix, SmoothFit
from softsym.propose.search import TIED, Candidate, GroupFit, fit_group, is_as_good, refine
from softsym.typing import Array

Predict = Callable[[Array], Array]
FOLDS = (2, 3, 4, 6)  # fractions of a full rotation that are tried
MAX_TRIED = 8  # so many that a fit is nearest to are compared by likelihood
LARGEST = 0.3  # relative violation by the fit from which an element is not considered
INSIDE = 1e-5  # relative violation by a random equivariant function up to which a rotation is of its group
PROBED = 150  # rows at which violations are measured
APART = 3.0  # degrees within which two axes are one
ENUMERATED = 3  # dimension up to which all signed permutations are tried
ROUND = 3  # largest number of a direction in round numbers


@dataclass(frozen=True, eq=False)
class Element:
    """A discrete group to try, by its generator (d, d), and of a reflection the normal (d,)."""

    name: str
    matrix: Array
    group: Group
    normal: Array | None = None


def reflection_matrix(normal: Array) -> Array:
    """The matrix (d, d) of the reflection whose plane is perpendicular to a direction (d,)."""
    unit = normal / np.linalg.norm(normal)
    return np.asarray(np.eye(len(unit)) - 2 * np.outer(unit, unit))


def reflection(normal: Array) -> Element:
    """The reflection whose plane is perpendicular to a direction (d,): one of whole numbers, or of unit length to seven decimals."""
    forward = normal * np.sign(normal[np.abs(normal).argmax()]) + 0.0
    axis = forward if np.array_equal(normal, np.round(normal)) else np.array(rounded_axis(normal, 7))
    matrix = reflection_matrix(axis)
    if np.count_nonzero(axis) == 1:
        place, d = int(np.abs(axis).argmax()), len(axis)
        name = f"reflection of {'xyz'[place]}" if d <= 3 else f"reflection of coordinate {place}"
        return Element(name, np.diag(np.round(np.diag(matrix))), O(1).embed(d, (place,)), axis)
    name = f"reflection normal to {axis_text(axis.tolist())}"
    return Element(name, matrix, Group.from_generators(discrete=[matrix], name=name), axis)


def find_axes(lie: LieMatrix, d: int) -> Array:
    """Axes (m, d) of the data: eigenvectors of the Lie derivative among rotations; in the plane, directions all around."""
    if d == 2:
        angles = np.arange(12) * np.pi / 12
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if d != 3:
        return np.zeros((0, d))
    A = lie.spectrum(SO(3).lie_algebra)[1]
    axes = np.stack([A[:, 2, 1], A[:, 0, 2], A[:, 1, 0]], axis=1)
    return np.asarray(axes / np.linalg.norm(axes, axis=1, keepdims=True))


def elements(d: int, axes: Array) -> Iterator[Element]:
    """All that are tried, given axes (m, d) of the data."""
    yield Element("minus the identity", -np.eye(d), Group.from_generators(discrete=[-np.eye(d)], name="minus identity"))
    if d == 1:
        return
    yield from (reflection(direction) for direction in (*np.eye(d), *axes))
    for i, j in itertools.combinations(range(d), 2):
        exchange = S(2).embed(d, (i, j))
        yield Element(f"exchange of coordinates {i} and {j}", exchange.discrete_generators[0], exchange)
    if d == 2:
        yield from (Element(f"rotation by 1/{n}", C(n).discrete_generators[0], C(n)) for n in FOLDS[1:])
    if d == 3:
        for direction in (*np.eye(3), *axes, np.ones(3)):
            axis = rounded_axis(direction)
            for n in FOLDS:
                group = C(n).about(axis)
                yield Element(f"rotation by 1/{n} about {axis_text(axis)}", group.discrete_generators[0], group)
    if d <= ENUMERATED:
        for order in itertools.permutations(range(d)):
            for signs in itertools.product((1.0, -1.0), repeat=d):
                yield signed_permutation(np.eye(d)[list(order)] * np.array(signs)[:, None])


def signed_permutation(matrix: Array) -> Element:
    """A signed permutation (d, d) of the coordinates."""
    places = [f"{'-' if row.min() < 0 else ''}{int(np.abs(row).argmax())}" for row in matrix]
    name = f"signed permutation ({', '.join(places)})"
    return Element(name, matrix, Group.from_generators(discrete=[matrix], name=name))


def matched_permutation(rows: Rows, predict: Predict) -> Element | None:
    """The exchange of pairs of coordinates, some with a sign, that the target function is nearest to, such as left and right of a robot.

    Coordinates are paired by signatures, which are the same for both of a pair whatever their signs: how steep every output is along them
    and how they are distributed. Signs follow one by one, those that make the violation smallest.
    """
    d, X = rows.columns.dim, rows.X
    if d <= ENUMERATED:
        return None
    step, rates = 1e-3, rows.input_rates(np.array([np.diag(unit) for unit in np.eye(d)]))
    slopes = np.array([predict(X + step * X @ rate.T) - predict(X - step * X @ rate.T) for rate in rates]) / (2 * step)
    strength = np.sort(np.mean(np.abs(slopes), axis=1), axis=1)  # (d, q)
    moments = np.array([np.mean(np.abs(X @ rate.T)) for rate in rates])[:, None]
    signature = np.concatenate([strength / max(float(strength.max()), 1e-300), moments / moments.max()], axis=1)
    cost = np.linalg.norm(signature[:, None] - signature[None], axis=2)
    np.fill_diagonal(cost, np.inf)
    np.fill_diagonal(cost, float(np.median(cost.min(axis=1))))  # some are their own partners
    ways = [pairs for pairs in _pairings(list(range(d))) if pairs != list(range(d))]
    ways.sort(key=lambda pairs: float(sum(cost[i, j] for i, j in enumerate(pairs))))
    found = [_best_signs(rows, predict, pairs) for pairs in ways[:MAX_TRIED]]
    return signed_permutation(min(found, key=lambda each: each[0])[1])


def _pairings(left: list[int], found: tuple[tuple[int, int], ...] = ()) -> Iterator[list[int]]:
    """All ways to pair coordinates with each other or with themselves, as lists of partners."""
    if not left:
        partners = dict([*found, *((j, i) for i, j in found)])
        yield [partners[i] for i in range(len(partners))]
        return
    first = left[0]
    for other in left:
        yield from _pairings([i for i in left if i not in (first, other)], (*found, (first, other)))


def _best_signs(rows: Rows, predict: Predict, pairs: list[int]) -> tuple[float, Array]:
    """The violation of an exchange of pairs with the signs, chosen one by one, that make it smallest, and its matrix (d, d)."""
    best = np.eye(len(pairs))[pairs]
    smallest = element_violation(rows, predict, best)
    for i, j in enumerate(pairs):
        tried = best.copy()
        tried[[i, j]] = -np.abs(tried[[i, j]])
        violation = element_violation(rows, predict, tried) if i <= j else np.inf
        if violation < smallest:
            best, smallest = tried, violation
    return smallest, best


def element_violation(rows: Rows, predict: Predict, matrix: Array, values: Array | None = None) -> float:
    """Relative violation of one element (d, d) by a fitted function."""
    X, space = rows.X[:PROBED], rows.columns.space
    values = predict(X) if values is None else values
    there = predict(X @ rows.columns.rep_in.rho(space, matrix).T)
    gap = values @ rows.columns.rep_out.rho(space, matrix).T - there
    return math.sqrt(float(np.sum(gap**2)) / max(4.0 * float(np.sum(values**2)), 1e-300))


@dataclass(frozen=True, eq=False)
class Joined:
    """A group with the discrete elements that were added to it, and whether a normal came from data."""

    group: Group | None
    parts: tuple[Element, ...]
    from_data: bool = False


def join_elements(
    rows: Rows, connected: Group | None, base: GroupFit | None, unconstrained: SmoothFit, lie: LieMatrix
) -> Joined:
    """Adds discrete elements to a connected group as long as the selection rows are as likely as under it."""
    start = unconstrained if base is None else base
    height, predict = start.log_likelihood, start.predict
    axes, axis = find_axes(lie, rows.columns.dim), rotation_axis(connected)
    if axis is not None:
        axes = np.array([axis, *(one for one in axes if abs(one @ axis) < math.cos(math.radians(APART)))])
    joined, best = Joined(connected, ()), base
    for near in _nearest(rows, predict, axes, axis, None if base is None else _random_function(base)):
        is_free = axis is None and near.normal is not None and bool(np.count_nonzero(near.normal) > 1)
        one = _refine_reflection(rows, near) if is_free else near
        if joined.group is not None and contains(joined.group, one.group):
            continue
        larger = one.group if joined.group is None else _join(joined.group, one.group)
        fitted = None if larger is None else fit_group(rows, larger)
        if larger is None or fitted is None:
            continue
        if fitted.log_likelihood >= height - TIED or (best is not None and is_as_good(fitted, best)):
            is_whole = one.normal is not None and np.array_equal(one.normal, np.round(one.normal))
            joined = Joined(larger, (*joined.parts, one), joined.from_data or (is_free and not is_whole))
            height, best = max(height, fitted.log_likelihood), fitted
    return joined


def _random_function(base: GroupFit) -> Predict:
    """A function with the symmetry and no other, if the features have none."""
    rng = np.random.default_rng(0)
    blocks = (replace(block, weights=rng.standard_normal(block.weights.shape)) for block in base.blocks)
    return replace(base, blocks=tuple(blocks)).predict


def _nearest(rows: Rows, predict: Predict, axes: Array, axis: Array | None, base: Predict | None) -> list[Element]:
    """The elements with the smallest violation by a fitted function, those of its own group left out; normals are moved to where it is."""
    values = predict(rows.X[:PROBED])
    found: list[tuple[float, Element]] = []
    matched = matched_permutation(rows, predict)
    for one in itertools.chain(elements(rows.columns.dim, axes), [] if matched is None else [matched]):
        if _is_listed(one, found) or np.array_equal(one.matrix, np.eye(len(one.matrix))):
            continue
        violation = element_violation(rows, predict, one.matrix, values)
        if base is not None and np.linalg.det(one.matrix) > 0 and element_violation(rows, base, one.matrix) < INSIDE:
            continue
        if one.normal is not None and np.count_nonzero(one.normal) > 1 and violation < 2 * LARGEST:
            moved = minimize(
                lambda direction: element_violation(rows, predict, reflection_matrix(direction), values),
                one.normal,
                method="Nelder-Mead",
                options={"xatol": 1e-4, "fatol": 1e-9, "maxfev": 80},
            )
            one = _align(reflection(moved.x), axis)
            violation = element_violation(rows, predict, one.matrix, values)
        if violation < LARGEST and not _is_listed(one, found):
            found.append((violation, one))
    found.sort(key=lambda pair: pair[0])
    return sorted((one for _, one in found[:MAX_TRIED]), key=lambda one: one.name != "minus the identity")


def _refine_reflection(rows: Rows, one: Element) -> Element:
    """The likeliest reflection nearby, in round numbers where these are as likely."""
    fitted = fit_group(rows, one.group)
    if fitted is None or one.normal is None:
        return one
    d = rows.columns.dim
    refined = refine(Candidate(np.zeros((0, d, d)), fitted), SO(d).lie_algebra / math.sqrt(2.0))
    moved = one if refined is None else reflection(refined.fitted.frame @ one.normal)
    again = fit_group(rows, moved.group)
    if again is None or again.log_likelihood < fitted.log_likelihood:
        moved, again = one, fitted
    assert moved.normal is not None
    near = math.cos(math.radians(APART)) * np.linalg.norm(moved.normal)
    numbers = itertools.product(range(-ROUND, ROUND + 1), repeat=d if d <= 3 else 0)
    whole = [np.array(each, dtype=np.float64) for each in numbers if each and math.gcd(*each) == 1]
    close = [each for each in whole if moved.normal @ each > near * np.linalg.norm(each)]
    for tried in map(reflection, sorted(close, key=np.linalg.norm)):
        rounded = fit_group(rows, tried.group)
        if rounded is not None and is_as_good(rounded, again):
            return tried
    return moved


def rotation_axis(group: Group | None) -> Array | None:
    """The axis (3,) of a group of rotations of space about one axis; None for others."""
    if group is None or group.dim != 3:
        return None
    rotating = [A for A in group.lie_algebra if np.allclose(A, -A.T, atol=1e-6)]
    if len(rotating) != 1:
        return None
    A = rotating[0]
    return np.array(rounded_axis(np.array([A[2, 1], A[0, 2], A[1, 0]])))


def _join(whole: Group, group: Group) -> Group | None:
    """The group that both generate, by its name where it has one; None if it is neither continuous nor finite."""
    d = whole.dim
    for smaller, known in ((SO(d), O(d)), (SO13p(), SO13()), (SO13(), Lorentz())):
        if whole == smaller and contains(known, group):  # one more component: whatever is new generates the rest
            return known
    axis = rotation_axis(whole)
    if axis is not None and len(whole.lie) == 1 and not whole.discrete and whole.is_orthogonal:
        about = O(2).about(axis.tolist())
        if contains(about, group):
            return about
    joined = whole | group
    return joined if joined.lie or joined.is_finite else None


def _align(one: Element, axis: Array | None) -> Element:
    """A reflection nearly along or across an axis of rotations, exactly so; across it one stands for all."""
    if one.normal is None or axis is None:
        return one
    along = float(one.normal @ axis) / float(np.linalg.norm(one.normal) * np.linalg.norm(axis))
    if abs(along) > math.cos(math.radians(APART)):
        return reflection(axis)
    if abs(along) < math.sin(math.radians(APART)):
        across = np.eye(3)[int(np.abs(axis).argmin())]
        return reflection(across - (across @ axis) * axis / (axis @ axis))
    return one


def _is_listed(one: Element, others: Sequence[tuple[float, Element]]) -> bool:
    """Whether nearly the same element was listed before."""
    far = 2 * math.sin(math.radians(APART))
    return any(np.linalg.norm(one.matrix - each.matrix) < far for _, each in others)
