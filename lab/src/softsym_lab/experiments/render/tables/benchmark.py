"""A benchmark on a public data file: our models and the published ones, best first, with the task's other scores.

A model says how it chose, and what it says about symmetries comes from the stored runs of models that asked the data.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from softsym_lab.experiments.published import benchmarks
from softsym_lab.experiments.render.columns import column_table
from softsym_lab.experiments.render.figures import OURS, PUBLISHED, new_figure
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import (
    EMPTY,
    comparison,
    markdown_table,
    number,
    plus_minus,
    seeds,
    verdict_table,
)
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec

DIGITS = 4
"""Of scores, which differ in the third."""


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """The ranking, the scores of each output, what was chosen, and the verdicts."""
    lines = ranking(table_spec, summaries)
    table = [[line["model"], line["inputs"], line["whose"], line["text"], line["seeds"]] for line in lines]
    text = [
        head(table_spec, preset, summaries),
        f"{table_spec.unit}, best first (mean ± standard deviation, seeds done of wanted):",
        markdown_table(["model", "inputs", "whose", table_spec.unit, "seeds"], table),
        _scores(summaries),
        _model_errors(summaries),
        verdict_table(summaries),
        _chosen(summaries),
        comparison(summaries),
        "How each column is trained:",
        column_table(summaries),
        notes(table_spec),
        "Published: " + "; ".join(benchmarks()[table_spec.name]["sources"]) + ".",
    ]
    figures = {"": lambda: draw(table_spec, lines)}
    return Rendered("\n\n".join(part for part in text if part), [s.to_dict() for s in summaries], figures)


def ranking(table_spec: TableSpec, summaries: Sequence[Summary]) -> list[dict[str, Any]]:
    """Ours and the published ones, best first; those without a run last."""
    lines: list[dict[str, Any]] = [
        {
            "model": s.column.label,
            "inputs": s.row.label,
            "whose": "ours",
            "value": s.mean,
            "text": plus_minus(s.mean, s.std) if table_spec.score is None else _exactly(s.mean, s.std),
            "seeds": seeds(len(s.values), s.wanted),
        }
        for s in summaries
    ]
    for name, (mean, *std) in benchmarks()[table_spec.name]["rows"].items():
        text = f"{mean:g}" + (f" ± {std[0]:g}" if std else "")
        lines.append(
            {"model": name, "inputs": EMPTY, "whose": "published", "value": mean, "text": text, "seeds": EMPTY}
        )
    sign = 1 if table_spec.score is None else -1
    return sorted(lines, key=lambda line: (line["value"] is None, sign * (line["value"] or 0.0)))


def _exactly(mean: float | None, std: float | None) -> str:
    if mean is None:
        return EMPTY
    return number(mean, DIGITS) + ("" if std is None else f" ± {number(std, 2)}")


def _scores(summaries: Sequence[Summary]) -> str:
    names = list(dict.fromkeys(name for s in summaries for record in s.records for name in record.result.scores))
    if not names:
        return ""
    lines = [
        [s.row.label, s.column.label, *(number(_mean([r.result.scores[name] for r in s.records]), 3) for name in names)]
        for s in summaries
        if s.records
    ]
    return "Scores of the task, means over seeds:\n\n" + markdown_table(["inputs", "model", *names], lines)


def _model_errors(summaries: Sequence[Summary]) -> str:
    """How far each trained model breaks each candidate, at inputs like the data's."""
    names = list(dict.fromkeys(name for s in summaries for r in s.records for name in r.result.model_errors))
    lines = [
        [
            s.row.label,
            s.column.label,
            *(number(_mean([r.result.model_errors[name] for r in s.records]), 2) for name in names),
        ]
        for s in summaries
        if s.records
    ]
    table = markdown_table(["inputs", "model", *names], lines)
    return f"Equivariance errors of the models, means over seeds:\n\n{table}" if lines else ""


def _chosen(summaries: Sequence[Summary]) -> str:
    lines = [
        [s.row.label, s.column.label, s.records[0].result.chosen]
        for s in summaries
        if s.records and s.records[0].result.chosen
    ]
    if not lines:
        return ""
    return "What closed forms chose, first seed:\n\n" + markdown_table(["inputs", "model", "chosen"], lines)


def draw(table_spec: TableSpec, lines: Sequence[dict[str, Any]]) -> Any:
    """Horizontal bars, best on top."""
    known = [line for line in lines if line["value"] is not None][::-1]
    figure, axes = new_figure(width=7, height=0.22 * len(known) + 1.2)
    axis = axes[0, 0]
    least = max(0.0, min(line["value"] for line in known)) if table_spec.score is not None else 0.0
    values = [max(line["value"], least) for line in known]
    axis.barh(range(len(known)), values, color=[OURS if line["whose"] == "ours" else PUBLISHED for line in known])
    labels = [
        f"{line['model']}, {line['inputs']}" if line["whose"] == "ours" else f"{line['model']} (published)"
        for line in known
    ]
    axis.set_yticks(range(len(known)), labels, fontsize=7)
    axis.set(xlabel=table_spec.unit, title=table_spec.title)
    if table_spec.score is not None:
        axis.set_xlim(left=least)
    return figure


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values)
