"""Text forms of built-in data sets."""

import subprocess
import sys

import pytest

from softsym.datasets import cossim, inertia, registered_tasks, task
from softsym.datasets.parse import check_task_name, is_task
from softsym.errors import InputError

ALL = [
    *(f"inertia:{variant}" for variant in inertia.VARIANTS),
    *(f"cossim:{variant}" for variant in cossim.VARIANTS),
    *(f"golfball:wind={axis}" for axis in ("none", "x", "y", "z")),
]
MORE = [
    "golfball:wind=y,speed=5.5,drag=0.01,gravity=1.6",
]


@pytest.mark.parametrize("text", ALL + MORE)
def test_text_forms_parse_back(text):
    found = task(text)
    assert str(found) == found.name == text
    assert task(found.name) == found
    assert hash(task(found.name)) == hash(found)
    assert task(found) is found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("inertia", "inertia:Oz(2)"),
        ("inertia:O(2)@x", "inertia:Ox(2)"),
        ("cossim", "cossim:SO(3)+S(3)"),
        ("cossim:both", "cossim:SO(3)+S(3)"),
        ("cossim:SO(3),S(3)", "cossim:SO(3)+S(3)"),
        ("cossim:Scaling(3)", "cossim:S(3)"),
        ("golfball", "golfball:wind=none"),
        (" golfball : speed=5, wind=x ", "golfball:wind=x"),
    ],
)
def test_other_spellings(text, name):
    assert task(text).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "inertai",
            "unknown task 'inertai'; did you mean inertia\\? Known: inertia, cossim, golfball",
        ),
        ("", "unknown task ''; Known"),
        ("inertia:Ow(2)", r"task 'inertia:Ow\(2\)': unknown variant 'Ow\(2\)'.*Known: O\(3\), Ox\(2\)"),
        ("inertia:O(3),c=1", "unknown option 'c'; inertia takes none"),
        ("cossim:all", "unknown variant 'all'"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(InputError, match=message):
        task(text)


def test_not_a_text():
    with pytest.raises(InputError, match="a task is its text such as 'inertia:Oz\\(2\\)', got int"):
        task(3)


def test_registry():
    assert {text.split(":")[0] for text in ALL + MORE} <= set(registered_tasks())


def test_tasks_of_the_laboratory_are_named_where_it_is_not_installed(monkeypatch):
    monkeypatch.setattr("softsym.datasets.parse.registered_tasks", lambda: {"inertia": None})
    with pytest.raises(
        InputError, match="unknown task 'mocap'; it is a task of the laboratory: pip install softsym-lab"
    ):
        task("mocap")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("golfball:wind=y", True),
        ("inertia", True),
        ("no/such.csv", False),
        (".", False),
    ],
)
def test_a_file_or_a_task(text, expected):
    assert is_task(text) is expected


def test_a_file_wins_over_a_task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_task("inertia")
    (tmp_path / "inertia").write_text("")
    assert not is_task("inertia")


def test_what_is_neither_is_refused_with_a_hint():
    with pytest.raises(InputError, match=r"'inertai' is neither a file nor a task; did you mean inertia\?"):
        is_task("inertai")
    with pytest.raises(
        InputError, match=r"task 'golfbal:x': unknown task 'golfbal'; did you mean golfball\?"
    ):
        check_task_name("golfbal:x")
    check_task_name("golfball:wind=x")


def test_reading_a_task_refuses_the_same_names():
    with pytest.raises(InputError, match="unknown task 'inertai'"):
        task("inertai")


def test_names_alone_import_nothing_heavy():
    code = "import sys, softsym.datasets.parse; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
