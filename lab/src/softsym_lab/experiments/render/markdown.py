"""Tables in Markdown and CSV. Nothing in them is typed by hand: they are made from stored runs and the published numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from softsym_lab.experiments.engines.estimate import duration
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec

EMPTY = "–"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are set to the right. Bars within cells, as in names of joined groups, are escaped.

    Example:
        >>> print(markdown_table(["a", "b"], [["x", "1"]]))
        | a | b |
        |---|---:|
        | x | 1 |
    """
    rule = ["---", *["---:"] * (len(header) - 1)]
    lines = [f"| {' | '.join(header)} |", f"|{'|'.join(rule)}|"]
    escaped = ([cell.replace("|", r"\|") for cell in row] for row in rows)
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in escaped)])


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Lines of comma-separated values, with a header."""
    file = io.StringIO()
    if rows:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file.getvalue()


def number(value: float | None, digits: int = 3) -> str:
    """A number for people.

    Example:
        >>> number(0.31849), number(46.32), number(None), number(0.00012)
        ('0.318', '46.3', '–', '0.00012')
    """
    if value is None:
        return EMPTY
    if value == 0 or 1e-4 <= abs(value) < 1e5:
        text = f"{value:.{digits}g}"
        return text if "e" not in text else f"{value:.0f}"
    return f"{value:.{digits - 1}e}"


def plus_minus(mean: float | None, std: float | None) -> str:
    """Mean and standard deviation.

    Example:
        >>> plus_minus(0.318, 0.021), plus_minus(0.318, None)
        ('0.318 ± 0.021', '0.318')
    """
    return number(mean) if std is None or mean is None else f"{number(mean)} ± {number(std, 2)}"


def seeds(done: int, wanted: int) -> str:
    """How many seeds stand behind a number."""
    return f"{done}/{wanted}"


def matrix(table_spec: TableSpec, summaries: Sequence[Summary]) -> str:
    """Rows and columns as in the paper, the best of each row in bold, with the number of seeds."""
    labels = [c.label for c in table_spec.columns if any(s.column.label == c.label for s in summaries)]
    lines = []
    for row in table_spec.rows:
        mine = {s.column.label: s for s in summaries if s.row is row}
        means = [s.mean for s in mine.values() if s.mean is not None]
        if mine:
            best = min(means, default=None)
            lines.append([row.label, *(_matrix_cell(mine.get(label), best) for label in labels)])
    return markdown_table(["", *labels], lines)


def comparison(summaries: Sequence[Summary]) -> str:
    """A line for every cell: ours, the published number, the difference, and what it took."""
    header = [
        "row",
        "model",
        "ours",
        "seeds",
        "published",
        "difference",
        "parameters",
        "epochs",
        "least validation MSE (epoch)",
        "time per run",
    ]
    return markdown_table(header, [_comparison_line(s) for s in summaries])


def _matrix_cell(summary: Summary | None, best: float | None) -> str:
    if summary is None:
        return "-"
    if summary.mean is None:
        return f"{EMPTY} ({seeds(0, summary.wanted)})"
    text = plus_minus(summary.mean, summary.std)
    text = f"**{text}**" if summary.mean == best else text
    return f"{text} ({seeds(len(summary.values), summary.wanted)})"


def _comparison_line(summary: Summary) -> list[str]:
    difference = EMPTY
    if summary.difference is not None:
        word = "worse" if summary.difference > 0 else "better"
        difference = f"{'+' if summary.difference > 0 else ''}{number(summary.difference)} ({word})"
    return [
        summary.row.label,
        summary.column.label,
        plus_minus(summary.mean, summary.std),
        seeds(len(summary.values), summary.wanted),
        EMPTY if summary.published is None else str(summary.published),
        difference,
        EMPTY if summary.parameters is None else f"{summary.parameters:,}",
        number(summary.epochs, 4),
        f"{number(summary.lowest_validation)} ({summary.lowest_epoch:.0f})" if summary.lowest else EMPTY,
        EMPTY if summary.seconds is None else duration(summary.seconds),
    ]


def verdict_table(summaries: Sequence[Summary], rows_are: str = "inputs") -> str:
    """A line for every row of the table and group, seed by seed where they differ; empty if nothing was asked.

    Args:
        summaries: The cells.
        rows_are: What the rows of the table are.
    """
    lines, seen = [], set()
    for s in summaries:
        for record in s.records:
            for row in record.result.verdicts:
                low, high = row["interval"]
                name = f"{row['name']} (proposed)" if row.get("proposed") else row["name"]
                line = [
                    s.row.label,
                    name,
                    row["verdict"],
                    number(row["asymmetry"], 2),
                    f"{number(low, 2)} to {number(high, 2)}",
                    number(row["p_value"], 2),
                    number(row["coverage"], 2),
                    row["note"],
                ]
                if tuple(line) not in seen:
                    seen.add(tuple(line))
                    lines.append([*line[:1], str(record.result.seed), *line[1:]])
    if not lines:
        return ""
    header = [rows_are, "seed", "group", "verdict", "violation", "interval", "p", "coverage", "note"]
    return "What the data say about each symmetry, and which they propose:\n\n" + markdown_table(header, lines)
