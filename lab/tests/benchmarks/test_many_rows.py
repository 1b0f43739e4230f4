import json

import numpy as np
import pytest

from softsym_lab.benchmarks import many_rows
from softsym_lab.benchmarks.many_rows import MODELS, TARGETS, draw, measure, run, summary


@pytest.mark.parametrize("target", TARGETS)
def test_target_functions_are_drawn_again(target):
    (X, Y), again = draw(target, 50, 0), draw(target, 50, 0)
    assert np.array_equal(X, again[0])
    assert np.array_equal(Y, again[1])
    assert Y.shape == (50, 3)


def test_smooth_models_leave_less_than_trees():
    nystroem, boosting = (measure(model, "wind", 1_000) for model in ("Nystroem", "boosting"))
    assert 0 < nystroem["unexplained"] < 0.01 < boosting["unexplained"] < 0.2
    assert nystroem["megabytes"] > 0


def test_records_are_kept_and_models_have_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(
        many_rows, "_in_process", lambda model, target, n: {"model": model, "target": target, "rows": n, "error": "no"}
    )
    found = run(tmp_path, rows=[200_000], targets=["wind"], models=["softsym GP", "softsym regressor"])
    assert [record["model"] for record in found["records"]] == ["softsym GP"]
    monkeypatch.setattr(many_rows, "_in_process", None)
    assert run(tmp_path, rows=[200_000], targets=["wind"], models=["softsym GP"]) == found
    assert summary(found) == "wind, 200,000 rows, softsym GP: no"
    json.dumps(found)


def test_svgp_where_it_is_installed(monkeypatch):
    pytest.importorskip("gpytorch")
    monkeypatch.setattr(many_rows, "STEPS", 60)
    monkeypatch.setattr(many_rows, "INDUCING", 40)
    X, Y = draw("wind", 400, 0)
    assert np.mean((MODELS["SVGP"]("wind", X, Y)(X) - Y) ** 2) < 0.5 * Y.var()
