"""What data said about symmetries by themselves, from the stored runs of models that asked them."""

from __future__ import annotations

from collections.abc import Sequence

from softsym_lab.experiments.render.markdown import markdown_table, number
from softsym_lab.experiments.summary import Summary


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
                    s.row.label, name, row["verdict"], number(row["asymmetry"], 2), f"{number(low, 2)} to {number(high, 2)}",
                    number(row["p_value"], 2), number(row["coverage"], 2), row["note"],
                ]  # fmt: skip
                if tuple(line) not in seen:
                    seen.add(tuple(line))
                    lines.append([*line[:1], str(record.result.seed), *line[1:]])
    if not lines:
        return ""
    header = [rows_are, "seed", "group", "verdict", "violation", "interval", "p", "coverage", "note"]
    return "What the data say about each symmetry, and which they propose:\n\n" + markdown_table(
        header, lines
    )
