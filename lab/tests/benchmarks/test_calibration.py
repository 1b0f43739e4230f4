"""The recorded calibration of verdicts: every pair there, and the rule as it stands right often enough on it."""

import json
from pathlib import Path

import pytest

from softsym.datasets import task
from softsym_lab.benchmarks import calibration

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "calibration.json"


@pytest.fixture(scope="module")
def records():
    return json.loads(RESULTS.read_text())["calibration"]["records"]


def test_every_pair_is_recorded(records):
    expected = {(name, str(group)) for name in calibration.SETS for group in task(name).groups}
    assert {(record["task"], record["group"]) for record in records} == expected
    assert len(calibration.INERTIA) == 13
    assert len(calibration.COSSIM) == 4
    assert len(calibration.GOLF) >= 6
    for record in records:
        known = {str(group): word for group, word in task(record["task"]).expected.items()}
        assert record["expected"] == known[record["group"]]


def test_verdicts_are_right_and_errors_follow_the_data(records):
    """By the rule as it is now, not as it was when the record was made."""
    found = calibration.score(records)
    assert found["share_right"] >= 0.95, found["wrong"]
    assert found["correlation_of_error_with_data_error"] >= 0.97
    assert found["correlation_of_excess_with_data_error"] >= 0.97


def test_the_rule_carries_over_to_fresh_data():
    fresh = json.loads(RESULTS.read_text())["calibration"]["fresh"]["records"]
    assert {record["task"] for record in fresh} == set(calibration.FRESH)
    assert not set(calibration.FRESH) & set(calibration.SETS)
    assert calibration.score(fresh)["share_right"] >= 0.75  # less than on the sets the rule was made for


def test_a_rule_that_always_says_soft_would_fail(records, monkeypatch):
    monkeypatch.setattr(calibration, "judge", lambda grounds: ("soft", ""))
    assert calibration.score(records)["share_right"] < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["inertia:0.6*eps3", "golfball:wind=y", "cossim:SO(3)"])
def test_the_record_can_be_made_again(name):
    found = calibration.score(calibration.measure_set(name))
    assert found["wrong"] == []
