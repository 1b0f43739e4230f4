"""Checks of inputs before anything is trained on them: which normalisations keep which symmetry, and the orbit overlap of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from softsym.groups import Group, join_groups, read_groups
from softsym.metrics.normalisation import Break, Normalisation, applicable, fit_normalisation, measure_break
from softsym.metrics.transform import OrbitOverlap, orbit_overlap
from softsym.progress import track
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array

UNEVEN = 0.1
"""A column with less than this share of the largest standard deviation is hard to learn from."""


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
    checks = [
        _check(each, X, names, tuple(column)) for each, column in zip(fitted, zip(*breaks, strict=True), strict=True)
    ]
    return InputCheck(tuple(checks), tuple(overlaps), *recommend(checks))


def _check(
    normalisation: Normalisation, X: Array, names: Sequence[str], breaks: tuple[Break, ...]
) -> NormalisationCheck:
    stds = normalisation.apply(X).std(axis=0)
    stds[X.min(axis=0) == X.max(axis=0)] = float("inf")  # constant columns do not count
    smallest = names[int(stds.argmin())]
    return NormalisationCheck(normalisation.name, breaks, normalisation.evenness(X), smallest)


def recommend(checks: Sequence[NormalisationCheck]) -> tuple[str, str]:
    """A normalisation that keeps every candidate symmetry, and why.

    Normalisations of trajectories lose their position, so they are recommended only if asked about. Among the others ``per-axis``
    is better if it happens to keep every symmetry; ``common-scale`` keeps them by construction.
    """
    by_name = {check.name: check for check in checks}
    common, each = by_name.get("common-scale"), by_name.get("per-axis")
    if len(checks) == 1:
        return _judge(checks[0])
    if each is not None and each.keeps_all and (common is None or each.evenness > 1.01 * common.evenness):
        return "per-axis", f"it keeps {_names(each)} exactly and makes every column equally large"
    reason = "it keeps every candidate symmetry by construction"
    if common is not None:
        reason = f"it keeps {_names(common)} exactly" + _broken_groups(each) + _caveat(common, each)
    return "common-scale", reason


def _judge(check: NormalisationCheck) -> tuple[str, str]:
    if check.keeps_all:
        return check.name, f"it keeps {_names(check)} exactly" + _caveat(check, None)
    return "common-scale", f"it keeps every candidate symmetry by construction{_broken_groups(check)}"


def _names(check: NormalisationCheck) -> str:
    names = [entry.group for entry in check.breaks]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _broken_groups(check: NormalisationCheck | None) -> str:
    """The groups that a normalisation breaks, as the end of a sentence."""
    broken = [] if check is None else [entry for entry in check.breaks if not entry.is_kept]
    if check is None or not broken:
        return ""
    worst = ", ".join(f"{entry.group} by {entry.error:.2g}" for entry in broken)
    return f"; {check.name} breaks {worst}"


def _caveat(chosen: NormalisationCheck, each: NormalisationCheck | None) -> str:
    """A warning where a column is left small, and what ``per-axis`` would break instead."""
    if chosen.evenness >= UNEVEN:
        return ""
    text = (
        f". But column {chosen.smallest!r} is left with {chosen.evenness:.2g} of the largest standard deviation "
        "and is hard to learn from"
    )
    broken = [] if each is None else [entry for entry in each.breaks if not entry.is_kept]
    if not broken:
        return text
    mildest = min(broken, key=lambda entry: entry.error)
    return f"{text}; if the outputs depend on it, per-axis is the lesser evil for {mildest.group} (broken by {mildest.error:.2g})"
