"""``softsym inspect`` as a person runs it."""

import json
import subprocess
import sys

import pytest

from softsym.cli.main import repeat_option
from tests.processes import invoke

BASIC = ("inspect", "--in", "5S + 5V", "--out", "T(2)", "--groups", "O(3)", "O(2)@z", "--no-cache")


def test_table():
    done = invoke(*BASIC)
    assert done.returncode == 0, done.stderr
    for text in ("O(3)", "O(2)@z", "102S + 34V + 11T(2) + 3T(3)", "14,914", "solved in", "sizes 20 -> 9"):
        assert text in done.stdout


def test_json_on_standard_output():
    done = invoke(*BASIC, "--json", "-")
    result = json.loads(done.stdout)
    assert result["hidden"] == "102S + 34V + 11T(2) + 3T(3)"
    first = result["groups"][0]
    assert (first["group"], first["size_in"], first["size_out"]) == ("O(3)", 20, 9)
    assert [layer["dim"] for layer in first["layers"]] == [5, 780, 14914, 135]
    assert all(layer["residual"] < 1e-10 for layer in first["layers"])
    assert first["seconds"] > 0


def test_json_to_a_file(tmp_path):
    target = tmp_path / "result.json"
    assert invoke(*BASIC, "--json", str(target)).returncode == 0
    assert json.loads(target.read_text())["schema"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--in", "5Q", "--out", "V", "--groups", "O(3)"), "softsym: error: representation '5Q'"),
        (("--in", "V", "--out", "V", "--groups", "Q(3)"), "unknown group"),
        (("--in", "V", "--out", "V", "--groups", "O(3)", "O(2)"), "all groups must act on the same space"),
        (("--in", "V", "--out", "V", "--groups", "O(3)", "--solver", "magic"), "unknown solver 'magic'"),
        (("--in", "V", "--out", "V", "--groups", "O(3)", "--json", "/no/such/folder/x.json"), "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments, message):
    done = invoke("inspect", "--no-cache", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_debug_shows_the_traceback():
    done = invoke("--debug", "inspect", "--in", "5Q", "--out", "V", "--groups", "O(3)")
    assert "Traceback" in done.stderr
    assert done.returncode != 0


def test_unknown_command():
    assert invoke("inspct").returncode == 2


def test_help_answers_without_heavy_imports():
    code = "import sys, softsym.cli.main; print([m for m in ('torch', 'scipy', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_repeat_option_leaves_other_options_alone():
    assert repeat_option(["inspect", "--groups", "A", "B", "--json", "-"]) == [
        "inspect",
        "--groups",
        "A",
        "--groups",
        "B",
        "--json",
        "-",
    ]
