"""The documentation leaves out no public name and no command; ``make docs`` checks that it builds."""

from __future__ import annotations

import importlib
import re
import runpy
from functools import reduce
from pathlib import Path

import pytest

import softsym as ss
from softsym.cli.main import app

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs"
SUBPACKAGES = {
    "datasets",
    "discovery",
    "gp",
    "groups",
    "inference",
    "maps",
    "metrics",
    "nn",
    "regularize",
    "reps",
    "spaces",
    "strengths",
    "training",
}
LONGEST_PARAGRAPH = 110
"""Words; one idea per paragraph."""


def _read(*patterns: str) -> str:
    paths = [path for pattern in patterns for path in sorted(FOLDER.glob(pattern))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.mark.parametrize("name", sorted(set(ss.__all__) - SUBPACKAGES))
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
    for path in re.findall(r"docs/images/[\w.]+", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert 0 < (ROOT / path).stat().st_size < 310_000


def test_files_named_in_the_map_are_there() -> None:
    named = re.findall(r"`([\w/]+(?:\.pyi?|/))`", _read("maintain/map.md"))
    assert len(named) > 30
    assert [name for name in named if not any((ROOT / at / name).exists() for at in ("", "src/softsym"))] == []


def _paragraphs(text: str) -> list[str]:
    """The prose of a page: no code, formulas, tables or lists of links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|:]|\d+\.) )", text)
    return [block for block in blocks if not block.lstrip().startswith(("|", "#", "<!--", "$$"))]


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted(FOLDER.rglob("*.md"))], ids=lambda path: path.name)
def test_paragraphs_are_short(path: Path) -> None:
    long = [p for p in _paragraphs(path.read_text(encoding="utf-8")) if len(p.split()) > LONGEST_PARAGRAPH]
    assert long == []


@pytest.mark.parametrize("page", ["README.md", "docs", "examples"])
def test_pages_need_the_product_alone(page: str) -> None:
    """Code on the pages of users imports no laboratory; pages of maintainers and of recorded results may name it."""
    paths = [ROOT / page] if page.endswith(".md") else sorted((ROOT / page).rglob("*.*"))
    users = [p for p in paths if p.suffix in (".md", ".py") and "maintain" not in p.parts]
    assert [p.name for p in users if re.search(r"(?:import|from) softsym_lab", p.read_text("utf-8"))] == []


def test_tables_are_what_was_recorded() -> None:
    records = ROOT / "lab" / "benchmarks"
    tables = runpy.run_path(str(records / "tables.py"))["TABLES"]
    named = re.compile(r"<!-- python lab/benchmarks/tables.py (\w+) -->")
    announced = set()
    for page in (records / "README.md", ROOT / "README.md", *FOLDER.glob("**/*.md")):
        text = page.read_text(encoding="utf-8")
        for name in named.findall(text):
            assert tables[name]() in text, f"{page.name} has another {name} than lab/benchmarks/results"
            announced.add(name)
    assert {"models", "modules", "baselines"} <= announced


def _resolve(name: str) -> object:
    """What a dotted name means; submodules are imported on the way."""
    first, *rest = name.split(".")

    def enter(found: tuple[str, object], part: str) -> tuple[str, object]:
        path, value = f"{found[0]}.{part}", found[1]
        if not hasattr(value, part):  # `softsym.propose` is a function and a package
            value = importlib.import_module(found[0])
        return path, getattr(value, part) if hasattr(value, part) else importlib.import_module(path)

    return reduce(enter, rest, (first, importlib.import_module(first)))[1]


@pytest.mark.parametrize(
    "path",
    [ROOT / "README.md", *sorted(FOLDER.rglob("*.md")), *sorted((ROOT / "examples").glob("*.py"))],
    ids=lambda path: path.name,
)
def test_names_on_pages_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = set(re.findall(r"\bsoftsym(?:\.[A-Za-z_]\w*)+", text))
    names |= {f"softsym{name}" for name in re.findall(r"\bss((?:\.[A-Za-z_]\w*)+)", text)}
    entry_points = {"softsym.commands", "softsym.tasks"}
    for name in sorted(names - entry_points):
        _resolve(name)


def test_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "CONTRIBUTING.md"))
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    stages = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    named = set(re.findall(r"`make ([\w-]+)`", _read("**/*.md") + pages))
    named |= set(re.findall(r"entry: make ([\w-]+)", hooks))
    named |= set(" ".join(re.findall(r"make ([a-z -]+)(?= ;;|;)", stages)).split())
    assert {"test", "demo", "lint", "docs"} <= named
    assert named <= targets


def test_workflow_runs_stages_of_the_script() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    named = " ".join(re.findall(r"(?:stages:|\.ci/run) ([a-z -]+)", workflow)).split()
    assert {"test", "docs"} <= set(named) <= set(re.findall(r"^ {8}([a-z-]+)\)", script, re.MULTILINE))
    assert "run: make" not in workflow
