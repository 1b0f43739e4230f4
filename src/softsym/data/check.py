"""What ``softsym check`` shows: which normalisations keep which symmetries, and how much of each symmetry the data show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from softsym.data.coverage import Coverage, coverage
from softsym.data.normalisation import (
    Break,
    Normalisation,
    applicable,
    fit_normalisation,
    measure_break,
)
from softsym.data.requirements import check_fit
from softsym.data.table import Table
from softsym.groups import Group, join_groups, read_groups
from softsym.progress import track
from softsym.reps import Rep
from softsym.reps import rep as read_rep

UNEVEN = 0.1
"""A column with less than this share of the largest deviation is hard to learn from."""


@dataclass(frozen=True)
class NormalisationCheck:
    """What one normalisation does to the data.

    Args:
        name: The normalisation.
        breaks: How much it breaks each group.
        evenness: Smallest deviation of a normalised column over the largest.
        smallest: The column with the smallest deviation.
    """

    name: str
    breaks: tuple[Break, ...]
    evenness: float
    smallest: str

    @property
    def keeps_all(self) -> bool:
        """Whether every symmetry survives."""
        return all(entry.is_kept for entry in self.breaks)


@dataclass(frozen=True)
class DataCheck:
    """The result of :func:`check_data`.

    Args:
        source: Where the data come from.
        rep_in: How the inputs transform.
        rows: Number of examples.
        repeated: How many of them repeat the inputs of another.
        normalisations: What each does.
        coverage: How well the data cover the orbits of each group.
        recommended: A normalisation to use.
        reason: Why.
    """

    source: str
    rep_in: str
    rows: int
    repeated: int
    normalisations: tuple[NormalisationCheck, ...]
    coverage: tuple[Coverage, ...]
    recommended: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {
            "schema": 1,
            **asdict(self),
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
                for entry in self.coverage
            ],
        }


def check_data(
    table: Table,
    rep_in: Rep | str,
    groups: Sequence[Group | str],
    *,
    normalisation: str | None = None,
    seed: int = 0,
    quiet: bool = True,
) -> DataCheck:
    """Looks at inputs before anything is trained on them.

    Args:
        table: The inputs; outputs are not looked at.
        rep_in: How the inputs transform.
        groups: The candidate groups.
        normalisation: Look at this one only.
        seed: Seed of everything that is drawn.
        quiet: Show no progress.

    Example:
        >>> import numpy as np
        >>> X = np.random.default_rng(0).standard_normal((300, 3)) * [1.23, 1.34, 0.05]
        >>> checked = check_data(Table(X, None, ("x", "y", "z"), (), "flat"), "V", ["O(2)@z"])
        >>> checked.recommended, checked.coverage[0].grade
        ('common-scale', 'well')
    """
    rep, candidates = read_rep(rep_in), read_groups(groups)
    inputs = Table(table.X, None, table.x_names, (), table.source)
    repeated = check_fit(inputs, rep, None, candidates)
    names = (
        applicable(rep, join_groups(dict.fromkeys(candidates))) if normalisation is None else [normalisation]
    )
    fitted = [fit_normalisation(name, table.X, rep, candidates) for name in names]
    breaks: list[list[Break]] = []
    covered: list[Coverage] = []
    for group in track(candidates, "checking", quiet=quiet):
        breaks.append([measure_break(one, table.X, rep, group, seed=seed) for one in fitted])
        covered.append(coverage(table.X, rep, group, seed))
    checks = tuple(
        _check(one, table, tuple(column))
        for one, column in zip(fitted, zip(*breaks, strict=True), strict=True)
    )
    recommended, reason = recommend(checks)
    return DataCheck(
        table.source, str(rep), len(table.X), repeated, checks, tuple(covered), recommended, reason
    )


def _check(one: Normalisation, table: Table, breaks: tuple[Break, ...]) -> NormalisationCheck:
    deviations = one.apply(table.X).std(axis=0)
    varying = np.where(np.ptp(table.X, axis=0) > 0, deviations, np.inf)
    return NormalisationCheck(one.name, breaks, one.evenness(table.X), table.x_names[int(varying.argmin())])


def recommend(checks: Sequence[NormalisationCheck]) -> tuple[str, str]:
    """A normalisation that keeps every candidate symmetry, and why.

    Normalisations of trajectories forget where they lie, so they are recommended only if asked about. Among the others ``per-axis``
    is better if it happens to keep every symmetry; ``common-scale`` keeps them by construction.
    """
    by_name = {check.name: check for check in checks}
    common, each = by_name.get("common-scale"), by_name.get("per-axis")
    if len(checks) == 1:
        return _judge(checks[0])
    if each is not None and each.keeps_all and (common is None or each.evenness > 1.01 * common.evenness):
        return "per-axis", f"it keeps {_all(each)} exactly and makes every column equally large"
    reason = "it keeps every candidate symmetry by construction"
    if common is not None:
        reason = f"it keeps {_all(common)} exactly" + _price(each) + _caveat(common, each)
    return "common-scale", reason


def _judge(check: NormalisationCheck) -> tuple[str, str]:
    if check.keeps_all:
        return check.name, f"it keeps {_all(check)} exactly" + _caveat(check, None)
    return "common-scale", f"it keeps every candidate symmetry by construction{_price(check)}"


def _all(check: NormalisationCheck) -> str:
    names = [entry.group for entry in check.breaks]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _price(check: NormalisationCheck | None) -> str:
    """What a normalisation that breaks symmetries would cost."""
    broken = [] if check is None else [entry for entry in check.breaks if not entry.is_kept]
    if check is None or not broken:
        return ""
    worst = ", ".join(f"{entry.group} by {entry.error:.2g}" for entry in broken)
    return f"; {check.name} breaks {worst}"


def _caveat(chosen: NormalisationCheck, each: NormalisationCheck | None) -> str:
    if chosen.evenness >= UNEVEN:
        return ""
    text = f". But column {chosen.smallest!r} is left with {chosen.evenness:.2g} of the largest deviation and is hard to learn from"
    broken = [] if each is None else [entry for entry in each.breaks if not entry.is_kept]
    if not broken:
        return text
    mildest = min(broken, key=lambda entry: entry.error)
    return f"{text}; if the outputs depend on it, per-axis is the lesser evil for {mildest.group} (broken by {mildest.error:.2g})"
