"""A table as files: Markdown, lines of CSV and figures under one name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softsym.io import put_file, put_text
from softsym_lab.experiments.render.markdown import csv_text
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec

DrawFigure = Callable[[], Any]
"""Returns a matplotlib figure."""


@dataclass(frozen=True)
class Rendered:
    """A table or figure made from stored runs.

    Args:
        markdown: The text with its tables.
        rows: Lines of the CSV file.
        figures: How to draw each figure, by what follows the table's name in that of its file.
        numbers: Other results than the rows, for JSON.
    """

    markdown: str
    rows: list[dict[str, Any]]
    figures: Mapping[str, DrawFigure] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)


def head(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> str:
    """What every table begins with: its claim, what stands behind it, and how to make it again."""
    wanted = {run for s in summaries for run in s.runs}  # cells may share runs
    done = {record.spec for s in summaries for record in s.records}
    origins = sorted({record.result.origin for s in summaries for record in s.records})
    lines = [
        f"# {table_spec.title}",
        "",
        f"*Claim:* {table_spec.claim}",
        "",
        f"Preset `{preset}`, {len(done)} of {len(wanted)} runs done. Made by `softsym reproduce {table_spec.name} --preset {preset}`; "
        f"published numbers from {table_spec.source}.",
        *(f"Data: {origin}." for origin in origins),
    ]
    if preset == "quick":
        lines.append("Runs of this preset are far too short to be measured against the published numbers.")
    if preset == "fast":
        lines.append("This preset is ours: PER takes a tenth of the published steps.")
    return "\n".join(lines)


def notes(table_spec: TableSpec) -> str:
    """The table's notes as a list."""
    return "\n".join(f"- {note}" for note in table_spec.notes)


def write(rendered: Rendered, folder: Path, name: str) -> list[Path]:
    """Writes a table; returns its files. Figures need matplotlib and are left out without it."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{name}.md", folder / f"{name}.csv"]
    put_text(files[0], rendered.markdown + "\n")
    put_text(files[1], csv_text(rendered.rows))
    if not can_draw():
        return files
    return files + [path for tail, draw in rendered.figures.items() for path in _save(draw(), folder, name, tail)]


def can_draw() -> bool:
    """Whether matplotlib is there."""
    import importlib.util

    return importlib.util.find_spec("matplotlib") is not None


def _save(figure: Any, folder: Path, name: str, tail: str) -> list[Path]:
    stem = f"{name}-{tail}" if tail else name
    paths = [folder / f"{stem}.png", folder / f"{stem}.pdf"]
    # Without the date, the same runs give the same bytes.
    put_file(paths[0], lambda path: figure.savefig(path, dpi=150, metadata={"Software": None}))
    put_file(paths[1], lambda path: figure.savefig(path, metadata={"CreationDate": None, "ModDate": None}))
    return paths
