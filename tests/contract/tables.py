"""The tables and figures of the paper, rendered again from stored runs: their numbers as plain data."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path
from typing import Any

from tests.contract.observe import ROOT, run_command

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
COMMANDS = {
    "table1": ["table1", "--from-results"],
    "all": ["all", "--from-results"],
    "claims": ["claims", "--preset", "fast"],
}


def render(name: str, folder: Path) -> dict[str, Any]:
    """Numbers of what one command renders: of every CSV file in full, of every page as its tables have them."""
    results = folder / name
    rendered = shutil.ignore_patterns("*.md", "*.csv", "*.pdf", "*.png")
    shutil.copytree(ROOT / "paper" / "results", results, ignore=rendered)
    done = run_command(["reproduce", *COMMANDS[name], "--out-dir", str(results)], ROOT)
    assert done.returncode == 0, done.stderr
    files = {
        path.relative_to(results).as_posix(): path.read_text(encoding="utf-8")
        for path in results.glob("*/*.[cm]*")
    }
    return {
        name: csv_numbers(text) if name.endswith(".csv") else page_numbers(text)
        for name, text in sorted(files.items())
        if name.endswith((".csv", ".md"))
    }


def csv_numbers(text: str) -> list[float]:
    """All numbers of a CSV file, row by row; cells with words are left out."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    return [float(cell) for cell in cells if re.fullmatch(NUMBER, cell)]


def page_numbers(text: str) -> str:
    """All numbers in the tables of a page, as they are written there."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return " ".join(
        number for line in lines for number in re.findall(r"(?<![\w(])[-+]?\d[\d,]*(?:\.\d+)?", line)
    )


def observe_tables(folder: Path) -> dict[str, Any]:
    """Everything that renders from stored runs."""
    return {name: render(name, folder) for name in COMMANDS}
