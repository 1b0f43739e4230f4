"""``softsym predict``; what it does is tested with `softsym.discovery.discover`."""

import warnings
from pathlib import Path

from typer.testing import CliRunner

from softsym.cli.main import app
from softsym.discovery import discover


def predicting(monkeypatch):
    asked = []

    def predict_file(model, data, output, **options):
        warnings.warn("rows of another scale", UserWarning, stacklevel=1)
        asked.append((model, data, output, options))
        return 7

    monkeypatch.setattr(discover, "predict_file", predict_file)
    return asked


def test_options_are_passed_on_and_the_rows_counted(monkeypatch):
    asked = predicting(monkeypatch)
    done = CliRunner().invoke(
        app, ["predict", "model", "new.csv", "-o", "out.csv", "--x-columns", "a,b", "--seed", "3", "--force"]
    )
    assert done.exit_code == 0, done.output
    assert asked == [(Path("model"), "new.csv", Path("out.csv"), {"x_columns": "a,b", "seed": 3, "force": True})]
    assert "7 predictions in out.csv" in done.output
    assert "softsym: warning: rows of another scale" in done.output


def test_quiet_prints_no_result(monkeypatch):
    predicting(monkeypatch)
    done = CliRunner().invoke(app, ["predict", "model", "new.csv", "-o", "out.csv", "--quiet"])
    assert "predictions in" not in done.output


def test_where_to_is_needed():
    assert CliRunner().invoke(app, ["predict", "model", "new.csv"]).exit_code == 2
