"""The shape of the house: every file has its tests by name, no folder is crowded, nothing imports in a circle."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "softsym", ROOT / "tests"
MOST_FILES = 16
WITHOUT_TESTS = {
    "__init__.py": "says which names there are; `test_package.py` and the tests of those names cover it",
    "__main__.py": "two lines, run by `test_main.py`",
}
"""Files that need no test file of their own name, with the reason: names anywhere, or paths under `src/softsym`."""

ALLOWED = {
    (
        "softsym.groups.group",
        "softsym.groups.parse_group",
    ): "a group joins with a text, which is read by building groups",
}
"""Imports, inside a function, that close a circle nevertheless, with the reason."""


def _modules() -> dict[str, Path]:
    """Every module by its dotted name."""
    names = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ["softsym", *path.relative_to(SOURCE).with_suffix("").parts]
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


MODULES = _modules()


def missing_tests(source: Path, tests: Path) -> list[str]:
    """Source files without a test file of the same name at the mirrored place."""
    missing = []
    for path in sorted(source.rglob("*.py")):
        place = path.relative_to(source)
        if place.name in WITHOUT_TESTS or str(place) in WITHOUT_TESTS:
            continue
        if not (tests / place.parent / f"test_{place.name}").exists():
            missing.append(str(place))
    return missing


def crowded(source: Path) -> dict[str, int]:
    """Folders with too many Python files."""
    counts = defaultdict(int)
    for path in source.rglob("*.py"):
        counts[str(path.parent.relative_to(source))] += 1
    return {folder: count for folder, count in counts.items() if count > MOST_FILES}


def imports(text: str, known: set[str]) -> set[str]:
    """The modules that a file needs when it runs, those inside functions included; what only type checkers read is left out.

    A name that is imported from a package counts as the module of that name, if there is one, and else as the package itself.
    """
    tree = ast.parse(text)
    skipped = {id(node) for block in ast.walk(tree) if _for_type_checkers(block) for node in ast.walk(block)}
    needed = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            needed |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            needed |= {name if name in known else node.module for name in inner}
    return needed & known


def _for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Some modules that need each other in a circle, the first one again at the end; empty if there are none."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name not in done:
            for other in sorted(graph.get(name, ())):
                found = visit(other, [*path, name])
                if found:
                    return found
            done.add(name)
        return []

    for name in sorted(graph):
        found = visit(name, [])
        if found:
            return found
    return []


def test_every_source_file_has_its_test_file():
    assert missing_tests(SOURCE, TESTS) == []


def test_exceptions_are_still_there():
    for name in WITHOUT_TESTS:
        assert list(SOURCE.rglob(name)) if "/" not in name else (SOURCE / name).exists(), name


def test_no_folder_is_crowded():
    assert crowded(SOURCE) == {}


def test_nothing_imports_in_a_circle():
    """Also not from inside a function: such an import works, but whoever reads the one file has to know the other."""
    known = set(MODULES)
    graph = {name: imports(path.read_text(encoding="utf-8"), known) for name, path in MODULES.items()}
    for name, other in ALLOWED:
        graph[name].remove(other)
    assert circle(graph) == []


def test_the_checkers_see_what_is_wrong(tmp_path):
    for place in ("room/good.py", "room/bad.py", "room/__init__.py", "top.py"):
        (tmp_path / "src" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / place).write_text("")
    (tmp_path / "tests" / "room").mkdir(parents=True)
    (tmp_path / "tests" / "room" / "test_good.py").write_text("")
    assert missing_tests(tmp_path / "src", tmp_path / "tests") == ["room/bad.py", "top.py"]
    for k in range(MOST_FILES):
        (tmp_path / "src" / "room" / f"file{k}.py").write_text("")
    assert crowded(tmp_path / "src") == {"room": MOST_FILES + 3}


@pytest.mark.parametrize(("text", "expected"), [
    ("from p.a import f", {"p.a"}),
    ("from p import a, name", {"p.a", "p"}),
    ("import p.a", {"p.a"}),
    ("def f():\n    from p.a import g", {"p.a"}),
    ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import g", set()),
    ("import numpy", set()),
])  # fmt: skip
def test_imports_are_read_wherever_they_stand(text, expected):
    assert imports(text, {"p", "p.a"}) == expected


def test_circles_are_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"a"}}) == ["a", "a"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
