"""Claims of the paper's appendix: progress of a training, two ways to hold a weight, robustness, frame averaging, unknown symmetries."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from softsym_lab.experiments.claims.claim import Claim, beats, by_labels, judge
from softsym_lab.experiments.claims.motion import mean_errors
from softsym_lab.experiments.render.markdown import number, plus_minus
from softsym_lab.experiments.render.tables.parameters import layers
from softsym_lab.experiments.summary import Summary

RIGHT = ("O(2)@z", "O(2)@x")
"""Of the candidates of the unknown symmetries, those that the task has according to the paper."""


def progress_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """That the adjustment keeps the strength of the exact group and lowers the others."""

    def test(behind: Sequence[Summary]) -> tuple[bool, str]:
        strengths = _strengths(behind[0])
        z = strengths.pop("O(2)@z")
        return max(strengths.values()) < z, ", ".join(
            f"{group} {number(value)}" for group, value in {**strengths, "O(2)@z": z}.items()
        )

    text = "Oz(2): the strengths about x and y end below that about z"
    return [judge(text, summaries[:1], test, "4.1.3, progress figure")]


def parameters_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """That one matrix and a penalty end nearer to the equivariant space than a matrix and a residual."""
    rows, cell = by_labels(summaries)

    def test(behind: Sequence[Summary]) -> tuple[bool, str]:
        distances = []
        for summary in behind:
            parts = layers(summary)
            if not parts:
                return False, f"{summary.column.label}: no weights were kept"
            distances.append(statistics.fmean(part.outside for part in parts))
        return distances[0] < distances[1], f"PER {number(distances[0], 2)}; RPP {number(distances[1], 2)}"

    return [
        judge(
            f"{row}: weights of PER are nearer to the O(3)-equivariant space than those of RPP, mean over layers",
            [cell[row, "PER"], cell[row, "RPP"]],
            test,
            "appendix, RPP vs. PER",
        )
        for row in rows
    ]


def robustness_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """That no setting changes the error by more than seeds do."""
    sections = list(dict.fromkeys(s.row.section for s in summaries))
    return [
        judge(
            f"{section}: every setting is within the deviations of seeds of the best one",
            [s for s in summaries if s.row.section == section],
            _alike,
            "appendix, adjustment" if any(s.published for s in summaries if s.row.section == section) else "",
        )
        for section in sections
    ]


def frame_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """That averaging over frames is better than an EMLP, and PER better than both."""
    _, cell = by_labels(summaries)
    (row,) = {s.row.label for s in summaries}
    where = "appendix, frame averaging"
    return [
        judge(
            f"{row}: an MLP averaged over frames is better than an EMLP",
            [cell[row, "MLP_FA"], cell[row, "EMLP"]],
            beats,
            where,
        ),
        judge(
            f"{row}: PER is better than an MLP averaged over frames",
            [cell[row, "PER"], cell[row, "MLP_FA"]],
            beats,
            where,
        ),
    ]


def unknown_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """That wrong groups are broken, right ones kept, and nothing is lost by offering the wrong ones."""
    few, many = summaries

    def kept(behind: Sequence[Summary]) -> tuple[bool, str]:
        errors = mean_errors(behind[0])
        right, wrong = ([error for g, error in errors.items() if (g in RIGHT) == mine] for mine in (True, False))
        return max(right) < min(wrong), ", ".join(f"{g} {number(error, 2)}" for g, error in errors.items())

    where = "appendix, unknown symmetries"
    return [
        judge("offered wrong groups, PER breaks the right ones least", [many], kept, where),
        judge("wrong groups change the error by no more than seeds do", [few, many], _alike, where),
    ]


def _alike(behind: Sequence[Summary]) -> tuple[bool, str]:
    """Whether every mean is within its own deviation and that of the best of the best mean."""
    best = min(behind, key=lambda s: s.mean or 0.0)
    holds = all((s.mean or 0.0) - (best.mean or 0.0) <= (s.std or 0.0) + (best.std or 0.0) for s in behind)
    names = [s.row.label if len({b.row.label for b in behind}) > 1 else s.column.label for s in behind]
    return holds, ", ".join(f"{name}: {plus_minus(s.mean, s.std)}" for name, s in zip(names, behind, strict=True))


def _strengths(summary: Summary) -> dict[str, float]:
    results = [record.result for record in summary.records]
    return {g: statistics.fmean(r.strengths[g] for r in results) for g in results[0].strengths}
