"""One process at a folder at a time."""

import os
import subprocess
import sys

import pytest

from softsym.errors import BusyError
from softsym.locks import held, who_holds

HOLD = """
import sys, pathlib
from softsym.locks import held
with held(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_the_other_process_is_named(tmp_path, holder):
    with (
        pytest.raises(
            BusyError, match=rf"is being written by process {holder.pid} on .*, since .* UTC; wait"
        ),
        held(tmp_path),
    ):
        pytest.fail("two at a time")
    assert f"process {holder.pid} on " in who_holds(tmp_path)


def test_a_killed_one_holds_nothing(tmp_path, holder):
    holder.kill()
    holder.wait()
    assert who_holds(tmp_path) is None
    (tmp_path / ".model.0123456789ab").mkdir()
    with held(tmp_path):
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", ".owner.json"]
    assert not list(tmp_path.iterdir())


def test_who_holds_it_may_do_so_again(tmp_path):
    with held(tmp_path):
        with held(tmp_path):
            pass
        assert f"process {os.getpid()} " in who_holds(tmp_path)
    assert who_holds(tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_a_note_that_cannot_be_read_is_no_trouble(tmp_path, holder):
    (tmp_path / ".owner.json").write_text("{")
    assert who_holds(tmp_path) == "another process"
