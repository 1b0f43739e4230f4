"""What renders from stored runs has the numbers that it had: every table and figure of the paper.

``python -m lab.tests.test_tables`` records the numbers anew.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.contract.observe import ROOT, run_command

SNAPSHOT = Path(__file__).parent / "snapshots" / "tables.json"
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
        path.relative_to(results).as_posix(): path.read_text(encoding="utf-8") for path in results.glob("*/*.[cm]*")
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
    return " ".join(number for line in lines for number in re.findall(r"(?<![\w(])[-+]?\d[\d,]*(?:\.\d+)?", line))


@pytest.mark.parametrize(
    "name", ["table1", *(pytest.param(name, marks=pytest.mark.slow) for name in COMMANDS if name != "table1")]
)
def test_rendered_numbers_are_as_recorded(name, tmp_path):
    expected = json.loads(SNAPSHOT.read_text(encoding="utf-8"))[name]
    rendered = render(name, tmp_path)
    assert list(rendered) == list(expected)
    for file, numbers in expected.items():
        if file.endswith(".md"):
            assert rendered[file] == numbers, file
        else:
            assert rendered[file] == pytest.approx(numbers, rel=1e-9, abs=1e-12), file


def test_numbers_are_read():
    assert csv_numbers("row,mean\nO(3),2.5\n,-1e-3\n3,\n") == [2.5, -1e-3, 3.0]
    assert page_numbers("# Table 1\n| O(3) | 1.5 ± 0.2 (3/5) | 57,753 | – |\n2 of 3") == "1.5 0.2 5 57,753"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        recorded = {name: render(name, Path(scratch)) for name in COMMANDS}
    SNAPSHOT.write_text(json.dumps(recorded) + "\n", encoding="utf-8")
