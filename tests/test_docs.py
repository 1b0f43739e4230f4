"""The documentation leaves out no public name and no command; whether it builds, `make docs` tells."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import softsym as ss
from softsym.cli.main import app

FOLDER = Path(__file__).parent.parent / "docs"
ROOMS = {
    "discovery",
    "groups",
    "maps",
    "measure",
    "native",
    "nn",
    "regularize",
    "reps",
    "spaces",
    "strengths",
    "tasks",
}


def _read(*patterns: str) -> str:
    paths = [path for pattern in patterns for path in sorted(FOLDER.glob(pattern))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.mark.parametrize("name", sorted(set(ss.__all__) - ROOMS))
def test_every_public_name_has_its_place(name: str) -> None:
    assert re.search(rf":: softsym\.{name}$", _read("api/*.md"), re.MULTILINE)


@pytest.mark.parametrize("name", [command.name for command in app.registered_commands])
def test_every_command_is_described(name: str) -> None:
    assert f"## softsym {name}\n" in _read("command_line.md")


def test_every_page_is_in_the_contents() -> None:
    listed = re.findall(r"^((?:concepts|api|maintain)/\w+|command_line)$", _read("index.md"), re.MULTILINE)
    pages = [path.relative_to(FOLDER).with_suffix("") for path in FOLDER.glob("*/*.md")]
    assert sorted(listed) == sorted([*map(str, pages), "command_line"])


def test_pictures_are_there_and_small() -> None:
    for path in re.findall(r"docs/images/[\w.]+", (FOLDER.parent / "README.md").read_text(encoding="utf-8")):
        assert 0 < (FOLDER.parent / path).stat().st_size < 310_000


def test_files_named_in_the_map_are_there() -> None:
    source = FOLDER.parent / "src" / "softsym"
    named = re.findall(r"`([\w/]+(?:\.pyi?|/))`", _read("maintain/map.md"))
    assert len(named) > 60
    elsewhere = ("src/", "tests/", "paper/", "work/", "runs/", "model/")
    assert [name for name in named if not name.startswith(elsewhere) and not (source / name).exists()] == []


def test_tables_are_what_was_recorded() -> None:
    records = FOLDER.parent / "lab" / "benchmarks"
    tables = runpy.run_path(str(records / "tables.py"))["TABLES"]
    named = re.compile(r"<!-- python lab/benchmarks/tables.py (\w+) -->")
    announced = set()
    for page in (records / "README.md", *FOLDER.glob("**/*.md")):
        text = page.read_text(encoding="utf-8")
        for name in named.findall(text):
            assert tables[name]() in text, f"{page.name} has another {name} than lab/benchmarks/results"
            announced.add(name)
    assert {"models", "modules", "rivals"} <= announced
