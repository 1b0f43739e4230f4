"""Training progress of PER: errors, regularizer values and strengths over epochs, and what stopping early costs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from softsym_lab.experiments.published import code_curve, tables
from softsym_lab.experiments.render.figures import AXES, PUBLISHED, new_figure
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import EMPTY, comparison, markdown_table, number, plus_minus
from softsym_lab.experiments.store import RunRecord
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec

PRINTED = {"O(2)@x": "Ox(2)", "O(2)@y": "Oy(2)", "O(2)@z": "Oz(2)"}


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """The figure, the strengths after the adjustment and the published ones, and both test errors."""
    records = [record for s in summaries if s.column.early_stopping for record in s.records]
    full = [record for s in summaries if not s.column.early_stopping for record in s.records]
    rows = [strengths_row(records, group) for group in PRINTED] if records else []
    lines = [
        [
            row["group"],
            plus_minus(row["strength"], row["strength_std"]),
            number(row["published_strength"]),
            number(row["model_error"]),
            number(row["data_error"]),
        ]
        for row in rows
    ]
    text = [
        head(table_spec, preset, summaries),
        "Strengths after the adjustment, and errors of the trained model and of the data:",
        markdown_table(["group", "strength", "published", "model error", "data error"], lines),
        "Test error when stopped early, and over the full schedule:",
        comparison(summaries),
        notes(table_spec),
    ]
    figures = {"": lambda: draw(records, full)} if records else {}
    return Rendered("\n\n".join(text), rows or [{"group": EMPTY}], figures)


def strengths_row(records: Sequence[RunRecord], group: str) -> dict[str, Any]:
    """Means over seeds for one group."""
    results = [record.result for record in records]
    strengths = [result.strengths[group] for result in results]
    printed = tables()["figure_progress_Oz_lambda_after_adjustment"]
    return {
        "group": group,
        "strength": statistics.fmean(strengths),
        "strength_std": statistics.stdev(strengths) if len(strengths) > 1 else None,
        "published_strength": printed.get(PRINTED[group]),
        "model_error": statistics.fmean(result.model_errors[group] for result in results),
        "data_error": statistics.fmean(result.data_errors[group] for result in results),
        "seeds": len(results),
    }


def draw(records: Sequence[RunRecord], full: Sequence[RunRecord]) -> Any:
    """Five panels over epochs; full lines are the first seed, faint ones the others."""
    figure, axes = new_figure(5, 1, width=6, height=9, sharex=True)
    titles = ("data error", "model error", "regularizer", "strength", "MSE")
    for axis, title in zip(axes.flat, titles, strict=True):
        axis.set_ylabel(title)
    for k, record in enumerate(records):
        style = {"alpha": 1.0 if k == 0 else 0.3, "linewidth": 1.2}
        last = record.result.epochs
        for group, colour in AXES.items():
            label = group if k == 0 else None
            axes[0, 0].plot([0, last], 2 * [record.result.data_errors[group]], color=colour, label=label, **style)
            for axis, name in zip(axes[1:4, 0], ("errors", "residuals", "strengths"), strict=True):
                rows = [row for row in record.history if name in row]
                axis.plot([row["epoch"] for row in rows], [row[name][group] for row in rows], color=colour, **style)
        _validation(axes[4, 0], record, "#0b6e99", "validation" if k == 0 else None, **style)
    for k, record in enumerate(full):
        _validation(axes[4, 0], record, "#66a182", "validation, full schedule" if k == 0 else None, alpha=0.6)
    last = max(record.result.epochs for record in (*records, *full))
    curve = ((float(row["epoch"]), float(row["valid_mse"])) for row in code_curve())
    published = [(epoch, error) for epoch, error in curve if epoch <= last]
    axes[4, 0].plot(*zip(*published, strict=True), color=PUBLISHED, label="validation, published code")
    for axis in axes[2:, 0]:
        axis.set_yscale("log")
    axes[0, 0].legend(fontsize=7, frameon=False, ncols=3)
    axes[4, 0].legend(fontsize=7, frameon=False)
    axes[4, 0].set_xlabel("epoch")
    return figure


def _validation(axis: Any, record: RunRecord, colour: str, label: str | None, **style: Any) -> None:
    rows = [row for row in record.history if row.get("validation") is not None]
    axis.plot([row["epoch"] for row in rows], [row["validation"] for row in rows], color=colour, label=label, **style)
