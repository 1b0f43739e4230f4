"""Learning curves, cut short."""

import json
from pathlib import Path

import pytest

from softsym.errors import TrainingError
from softsym_lab.benchmarks import learning
from softsym_lab.benchmarks.learning import Readings

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "learning.json"


@pytest.fixture
def short(monkeypatch):
    """Curves of three epochs, read at every one of them."""
    monkeypatch.setattr(learning, "PRESETS", dict.fromkeys(("fast", "code"), Readings(1, (1, 3))))


@pytest.mark.parametrize(("name", "steps"), [("fast", 4), ("code", 2)])
def test_a_curve_ends_at_the_last_mark_if_all_aims_were_reached(short, name, steps):
    curve = learning.curve(name, 0, aims=(1e9,))
    assert set(curve["test_mse"]) == {"1", "3"}
    assert set(curve["strengths"]) == {"O(2)@x", "O(2)@y", "O(2)@z"}
    assert curve["reached"][str(1e9)]["steps"] == steps
    assert curve["whole"]["steps"] == 3 * steps
    assert 0 < curve["reached"][str(1e9)]["seconds"] < curve["whole"]["seconds"]
    assert not curve["diverged"]


def test_a_seed_that_diverges_is_noted(short, monkeypatch):
    def fit(*_, on_epoch, **__):
        on_epoch({"epoch": 1})
        raise TrainingError("the loss became nan")

    monkeypatch.setattr(learning, "fit", fit)
    curve = learning.curve("fast", 0, aims=(0.0,))
    assert curve["diverged"]
    assert curve["reached"] == {"0.0": None}
    assert set(curve["test_mse"]) == {"1"}


def made_up(name, seed):
    """Curves of made-up seeds; the last seed of `code` never comes to the aim."""
    spent = dict.fromkeys(learning.SPENT, (1.0 if name == "fast" else 20.0) * (seed + 1))
    reached = None if (name, seed) == ("code", 2) else spent
    errors = {"1": 9.0, "3": float(seed)}
    return {"seed": seed, "diverged": seed == 1, "test_mse": errors, "reached": {"0.3": reached}}


def test_medians_and_ratios_over_seeds(short, monkeypatch):
    monkeypatch.setattr(learning, "curve", made_up)
    found = learning.run()
    assert found["code"]["median_test_mse"] == {"1": 9.0, "3": 1.0}
    assert found["fast"]["diverged"] == [1]
    assert found["ratios"]["0.3"]["steps"] == {"median": 0.05, "seeds": [0.05, 0.05, None]}


def test_curves_in_a_folder_are_not_repeated(short, monkeypatch, tmp_path):
    monkeypatch.setattr(learning, "curve", made_up)
    first = learning.run(folder=tmp_path)
    monkeypatch.delattr(learning, "curve")
    assert learning.run(folder=tmp_path) == first
    assert first["ratios"] == learning.run(folder=tmp_path)["ratios"]


def test_the_recorded_curves_are_better_than_the_published_code_was():
    recorded = json.loads(RESULTS.read_text())["learning"]
    assert recorded["code"]["median_test_mse"]["2000"] < 1.04
    assert recorded["code"]["median_test_mse"]["4000"] < 0.42


def test_recorded_fast_takes_a_tenth_of_the_steps_to_the_published_error_and_a_fifth_to_that_of_code():
    recorded = json.loads(RESULTS.read_text())["learning"]
    assert recorded["fast"]["diverged"] == []
    assert recorded["ratios"]["0.32"]["steps"]["median"] <= 0.1
    assert recorded["ratios"]["0.14"]["steps"]["median"] <= 0.2
