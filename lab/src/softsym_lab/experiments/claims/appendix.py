"""Claims of the paper's appendix: progress of a training, two ways to hold a weight, robustness, frame averaging, unknown symmetries."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace

from softsym_lab.experiments.claims.claim import Claim, beats, by_labels, judge
from softsym_lab.experiments.claims.comparisons import Verdict, alike, all_below, paired_values
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

    def test(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
        distances = []
        for summary in behind:
            by_seed = {
                record.spec.seed: statistics.fmean(part.outside for part in layers(replace(summary, records=(record,))))
                for record in summary.records
                if record.weights
            }
            if not by_seed:
                return False, f"{summary.column.label}: no weights were kept"
            distances.append(by_seed)
        found = paired_values(*distances)
        first, second = (number(statistics.fmean(each.values()), 2) for each in distances)
        return found.verdict(), f"PER {first}; RPP {second}; p = {number(found.p, 2)}"

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
    """That no setting changes the error by more than seeds do, and that penalties as a step of their own are worth it."""
    sections = {s.row.section: [t for t in summaries if t.row.section == s.row.section] for s in summaries}
    found = []
    for section, cells in sections.items():
        if any(s.published for s in cells):
            text = f"{section}: every setting is within two standard deviations of seeds of the preset's own"
            found.append(judge(text, cells, _alike, "appendix, adjustment"))
        else:
            loss, step = cells
            text = f"{section}: {step.row.label}, they give a smaller error than {loss.row.label}"
            found.append(judge(text, [step, loss], _step_beats_loss))
    return found


def _step_beats_loss(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    verdict, why = all_below([(behind[0], behind[1])])
    return verdict, ", ".join(f"{s.row.label}: {plus_minus(s.mean, s.std)}" for s in behind) + f"; {why}"


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
        judge(
            "wrong groups change the mean error by at most two standard deviations of seeds", [few, many], _alike, where
        ),
    ]


def _alike(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    """Whether every mean is within two standard deviations of seeds of that of the preset's own numbers."""
    usual = next((s for s in behind if not (s.row.set or s.row.scale or s.column.set or s.column.scale)), behind[0])
    holds = alike(behind, usual)
    names = [s.row.label if len({b.row.label for b in behind}) > 1 else s.column.label for s in behind]
    return holds, ", ".join(f"{name}: {plus_minus(s.mean, s.std)}" for name, s in zip(names, behind, strict=True))


def _strengths(summary: Summary) -> dict[str, float]:
    results = [record.result for record in summary.records]
    return {g: statistics.fmean(r.strengths[g] for r in results) for g in results[0].strengths}
