"""What a text names, without importing tasks."""

import subprocess
import sys

import pytest

from softsym.data.task_names import TASK_NAMES, check_task_name, is_task
from softsym.errors import InputError
from softsym.tasks import TASKS, task


def test_the_names_are_those_of_the_tasks():
    assert tuple(TASKS) == TASK_NAMES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("table_tennis:flights.npz", True),
        ("table-tennis:f.npz,every=2", True),
        ("no/such.csv", False),
        (".", False),
    ],
)
def test_a_file_or_a_task(text, expected):
    assert is_task(text) is expected


def test_a_file_wins_over_a_task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_task("motion")
    (tmp_path / "motion").write_text("")
    assert not is_task("motion")


def test_what_is_neither_is_refused_with_a_hint():
    with pytest.raises(InputError, match=r"'inertai' is neither a file nor a task; did you mean inertia\?"):
        is_task("inertai")
    with pytest.raises(
        InputError, match=r"task 'tabel-tennis:x': unknown task 'tabel-tennis'; did you mean table_tennis\?"
    ):
        check_task_name("tabel-tennis:x")
    check_task_name("table-tennis:x.npz")


def test_reading_a_task_refuses_the_same_names():
    with pytest.raises(InputError, match="unknown task 'inertai'"):
        task("inertai")


def test_names_alone_import_nothing_heavy():
    code = "import sys, softsym.data.task_names; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
