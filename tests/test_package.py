"""The package's public names: one table, which type checkers, `dir` and star imports all follow."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import softsym as ss
from softsym.groups import CATALOGUE

STUB = Path(ss.__file__).with_suffix(".pyi")
ROOT = Path(__file__).parent.parent


def test_every_name_of_the_table_is_there():
    for name in ss.__all__:
        assert getattr(ss, name) is not None


def test_names_are_exported_as_they_are():
    """`name as name` is what type checkers take for an export."""
    for statement in ast.parse(STUB.read_text(encoding="utf-8")).body:
        for alias in statement.names if isinstance(statement, ast.ImportFrom) else ():
            assert alias.asname == alias.name


def test_all_dir_and_star_agree():
    assert len(set(ss.__all__)) == len(ss.__all__)
    assert set(ss.__all__) <= set(dir(ss))
    names = {}
    exec("from softsym import *", names)
    assert set(names) - {"__builtins__"} == set(ss.__all__)


def test_the_catalogue_is_public():
    assert set(CATALOGUE) <= set(ss.__all__)
    assert all(getattr(ss, name) is constructor for name, constructor in CATALOGUE.items())


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'softsym' has no attribute 'Q'"):
        _ = ss.Q


@pytest.mark.parametrize("path", ["README.md", "docs/concepts/groups.md", "docs/api/groups.md"])
def test_every_group_is_in_the_tables(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    missing = [name for name in CATALOGUE if f"`{name}(" not in text and f":: softsym.{name}\n" not in text]
    assert missing == []


def test_importing_loads_nothing_heavy():
    script = (
        "import sys, softsym; print([name for name in ('torch', 'numpy', 'scipy', 'sklearn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_told_once():
    """In the package alone; builds read it from there, and the citation names none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"]
    assert not re.search("^version:", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", ss.__version__)
