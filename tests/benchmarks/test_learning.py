"""The learning curve, cut short."""

import json
from pathlib import Path

from softsym.benchmarks import learning

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "learning.json"


def test_errors_at_the_marks_and_no_further(monkeypatch):
    monkeypatch.setattr(learning, "MARKS", (1, 3))
    curve = learning.curve(0)
    assert set(curve["test_mse"]) == {"1", "3"}
    assert set(curve["strengths"]) == {"O(2)@x", "O(2)@y", "O(2)@z"}


def test_medians_over_seeds(monkeypatch):
    values = {0: 1.0, 1: 5.0, 2: 2.0}
    monkeypatch.setattr(learning, "MARKS", (7,))
    monkeypatch.setattr(learning, "curve", lambda seed: {"test_mse": {"7": values[seed]}})
    assert learning.run()["median_test_mse"] == {"7": 2.0}


def test_the_recorded_curves_are_better_than_the_published_code_was():
    medians = json.loads(RESULTS.read_text())["learning"]["median_test_mse"]
    assert medians["2000"] < 1.04
    assert medians["4000"] < 0.42
