"""Trajectories under three normalisations: displacement errors of all models, and which symmetries models and data have."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from softsym.datasets import task as read_task
from softsym_lab.experiments.render.columns import column_table
from softsym_lab.experiments.render.figures import AXES, bars, new_figure
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import EMPTY, comparison, markdown_table, matrix, number, verdict_table
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec
from softsym_lab.tasks.motion import Motion
from softsym_lab.tasks.motion.trajectories import FDE

SHOWN = ("Oz_EMLP", "PER", "soft kernel ridge", "GP")
"""Models whose equivariance errors are shown: the paper's two, and those that chose their symmetries by themselves."""
EXAMPLES = 40


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """Errors of all models, equivariance errors of some, what data say, and example trajectories where they can be made again."""
    shown = [s for s in summaries if s.column.label in SHOWN and s.records]
    lines = [[s.row.label, s.column.label, *(number(value) for value in model_errors(s).values())] for s in shown]
    final = [
        [s.row.label, s.column.label, number(statistics.fmean(known))]
        for s in summaries
        if (known := [r.result.scores[FDE] for r in s.records if FDE in r.result.scores])
    ]
    text = [
        head(table_spec, preset, summaries),
        f"Ours ({table_spec.unit}, mean ± standard deviation, seeds done of wanted):",
        matrix(table_spec, summaries),
        "Final displacement error in metres, means over seeds:",
        markdown_table(["normalisation", "model", "FDE"], final) if final else EMPTY,
        "Model equivariance errors:",
        markdown_table(["normalisation", "model", *AXES], lines),
        verdict_table(summaries, "normalisation"),
        comparison(summaries),
        "How each column is trained:",
        column_table(summaries),
        notes(table_spec),
    ]
    rows = [{**s.to_dict(), **{f"model_error_{g}": v for g, v in model_errors(s).items()}} for s in summaries]
    figures = {
        "ade": lambda: bars(table_spec.title, table_spec.unit, summaries, log=False),
        "errors": lambda: draw_errors(shown),
    }
    if table_spec.records is None:
        figures["trajectories"] = lambda: draw_trajectories([row.task for row in table_spec.rows])
    return Rendered("\n\n".join(part for part in text if part), rows, figures)


def model_errors(summary: Summary) -> dict[str, float | None]:
    """Model equivariance errors by group, means over seeds."""
    results = [record.result for record in summary.records]
    return {g: statistics.fmean(r.model_errors[g] for r in results) if results else None for g in AXES}


def draw_errors(shown: Sequence[Summary]) -> Any:
    """Bars of model equivariance errors, a panel for each normalisation."""
    labels = list(dict.fromkeys(s.row.label for s in shown)) or [""]
    figure, axes = new_figure(1, len(labels), width=3 * len(labels), height=3, sharey=True)
    for axis, label in zip(axes.flat, labels, strict=True):
        mine = [s for s in shown if s.row.label == label]
        for k, (group, colour) in enumerate(AXES.items()):
            heights = [model_errors(s)[group] or 0.0 for s in mine]
            axis.bar([place + 0.25 * (k - 1) for place in range(len(mine))], heights, 0.25, color=colour, label=group)
        axis.set_xticks(range(len(mine)), [s.column.label.replace(" ", "\n") for s in mine], fontsize=7)
        axis.set_title(label, fontsize=9)
    axes[0, 0].set_ylabel("model equivariance error")
    if shown:
        axes[0, 0].legend(fontsize=7, frameon=False)
    return figure


def draw_trajectories(tasks: Sequence[str]) -> Any:
    """Some trajectories under each normalisation, past and future, seen from the side where their height shows."""
    figure, axes = new_figure(1, len(tasks), width=3.2 * len(tasks), height=3.2)
    for axis, text in zip(axes.flat, tasks, strict=True):
        task = read_task(text)
        assert isinstance(task, Motion)
        data = task.data(0, (500, 0, 0))
        points = data.normaliser.apply(data.train[:EXAMPLES])
        for one in points:
            axis.plot(one[:6, 0], one[:6, 2], color="#0b6e99", linewidth=0.8)
            axis.plot(one[5:, 0], one[5:, 2], color="#d1495b", linewidth=0.8)
        axis.set(xlabel="x", ylabel="z")
        axis.set_title(task.normalisation, fontsize=9)
    return figure
