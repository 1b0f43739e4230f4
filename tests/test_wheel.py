"""The wheel: everything that softsym needs when it runs, and nothing else."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import softsym as ss

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "softsym"
NOT_SHIPPED = {".md", ".pyc"}
"""Endings of files in the source that nobody needs when softsym runs."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, since building leaves its traces beside the source, and without a network."""
    copy = tmp_path_factory.mktemp("repository")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", build, str(copy / "dist")], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (path,) = (copy / "dist").glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield path.name, {name: archive.read(name) for name in archive.namelist()}


def test_every_file_of_the_source_is_in_it(wheel):
    _, files = wheel
    needed = {
        f"softsym/{path.relative_to(SOURCE).as_posix()}"
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix not in NOT_SHIPPED
    }
    assert needed - set(files) == set()
    endings = {Path(name).suffix for name in needed}
    assert {".py", ".pyi", ".c", ".j2", ".css", ".js"} <= endings
    assert "softsym/py.typed" in needed


def test_nothing_else_is_in_it(wheel):
    _, files = wheel
    assert {name.split("/")[0] for name in files} == {"softsym", f"softsym-{ss.__version__}.dist-info"}


def test_version_command_and_extras(wheel):
    name, files = wheel
    assert name == f"softsym-{ss.__version__}-py3-none-any.whl"
    about = f"softsym-{ss.__version__}.dist-info"
    metadata = files[f"{about}/METADATA"].decode()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in project["optional-dependencies"]:
        assert f"Provides-Extra: {extra}\n" in metadata
    assert "softsym = softsym.__main__:run" in files[f"{about}/entry_points.txt"].decode()
    assert f"{about}/licenses/LICENSE" in files
