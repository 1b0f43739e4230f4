"""A table of errors: rows are tasks, columns are models, each cell a mean over seeds beside the published one."""

from __future__ import annotations

from softsym_lab.experiments.artefact import Artefact
from softsym_lab.experiments.render.figures import bars
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.tables import comparison, matrix
from softsym_lab.experiments.summary import Summary


def render(artefact: Artefact, preset: str, summaries: list[Summary]) -> Rendered:
    """The table, a part for each section of its rows."""
    parts = [head(artefact, preset, summaries)]
    sections = list(dict.fromkeys(s.row.section for s in summaries))
    for section in sections:
        mine = [s for s in summaries if s.row.section == section]
        if section:
            parts.append(f"## {section}")
        if len(artefact.columns) > 1:
            parts.append(f"Ours ({artefact.unit}, mean ± standard deviation, seeds done of wanted):")
            parts.append(matrix(artefact, mine))
        parts.append(comparison(mine))
    parts.append(notes(artefact))
    text = "\n\n".join(part for part in parts if part)
    figures = {"": lambda: bars(artefact.title, artefact.unit, summaries)}
    return Rendered(text, [s.to_dict() for s in summaries], figures)
