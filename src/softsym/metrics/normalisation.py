r"""Normalisations of data, how much each breaks a symmetry, and the check of inputs before anything is trained on them.

A normalisation is an affine map :math:`x \mapsto D x + b` fitted to the data. Data keep their symmetry under G through it iff D is an
equivariant map of the representation into itself and b is invariant. So the break is exact linear algebra,

.. math:: \text{map: } \frac{|D - P_G D|}{|D|}, \qquad \text{shift: } \frac{|b - P_G b|}{\text{root mean square of } |D x + b|} ,

and, for intuition, the mean of :math:`|D \rho x + b - \rho (D x + b)|` over the sum of both norms, over data and group elements.

``common-scale`` keeps all candidate groups by construction (:func:`softsym.metrics.transform.fit_shift_and_scale`): scalars are
standardised each by itself, all copies of any other type share one scale, a multiple of the identity, which commutes with every matrix, and
the shift is the column means projected onto the invariants of all candidate groups joined.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from softsym.arrays import make_rng
from softsym.errors import InputError
from softsym.groups import Group, join_groups, read_groups
from softsym.metrics.equivariance import relative_error
from softsym.metrics.transform import OrbitOverlap, act, columns_by_type, fit_shift_and_scale, orbit_overlap
from softsym.progress import track
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.spaces import equivariant_maps, invariants
from softsym.typing import Array

TRAJECTORY = ("scale-aware", "symmetry-aware", "symmetry-scale-aware")
"""Normalisations of trajectories, which are centred on their own mean first."""
NORMALISATIONS = ("none", "per-axis", "common-scale", *TRAJECTORY)
SURVIVING = (1.0, 1.0, 0.993)
"""Share of the mean that centring takes away along each axis if a little of the elevation is to survive."""
EXACT = 1e-9  # a break up to this is rounding
PROBES, TRANSFORMS = 200, 20

UNEVEN = 0.1  # a column with less than this share of the largest standard deviation is hard to learn from


@dataclass(frozen=True, eq=False)
class Normalisation:
    """An affine map fitted to data."""

    name: str  # one of :data:`NORMALISATIONS`
    matrix: Array  # D, shape (n, n)
    shift: Array  # b, shape (n,)

    def apply(self, X: Array) -> Array:
        """Normalised data, shape (rows, n)."""
        return X @ self.matrix.T + self.shift

    def evenness(self, X: Array) -> float:
        """Smallest standard deviation of a normalised column over the largest; 1 is even, constant columns do not count."""
        deviations = self.apply(X).std(axis=0)
        varying = deviations[X.std(axis=0) > 1e-12 * np.abs(X).max(axis=0, initial=1e-300)]
        return float(varying.min() / varying.max()) if len(varying) and varying.max() > 0 else 1.0


@dataclass(frozen=True)
class Break:
    """How much a normalisation breaks a group."""

    group: str  # the group's name
    map: float  # relative distance of D from the equivariant maps
    shift: float  # distance of b from the invariants, relative to the size of normalised data
    error: float  # mean of |D rho x + b - rho (D x + b)| over the sum of both norms

    @property
    def is_kept(self) -> bool:
        """Whether the symmetry survives."""
        return self.map <= EXACT and self.shift <= EXACT


def fit_normalisation(name: str, X: Array, rep: Rep, groups: Sequence[Group]) -> Normalisation:
    """Fits a normalisation to data; refuses one that does not apply to the representation."""
    if name not in NORMALISATIONS:
        raise InputError(f"unknown normalisation {name!r}; pass one of {', '.join(NORMALISATIONS)}")
    if name in TRAJECTORY:
        return _trajectory(name, X, rep, groups)
    if name == "none":
        return Normalisation(name, np.eye(X.shape[1]), np.zeros(X.shape[1]))
    shift, scale = fit_shift_and_scale(X, rep, groups if name == "common-scale" else ())
    return Normalisation(name, np.diag(1 / scale), -shift / scale)


def applicable(rep: Rep, group: Group) -> list[str]:
    """The normalisations that make sense for a representation; trajectories need at least two points."""
    return [name for name in NORMALISATIONS if name not in TRAJECTORY or not _why_inapplicable(name, rep, group)]


def measure_break(normalisation: Normalisation, X: Array, rep: Rep, group: Group, *, seed: int = 0) -> Break:
    """Measures how much a normalisation breaks a group.

    Args:
        normalisation: The affine map.
        X: Data (rows, size of ``rep``).
        rep: How the columns transform.
        group: The group.
        seed: Seed of the group elements and rows at which the error is measured.
    """
    D, b = normalisation.matrix, normalisation.shift
    rng = make_rng(seed)
    rows = X[rng.permutation(len(X))[:PROBES]]
    parts = group.sample_parts(TRANSFORMS, rng)
    first = normalisation.apply(act(rep, group, parts, rows))
    second = act(rep, group, parts, normalisation.apply(rows))
    return Break(
        group.name,
        map=_ratio(equivariant_maps(rep, rep, group).distance(D), np.linalg.norm(D)),
        shift=_ratio(invariants(rep, group).distance(b), np.sqrt((normalisation.apply(X) ** 2).sum(1).mean())),
        error=float(relative_error(first, second).mean()),
    )


def _ratio(part: float | np.floating, whole: float | np.floating) -> float:
    return float(part / whole) if whole > 0 else 0.0


def _trajectory(name: str, X: Array, rep: Rep, groups: Sequence[Group]) -> Normalisation:
    """Points centred on their mean, then divided by the standard deviation of each axis or of all; scalars standardised."""
    group = join_groups(dict.fromkeys(groups))
    problem = _why_inapplicable(name, rep, group)
    if problem:
        raise InputError(f"normalisation {name!r} is for trajectories: {problem}")
    D, b = np.eye(X.shape[1]), np.zeros(X.shape[1])
    for tensor_type, index in columns_by_type(rep, group).items():
        if tensor_type.rank == 0:
            shift, scale = fit_shift_and_scale(X[:, index], None, ())
            D[index, index], b[index] = 1 / scale, -shift / scale
        else:
            D[np.ix_(index, index)], b[index] = _center(name, X[:, index], tensor_type.size(group))
    return Normalisation(name, D, b)


def _center(name: str, X: Array, size: int) -> tuple[Array, Array]:
    points = X.shape[1] // size
    alpha = np.array(SURVIVING if name == "symmetry-scale-aware" else np.ones(size))
    centring = np.eye(X.shape[1]) - np.kron(np.full((points, points), 1 / points), np.diag(alpha))
    centred = (X @ centring.T).reshape(-1, size)
    mean = centred.mean(axis=0)
    scale = centred.std(axis=0) if name == "scale-aware" else np.full(size, centred.std())
    scale = np.where(scale > 0, scale, 1.0)
    return centring / np.tile(scale, points)[:, None], np.tile(-mean / scale, points)


def _why_inapplicable(name: str, rep: Rep, group: Group) -> str:
    """Why a normalisation of trajectories does not apply to the representation; empty if it does."""
    columns = {kind: len(index) for kind, index in columns_by_type(rep, group).items() if kind.rank}
    if not columns or any(count < 2 * kind.size(group) for kind, count in columns.items()):
        return f"{rep} has no two points of the same kind to centre on their mean"
    if name == "symmetry-scale-aware" and any(kind.size(group) != len(SURVIVING) for kind in columns):
        return f"it treats z apart, so points must have 3 coordinates; {rep} under {group.name} has others"
    return ""


@dataclass(frozen=True)
class NormalisationCheck:
    """Effect of one normalisation on the data."""

    name: str  # the normalisation
    breaks: tuple[Break, ...]  # how much it breaks each group
    evenness: float  # smallest standard deviation of a normalised column over the largest
    smallest: str  # the column with the smallest standard deviation

    @property
    def keeps_all(self) -> bool:
        """Whether every symmetry survives."""
        return all(entry.is_kept for entry in self.breaks)


@dataclass(frozen=True)
class InputCheck:
    """The result of :func:`check_inputs`."""

    normalisations: tuple[NormalisationCheck, ...]  # the effect of each
    overlaps: tuple[OrbitOverlap, ...]  # orbit overlap of each group
    recommended: str  # A normalisation to use
    reason: str  # why

    def to_dict(self) -> dict[str, Any]:
        """Numbers and strings, for JSON."""
        return {
            "normalisations": [
                {
                    "name": check.name,
                    "evenness": check.evenness,
                    "smallest": check.smallest,
                    "groups": [{**asdict(entry), "keeps": entry.is_kept} for entry in check.breaks],
                }
                for check in self.normalisations
            ],
            "coverage": [
                {"group": entry.group, "value": entry.value, "grade": entry.grade, "meaning": entry.meaning}
                for entry in self.overlaps
            ],
            "recommended": self.recommended,
            "reason": self.reason,
        }


def check_inputs(
    X: Array,
    names: Sequence[str],
    rep: Rep | str,
    groups: Sequence[Group | str],
    *,
    normalisation: str | None = None,
    seed: int = 0,
    quiet: bool = True,
) -> InputCheck:
    """Measures the effect of normalisations and the orbit overlap of each group, and recommends a normalisation."""
    rep, candidates = read_rep(rep), read_groups(groups)
    known = applicable(rep, join_groups(dict.fromkeys(candidates)))
    chosen = known if normalisation is None else [normalisation]
    fitted = [fit_normalisation(name, X, rep, candidates) for name in chosen]
    breaks: list[list[Break]] = []
    overlaps: list[OrbitOverlap] = []
    for group in track(candidates, "checking", quiet=quiet):
        breaks.append([measure_break(each, X, rep, group, seed=seed) for each in fitted])
        overlaps.append(orbit_overlap(X, rep, group, seed))
    checks = []
    for each, column in zip(fitted, zip(*breaks, strict=True), strict=True):
        stds = each.apply(X).std(axis=0)
        stds[X.min(axis=0) == X.max(axis=0)] = float("inf")  # constant columns do not count
        checks.append(NormalisationCheck(each.name, column, each.evenness(X), names[int(stds.argmin())]))
    return InputCheck(tuple(checks), tuple(overlaps), *recommend(checks))


def recommend(checks: Sequence[NormalisationCheck]) -> tuple[str, str]:
    """A normalisation that keeps every candidate symmetry, and why.

    Normalisations of trajectories lose their position, so they are recommended only if asked about. Among the others ``per-axis``
    is better if it happens to keep every symmetry; ``common-scale`` keeps them by construction.
    """
    if len(checks) == 1 and checks[0].keeps_all:
        return checks[0].name, f"it keeps {_names(checks[0])} exactly" + _caveat(checks[0])
    if len(checks) == 1:
        return "common-scale", f"it keeps every candidate symmetry by construction{_broken_groups(checks[0])}"
    common, each = (next(check for check in checks if check.name == name) for name in ("common-scale", "per-axis"))
    if each.keeps_all and each.evenness > 1.01 * common.evenness:
        return "per-axis", f"it keeps {_names(each)} exactly and makes every column equally large"
    return "common-scale", f"it keeps {_names(common)} exactly" + _broken_groups(each) + _caveat(common, each)


def _names(check: NormalisationCheck) -> str:
    names = [entry.group for entry in check.breaks]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _broken_groups(check: NormalisationCheck) -> str:
    """The groups that a normalisation breaks, as the end of a sentence."""
    worst = ", ".join(f"{entry.group} by {entry.error:.2g}" for entry in check.breaks if not entry.is_kept)
    return f"; {check.name} breaks {worst}" if worst else ""


def _caveat(chosen: NormalisationCheck, each: NormalisationCheck | None = None) -> str:
    """A warning where a column is left small, and what ``per-axis`` would break instead."""
    if chosen.evenness >= UNEVEN:
        return ""
    text = f". But column {chosen.smallest!r} is left with {chosen.evenness:.2g} of the largest standard deviation, hard to learn from"
    broken = [] if each is None else [entry for entry in each.breaks if not entry.is_kept]
    if not broken:
        return text
    mildest = min(broken, key=lambda entry: entry.error)
    return f"{text}; if the outputs depend on it, per-axis is the lesser evil for {mildest.group} (broken by {mildest.error:.2g})"
