"""The correlation study: over 13 data sets and their groups, what PER found against what the data have."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from softsym.errors import InputError
from softsym_lab.correlation import correlation
from softsym_lab.experiments.published import correlation_table
from softsym_lab.experiments.render.figures import AXES, OURS, PUBLISHED, new_figure
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import EMPTY, markdown_table, number, seeds
from softsym_lab.experiments.store import RunRecord
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec

PRINTED = {"model": "model error", "reg": "regularizer", "lambda": "strength"}
"""What the paper compares with data errors; the keys are those of the published table."""
QUANTITIES = {**PRINTED, "before": "regularizer before the adjustment"}
"""What we compare with them."""
GROUPS = {"O(2)@x": "Ox", "O(2)@y": "Oy", "O(2)@z": "Oz"}


@dataclass(frozen=True)
class Point:
    """A data set and a group: means over seeds."""

    label: str
    group: str
    values: dict[str, float]
    published: dict[str, float]


def points(summaries: Sequence[Summary]) -> list[Point]:
    """The points of all data sets that have a run."""
    printed = {row["noise"]: row for row in correlation_table()}
    found = []
    for summary in summaries:
        for group, short in GROUPS.items() if summary.records else ():
            row = printed.get(summary.row.label, {})
            theirs = {name: float(row[f"{name}_{short}"]) for name in ("data", *PRINTED) if row}
            found.append(Point(summary.row.label, group, values(summary.records, group), theirs))
    return found


def values(records: Sequence[RunRecord], group: str) -> dict[str, float]:
    """Data error, model error, regularizer values and strength of a group, means over runs."""
    results = [record.result for record in records]
    return {
        "data": statistics.fmean(r.data_errors[group] for r in results),
        "model": statistics.fmean(r.model_errors[group] for r in results),
        "reg": statistics.fmean(r.residuals[group] for r in results),
        "lambda": statistics.fmean(r.strengths[group] for r in results),
        "before": statistics.fmean(before_adjustment(record)[group] for record in records),
    }


def before_adjustment(record: RunRecord) -> dict[str, float]:
    """Regularizer values by group when all strengths were still equal, so that those of different groups can be compared."""
    found: list[dict[str, float]] = [
        row["residuals"]
        for row in record.history
        if "residuals" in row and row["epoch"] <= record.spec.preset.adjust_at
    ]
    if not found:
        raise InputError(
            f"the stored history of {record.spec.task} has no regularizer values before the adjustment; remove the run to repeat it"
        )
    return found[-1]


def pearson(pairs: Sequence[dict[str, float]]) -> dict[str, float | None]:
    """The correlation of each quantity with the data error; None where there is too little to tell."""
    found: dict[str, float | None] = {}
    for name in QUANTITIES:
        try:
            found[name] = correlation([p["data"] for p in pairs], [p[name] for p in pairs])
        except (InputError, KeyError):  # fewer than two points, all alike, or not printed
            found[name] = None
    return found


def ours_and_published(summaries: Sequence[Summary]) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """The three numbers of our runs and those of the whole published table."""
    printed = [
        {name: float(row[f"{name}_{short}"]) for name in ("data", *PRINTED)}
        for row in correlation_table()
        for short in GROUPS.values()
    ]
    return pearson([point.values for point in points(summaries)]), pearson(printed)


def by_seed(summaries: Sequence[Summary]) -> dict[str, list[float]]:
    """The three numbers of each seed that is done for every data set."""
    count = min((len(s.records) for s in summaries), default=0)
    each = [pearson([values([s.records[k]], group) for s in summaries for group in GROUPS]) for k in range(count)]
    return {name: [found for e in each if (found := e[name]) is not None] for name in QUANTITIES}


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """Three correlations, the table behind them, a scatter plot and bars."""
    found = points(summaries)
    ours, printed = ours_and_published(summaries)
    done = sum(bool(s.records) for s in summaries)
    lines = []
    for name, title in QUANTITIES.items():
        one, other, by_seeds = ours[name], printed[name], by_seed(summaries)[name]
        apart = EMPTY if one is None or other is None else f"{abs(one) - abs(other):+.3f}"
        each = ", ".join(f"{value:.3f}" for value in by_seeds) or EMPTY
        lines.append([title, _three(one), _three(other), apart, each, f"{done}/{len(summaries)}"])
    header = ["", "ours", "published", "difference in strength", "each seed alone", "data sets"]
    text = [
        head(table_spec, preset, summaries),
        "Pearson correlation with the data error, pooled over data sets and groups:",
        markdown_table(header, lines),
        "Means over seeds; in brackets the published value:",
        markdown_table(
            ["data set", "group", "seeds", "data error", *QUANTITIES.values()],
            [_line(point, summaries) for point in found],
        ),
        notes(table_spec),
    ]
    rows = [
        {"data_set": p.label, "group": p.group, **p.values, **{f"published_{k}": v for k, v in p.published.items()}}
        for p in found
    ]
    figures = {"scatter": lambda: _scatter(found), "bars": lambda: _bars(ours, printed)}
    return Rendered("\n\n".join(text), rows, figures, {"pearson": ours, "published_pearson": printed})


def _three(value: float | None) -> str:
    return EMPTY if value is None else f"{value:.3f}"


def _line(point: Point, summaries: Sequence[Summary]) -> list[str]:
    summary = next(s for s in summaries if s.row.label == point.label)
    cells = [
        number(point.values[name]) + (f" ({number(point.published[name])})" if name in point.published else "")
        for name in ("data", *QUANTITIES)
    ]
    return [point.label, point.group, seeds(len(summary.records), summary.wanted), *cells]


def _scatter(found: Sequence[Point]) -> Any:
    figure, axes = new_figure(1, len(QUANTITIES), width=3.4 * len(QUANTITIES), height=3.4)
    for axis, (name, title) in zip(axes.flat, QUANTITIES.items(), strict=True):
        theirs = [p for p in found if name in p.published]
        axis.plot(
            [p.published["data"] for p in theirs],
            [p.published[name] for p in theirs],
            "x",
            color=PUBLISHED,
            label="published",
        )
        for group, colour in AXES.items():
            mine = [p.values for p in found if p.group == group]
            axis.plot([v["data"] for v in mine], [v[name] for v in mine], "o", color=colour, label=group)
        axis.set(xlabel="data equivariance error", ylabel=title)
        if name != "model" and found:
            axis.set_yscale("log")
    axes[0, 0].legend(fontsize=7, frameon=False)
    return figure


def _bars(ours: dict[str, float | None], printed: dict[str, float | None]) -> Any:
    figure, axes = new_figure(width=6, height=3.2)
    axis = axes[0, 0]
    for shift, numbers, colour, label in ((-0.2, ours, OURS, "ours"), (0.2, printed, PUBLISHED, "published")):
        heights = [abs(numbers[name] or 0.0) for name in QUANTITIES]
        axis.bar([k + shift for k in range(len(heights))], heights, 0.4, color=colour, label=label)
    labels = [title.replace(" before", "\nbefore") for title in QUANTITIES.values()]
    axis.set_xticks(range(len(QUANTITIES)), labels)
    axis.set(ylabel="|Pearson correlation| with data error", ylim=(0, 1.05))
    axis.legend(fontsize=8, frameon=False)
    return figure
