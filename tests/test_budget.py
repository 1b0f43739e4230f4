"""Limits on what hurts a reader, from ``tests/budget.toml``: lines, files, import chain, files that one call enters, test time.

``python -m tests.test_budget`` prints what is measured now.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "softsym"
BUDGET = tomllib.loads((Path(__file__).parent / "budget.toml").read_text(encoding="utf-8"))
REPORT = ROOT / "build" / "test-report" / "junit.xml"
"""Written by `make unit`; the seconds of the last whole run."""

LABORATORY = ("softsym_lab", "waymo", "experiments", "benchmarks", "recorded", "motion")
"""Words in the names of modules that belong to the laboratory."""

REGULARIZER = """
import torch, softsym as ss
module = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 3))
def call():
    per = ss.EquivarianceRegularizer(module, groups=["O(2)@z", "O(2)@x"], rep_in="2V", rep_out="V")
    per().backward()
    per.prox_(0.1)
    per.residuals()
"""
ENTERED = """
import sys, threading
files = set()
def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and "/softsym/" in code.co_filename.replace("\\\\", "/") and code.co_name != "<module>":
        files.add(code.co_filename)
call()  # imports do not count
threading.setprofile(note)
sys.setprofile(note)
call()
sys.setprofile(None)
print(len(files))
"""
LOADED = f"""
import sys, softsym as ss
ss.SoftEquivariantRegressor
loaded = [name for name in sys.modules if name.split(".")[0] in ("softsym", "softsym_lab")]
print(len(loaded), sum(any(word in name for word in {LABORATORY}) for name in loaded))
"""


def count_lines(source: Path) -> dict[str, int]:
    """Lines of each subpackage; files at the top are counted together."""
    lines: Counter[str] = Counter()
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).parts
        lines[parts[0] if len(parts) > 1 else "(top)"] += len(path.read_text(encoding="utf-8").splitlines())
    return dict(lines)


def repeated_names(source: Path) -> list[str]:
    """File names that occur more than once."""
    names = Counter(path.name for path in source.rglob("*.py"))
    return sorted(name for name, count in names.items() if count > 1 and name not in ("__init__.py", "__main__.py"))


def find_modules(source: Path) -> dict[str, Path]:
    """Every module by its dotted name."""
    modules = {}
    for path in sorted(source.rglob("*.py")):
        parts = [source.name, *path.relative_to(source).with_suffix("").parts]
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def read_imports(text: str, known: set[str]) -> set[str]:
    """Modules that a file needs when it runs, also from inside functions; what only type checkers read is left out.

    A name imported from a package counts as the module of that name, if there is one, and else as the package.
    """
    tree = ast.parse(text)
    skipped = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
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


def import_graph(source: Path) -> dict[str, set[str]]:
    """Which module imports which."""
    modules = find_modules(source)
    return {name: read_imports(path.read_text(encoding="utf-8"), set(modules)) for name, path in modules.items()}


def find_cycle(graph: dict[str, set[str]]) -> list[str]:
    """Some modules that need each other, the first one again at the end; empty if there are none."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name not in done:
            for other in sorted(graph.get(name, ())):
                cycle = visit(other, [*path, name])
                if cycle:
                    return cycle
            done.add(name)
        return []

    return next((cycle for name in sorted(graph) if (cycle := visit(name, []))), [])


def longest_chain(source: Path) -> int:
    """Modules in the longest chain of imports, type checkers' included; the ``__init__`` of packages end a chain."""
    modules = find_modules(source)
    graph = {}
    for name, path in modules.items():
        imports = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        names = {
            (node.module, f"{node.module}.{alias.name}") for node in imports if node.module for alias in node.names
        }
        graph[name] = {inner if inner in modules else outer for outer, inner in names} & set(modules) - {name}
    depths: dict[str, int] = {}

    def depth(name: str, above: frozenset[str]) -> int:
        if name not in depths:
            below = [other for other in graph[name] if other not in above and modules[other].name != "__init__.py"]
            depths[name] = 1 + max((depth(other, above | {name}) for other in below), default=0)
        return depths[name]

    return max(depth(name, frozenset()) for name in graph)


