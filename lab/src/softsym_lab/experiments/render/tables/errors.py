"""A table of errors: rows are tasks, columns are models, each cell a mean over seeds, with the published one."""

from __future__ import annotations

from softsym_lab.experiments.render.columns import column_table
from softsym_lab.experiments.render.figures import bars
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import comparison, matrix
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """The table, a part for each section of its rows."""
    parts = [head(table_spec, preset, summaries)]
    sections = list(dict.fromkeys(s.row.section for s in summaries))
    for section in sections:
        mine = [s for s in summaries if s.row.section == section]
        if section:
            parts.append(f"## {section}")
        if len(table_spec.columns) > 1:
            parts.append(f"Ours ({table_spec.unit}, mean ± standard deviation, seeds done of wanted):")
            parts.append(matrix(table_spec, mine))
        parts.append(comparison(mine))
    parts += ["How each column is trained:", column_table(summaries), notes(table_spec)]
    text = "\n\n".join(part for part in parts if part)
    figures = {"": lambda: bars(table_spec.title, table_spec.unit, summaries)}
    return Rendered(text, [s.to_dict() for s in summaries], figures)
