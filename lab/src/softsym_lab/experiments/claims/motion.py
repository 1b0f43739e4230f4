"""Claims about trajectories: which model is best under each normalisation, and which symmetries are found there."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from softsym_lab.experiments.claims.claim import APART, Claim, beats, by_labels, judge, means
from softsym_lab.experiments.claims.comparisons import Verdict, all_below
from softsym_lab.experiments.render.markdown import number
from softsym_lab.experiments.summary import Summary

PER, FREE, KERNELS = "PER", "MLP", ("soft kernel ridge", "GP")
ABOUT_Z, PLAIN_RPP, WIDE = ("Oz_EMLP", "MixedEMLP", PER), ("O3_RPP", "Oz_RPP"), "O3_EMLP"
PAPERS = ("Oz_EMLP", WIDE, *PLAIN_RPP, "MixedEMLP", PER)
"""The models that the paper compares."""
SECTION = "4.2.3"
Cells = dict[tuple[str, str], Summary]


def motion_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """The claims of the paper's section on motion, and ours about the same table."""
    rows, cell = by_labels(summaries)
    scale, symmetry, both = rows
    return [
        *(_best_of_the_papers(cell, row) for row in rows),
        judge(
            f"{scale}: models that are equivariant about z, softly or not, are better than the others",
            [cell[scale, name] for name in PAPERS],
            _about_z_first,
            SECTION,
        ),
        judge(
            f"{scale}: {PER} finds that rotations about z hold softly, and better than those about x and y",
            [cell[scale, PER]],
            _softly_about_z,
            SECTION,
        ),
        judge(
            f"{symmetry}: a network that is equivariant about z is better than one that is not",
            [cell[symmetry, "Oz_EMLP"], cell[symmetry, FREE]],
            beats,
            "4.2.1",
        ),
        judge(
            f"{symmetry}: {PER} breaks rotations about x and y less than an EMLP of rotations about z does",
            [cell[symmetry, PER], cell[symmetry, "Oz_EMLP"]],
            _breaks_less,
            SECTION,
        ),
        judge(
            f"{both}: of the paper's models only {WIDE} does not do well",
            [cell[both, WIDE], *(cell[both, name] for name in PAPERS if name != WIDE)],
            _worst,
            SECTION,
        ),
        *our_claims(summaries),
    ]


def our_claims(summaries: Sequence[Summary], start: str = "") -> list[Claim]:
    """Ours under every normalisation: PER or a kernel is the best of all, and no network contradicts what data say by themselves."""
    rows, cell = by_labels(summaries)
    ours = (PER, *KERNELS)
    found = []
    for row in rows:
        mine = [cell[row, name] for name in ours]
        others = [s for s in summaries if s.row.label == row and s.column.label not in ours]
        text = f"{start}{row}: the best of {PER} and the kernels is better than every other model"
        found.append(judge(text, [*mine, *others], _one_of_ours))
    for row in rows:
        text = f"{start}{row}: {PER} keeps what the data call exact and breaks what they call absent"
        found.append(judge(text, [cell[row, PER], cell[row, KERNELS[1]]], _agrees))
    return found


def mean_errors(summary: Summary) -> dict[str, float]:
    """Model equivariance errors by group, means over seeds."""
    results = [record.result for record in summary.records]
    return {g: statistics.fmean(r.model_errors[g] for r in results) for g in results[0].model_errors}


def _best_of_the_papers(cell: Cells, row: str) -> Claim:
    baselines = [cell[row, name] for name in PAPERS if name != PER]
    text = f"{row}: {PER} has the least displacement error of the paper's models"
    return judge(text, [cell[row, PER], *baselines], beats, SECTION)


def _about_z_first(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    inside = [s for s in behind if s.column.label in ABOUT_Z]
    outside = [s for s in behind if s.column.label not in ABOUT_Z]
    verdict, why = all_below([(one, other) for one in inside for other in outside])
    return verdict, f"{means(inside)}; {means(outside)}; {why}"


def _softly_about_z(behind: Sequence[Summary]) -> tuple[bool, str]:
    errors = mean_errors(behind[0])
    z = errors["O(2)@z"]
    return 0 < z < min(errors["O(2)@x"], errors["O(2)@y"]), _format_errors(errors)


def _breaks_less(behind: Sequence[Summary]) -> tuple[bool, str]:
    per, emlp = (mean_errors(s) for s in behind)
    holds = all(per[g] < emlp[g] for g in ("O(2)@x", "O(2)@y"))
    return holds, f"{PER}: {_format_errors(per)}; {behind[1].column.label}: {_format_errors(emlp)}"


def _worst(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    first, *others = behind
    verdict, why = all_below([(other, first) for other in others])
    return verdict, f"{means([first])}; {means(others)}; {why}"


def _one_of_ours(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    count = 1 + len(KERNELS)
    mine, others = behind[:count], behind[count:]
    best, baseline = (min(cells, key=lambda s: s.mean or 0.0) for cells in (mine, others))
    verdict, why = all_below([(best, other) for other in others])
    return verdict, f"{means([best])}; best other: {means([baseline])}; {why}"


def _agrees(behind: Sequence[Summary]) -> tuple[bool, str]:
    """Exact ones are broken by no more than what is small, absent ones by more; undecided and soft ones may be either."""
    per, asked = behind
    errors, said = mean_errors(per), dict[str, set[str]]()
    for record in asked.records:
        for row in record.result.verdicts:
            if row["name"] in errors:
                said.setdefault(row["name"], set()).add(row["verdict"])
    wrong = [
        name
        for name, verdicts in said.items()
        if ("exact" in verdicts and errors[name] > APART) or ("absent" in verdicts and errors[name] <= APART)
    ]
    words = {name: " or ".join(sorted(verdicts)) for name, verdicts in said.items()}
    numbers = ", ".join(f"{name} {word}, {PER} {number(errors[name], 2)}" for name, word in words.items())
    return bool(said) and not wrong, numbers or "the data were not asked"


def _format_errors(errors: dict[str, float]) -> str:
    return ", ".join(f"{group} {number(error, 2)}" for group, error in errors.items())