def run_python(code: str) -> list[int]:
    """Numbers that a script prints, run in a process of its own with this source."""
    path = os.pathsep.join([str(SOURCE.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(word) for word in done.stdout.split()]


def folder_seconds(report: str) -> dict[str, float]:
    """Seconds of the tests in each folder, from a junit file; tests outside of folders are counted together."""
    seconds: Counter[str] = Counter()
    for case in ElementTree.fromstring(report).iter("testcase"):
        parts = (case.get("classname") or "").split(".")
        tests = parts.index("tests") if "tests" in parts else 0
        inside = [part for part in parts[tests + 1 :] if not part.startswith(("test_", "Test"))]
        folder = inside[0] if inside else "(top)"
        seconds["lab" if parts[0] == "lab" else folder] += float(case.get("time") or 0)
    return dict(seconds)


def too_much(measured: dict[str, float], budget: dict[str, float]) -> list[str]:
    """What is above its budget or has none."""
    return [
        f"{name}: {value:.6g}, budget {budget[name]}" if name in budget else f"{name}: {value:.6g}, no budget"
        for name, value in sorted(measured.items())
        if value > budget.get(name, -1)
    ]


def measure_package() -> dict[str, float]:
    """Everything that the table ``package`` of the budget limits."""
    lines = count_lines(SOURCE)
    modules, laboratory = run_python(LOADED)
    return {
        "files": len(list(SOURCE.rglob("*.py"))),
        "lines": sum(lines.values()),
        "longest_import_chain": longest_chain(SOURCE),
        "repeated_file_names": len(repeated_names(SOURCE)),
        "modules_loaded_by_regressor": modules,
        "laboratory_modules_loaded_by_regressor": laboratory,
        "files_entered_by_regularizer": run_python(REGULARIZER + ENTERED)[0],
    }


def test_subpackages_are_within_their_lines():
    assert too_much(count_lines(SOURCE), BUDGET["lines"]) == []


def test_the_package_is_within_its_budget():
    assert too_much(measure_package(), BUDGET["package"]) == []


def shares_of_time(seconds: dict[str, float]) -> dict[str, float]:
    """Per cent of the time of a whole run in each folder: machines differ in speed, and shares hardly do."""
    whole = sum(seconds.values())
    return {folder: 100.0 * value / whole for folder, value in seconds.items()}


def test_shares_of_the_last_run():
    """Only after a whole run; `make unit` asks when it has written the report."""
    if not REPORT.exists():
        pytest.skip("no report of a whole run")
    report = REPORT.read_text(encoding="utf-8")
    if "the time of this run is over" in report:
        pytest.skip("the last run was not whole")
    shares = shares_of_time(folder_seconds(report))
    assert too_much(shares, BUDGET["share_of_time"]) == []


def test_nothing_imports_in_a_circle():
    """Also not from inside a function: such an import works, but whoever reads the one file has to know the other."""
    graph = import_graph(SOURCE)
    for name, other in BUDGET["cycles"]["allowed"]:
        graph.get(name, set()).discard(other)
    assert find_cycle(graph) == []


def test_the_checkers_see_what_is_wrong(tmp_path):
    texts = {
        "a/one.py": "from pkg.b.one import f\n\n",
        "b/one.py": "from pkg.c import f\n",
        "c.py": "",
        "__init__.py": "",
    }
    for place, text in texts.items():
        path = tmp_path / "pkg" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert count_lines(tmp_path / "pkg") == {"a": 2, "b": 1, "(top)": 0}
    assert repeated_names(tmp_path / "pkg") == ["one.py"]
    assert longest_chain(tmp_path / "pkg") == 3
    assert find_cycle(import_graph(tmp_path / "pkg")) == []
    (tmp_path / "pkg" / "c.py").write_text("def f():\n    from pkg.a import one\n")
    assert find_cycle(import_graph(tmp_path / "pkg")) == ["pkg.a.one", "pkg.b.one", "pkg.c", "pkg.a.one"]
    assert too_much({"a": 2, "b": 1, "c": 0}, {"a": 1, "b": 1}) == ["a: 2, budget 1", "c: 0, no budget"]


def test_seconds_are_read():
    cases = [
        ("tests.data.test_split", 1.5),
        ("tests.data.test_split.TestRows", 1),
        ("tests.test_files", 2),
        ("lab.tests.test_a", 4),
    ]
    text = "".join(f'<testcase classname="{name}" name="test" time="{time}"/>' for name, time in cases)
    seconds = folder_seconds(f"<testsuites><testsuite>{text}</testsuite></testsuites>")
    assert seconds == {"data": 2.5, "(top)": 2.0, "lab": 4.0}
    assert sum(shares_of_time(seconds).values()) == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from p.a import f", {"p.a"}),
        ("from p import a, name", {"p.a", "p"}),
        ("import p.a", {"p.a"}),
        ("def f():\n    from p.a import g", {"p.a"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import g", set()),
        ("import numpy", set()),
    ],
)
def test_imports_are_read_wherever_they_stand(text, expected):
    assert read_imports(text, {"p", "p.a"}) == expected


if __name__ == "__main__":
    shares = shares_of_time(folder_seconds(REPORT.read_text(encoding="utf-8"))) if REPORT.exists() else {}
    for table, measured in {
        "package": measure_package(),
        "lines": count_lines(SOURCE),
        "share_of_time": shares,
    }.items():
        print(f"\n[{table}]")
        for name, value in sorted(measured.items()):
            key = name if name.isidentifier() else json.dumps(name)
            print(f"{key} = {value:.0f}")
