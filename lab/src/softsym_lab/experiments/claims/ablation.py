"""Claims about the ablation: what the penalty is worth, all else alike, and how PER does against equally trained baselines."""

from __future__ import annotations

from collections.abc import Sequence

from softsym_lab.experiments.claims.claim import Claim, beats, judge
from softsym_lab.experiments.claims.comparisons import Verdict, alike
from softsym_lab.experiments.claims.synthetic import is_equal
from softsym_lab.experiments.render.markdown import plus_minus
from softsym_lab.experiments.summary import Summary

PER, AS_THEY_ARE = "PER", "inputs as they are"
BETTER = {
    "penalty off": "with the penalty the error is smaller than without it, all else alike",
    "penalty in the loss": "the penalty as a step of its own gives a smaller error than as a part of the loss, at the same strengths",
    "penalty in the loss, strength 0.1": "the penalty as a step of its own gives a smaller error than in the loss at a strength of 0.1",
    "strengths fixed": "strengths that follow the data give a smaller error than fixed ones",
    "strengths one-shot": "strengths that follow the data give a smaller error than the published rule",
    "standard start": "an equivariant start gives a smaller error than the standard one",
    "no averaging": "averaged weights give a smaller error than those of the best epoch",
    "Adam, rate 0.003": "Muon gives a smaller error than Adam at 0.003",
}
"""Variants of PER, and what PER's being better says."""
STRENGTHS = ("first strength x 5", "first strength / 5")


def ablation_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """Row by row: the parts of PER, the equally trained baselines, the inputs, and the first strength."""
    found = []
    for key in dict.fromkeys((s.row.section, s.row.label) for s in summaries):
        cells = {s.column.label: s for s in summaries if (s.row.section, s.row.label) == key}
        start, per = f"ablation, {' '.join(key)}: ", cells[PER]
        found += [judge(start + text, [per, cells[name]], beats) for name, text in BETTER.items() if name in cells]
        equal = [s for label, s in cells.items() if is_equal(s) and AS_THEY_ARE not in label]
        found += [
            judge(
                f"{start}{PER} is better than {s.column.label}, trained in the same way on the same inputs",
                [per, s],
                beats,
            )
            for s in equal
        ]
        if (mine := cells.get(f"{PER}, {AS_THEY_ARE}")) is not None:
            text = f"{start}on inputs as they are {PER} is better than an MLP that is trained in the same way"
            found.append(judge(text, [mine, cells[f"MLP, {AS_THEY_ARE}"]], beats))
        text = f"{start}five times the first strength, or a fifth, changes the mean by at most two standard deviations of seeds"
        found.append(judge(text, [per, *(cells[name] for name in STRENGTHS)], _alike))
    return found


def _alike(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    return alike(behind, behind[0]), ", ".join(f"{s.column.label} {plus_minus(s.mean, s.std)}" for s in behind)
