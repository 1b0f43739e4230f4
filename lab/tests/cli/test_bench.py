"""``softsym bench``."""

import json
from pathlib import Path

from typer.testing import CliRunner

from softsym.cli.main import add_commands, app
from softsym_lab import benchmarks
from tests.processes import invoke

add_commands()


def test_the_suite_is_passed_on_and_numbers_come_as_json(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(benchmarks, "run", lambda *arguments: asked.append(arguments) or {"schema": 1})
    done = CliRunner().invoke(app, ["bench", "spaces"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {"schema": 1}
    CliRunner().invoke(
        app, ["bench", "models", "--folder", "work", "--flights", "balls.npz", "--json", str(tmp_path / "out.json")]
    )
    assert asked == [("spaces", None, None, None, None, None), ("models", Path("work"), "balls.npz", None, None, None)]
    assert json.loads((tmp_path / "out.json").read_text()) == {"schema": 1}


def test_help_names_every_suite():
    text = CliRunner().invoke(app, ["bench", "--help"], env={"COLUMNS": "200"}).stdout
    assert all(name in text for name in ("spaces", "step", "loop", "learning", "calibration"))


def test_an_unknown_suite_is_refused():
    done = invoke("bench", "nothing")
    assert done.returncode == 2
    assert "unknown suite 'nothing'" in done.stderr
