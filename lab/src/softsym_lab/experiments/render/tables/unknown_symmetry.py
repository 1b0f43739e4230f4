"""Candidate groups that include wrong ones: which does PER find, and do the wrong ones cost anything?"""

from __future__ import annotations

import statistics

from softsym_lab.experiments.published import tables
from softsym_lab.experiments.render.figures import OURS, PUBLISHED, new_figure
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import comparison, markdown_table, number, plus_minus, seeds
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec


def printed_name(group: str) -> str:
    """A group as the published table calls it.

    Example:
        >>> printed_name("SL(2)@z")
        'SLz(2)'
    """
    family, _, rest = group.partition("(")
    size, _, axis = rest.partition(")@")
    return f"{family}{axis}({size})"


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """Model errors of every candidate group, and the test errors with and without the wrong ones."""
    published = tables()["unknown_symmetry_motion_symmetry_aware"]["model_equivariance_error"]
    rows = []
    for summary in summaries:
        for group in summary.column.groups or () if summary.records else ():
            errors = [record.result.model_errors[group] for record in summary.records]
            rows.append(
                {
                    "column": summary.column.label,
                    "group": group,
                    "model_error": statistics.fmean(errors),
                    "model_error_std": statistics.stdev(errors) if len(errors) > 1 else None,
                    "published": published.get(printed_name(group)),
                    "strength": statistics.fmean(record.result.strengths[group] for record in summary.records),
                    "seeds": len(errors),
                    "seeds_wanted": summary.wanted,
                }
            )
    lines = [
        [
            row["group"],
            plus_minus(row["model_error"], row["model_error_std"]),
            number(row["published"]),
            number(row["strength"]),
            seeds(row["seeds"], row["seeds_wanted"]),
        ]
        for row in rows
    ]
    text = [
        head(table_spec, preset, summaries),
        "Model equivariance error under every candidate group:",
        markdown_table(["group", "ours", "published", "strength", "seeds"], lines),
        f"Error with and without the wrong groups ({table_spec.unit}):",
        comparison(summaries),
        notes(table_spec),
    ]
    cells = [s.to_dict() for s in summaries]
    return Rendered("\n\n".join(text), rows or cells, {"": lambda: draw(rows)} if rows else {}, {"cells": cells})


def draw(rows: list[dict[str, object]]) -> object:
    """Bars of model errors, ours and the published."""
    figure, axes = new_figure(width=6, height=3.4)
    axis = axes[0, 0]
    for shift, name, colour, label in ((-0.2, "model_error", OURS, "ours"), (0.2, "published", PUBLISHED, "published")):
        heights = [row[name] or 0.0 for row in rows]
        axis.bar([k + shift for k in range(len(rows))], heights, 0.4, color=colour, label=label)
    axis.set_xticks(range(len(rows)), [str(row["group"]) for row in rows])
    axis.set_ylabel("model equivariance error")
    axis.legend(fontsize=8, frameon=False)
    return figure
