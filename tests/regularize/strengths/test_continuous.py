"""The rule again and again, from an average."""

import json
import random

import pytest

from softsym.errors import InputError
from softsym.regularize.strengths import Continuous

START = {"a": 8.0, "b": 8.0}


def run(controller: Continuous, residuals: list[dict[str, float]], first: int = 1) -> list[dict[str, float]]:
    return [controller.on_epoch_end(found, epoch) for epoch, found in enumerate(residuals, start=first)]


def begun(*args, **options) -> Continuous:
    controller = Continuous(*args, **options)
    controller.begin(START)
    return controller


def test_adjusts_at_its_period():
    history = [{"a": 1.0, "b": 2.0}] * 3 + [{"a": 4.0, "b": 1.0}] * 3
    found = run(begun(3, gamma=1.0, decay=0.0), history)
    assert found == [START, START, *[{"a": 8.0, "b": 4.0}] * 3, {"a": 2.0, "b": 8.0}]


def test_average_by_hand():
    found = run(begun(2, gamma=1.0, decay=0.5), [{"a": 1.0, "b": 4.0}, {"a": 3.0, "b": 12.0}])
    assert found[-1] == pytest.approx({"a": 8.0, "b": 8.0 * (0.5 * 1 + 0.5 * 3) / (0.5 * 4 + 0.5 * 12)})
    mixed = run(begun(2, gamma=2.0, decay=0.75), [{"a": 1.0, "b": 4.0}, {"a": 5.0, "b": 2.0}])
    assert mixed[-1] == pytest.approx({"a": 8.0, "b": 8.0 * (2.0 / 3.5) ** 2})


def test_a_symmetry_can_recover():
    found = run(begun(1, gamma=2.0, decay=0.0), [{"a": 1.0, "b": 100.0}, {"a": 1.0, "b": 1.0}])
    assert found == [pytest.approx({"a": 8.0, "b": 8e-4}), START]


def test_first_epoch_of_change():
    found = run(begun(2, gamma=1.0, decay=0.0, start=5), [{"a": 1.0, "b": 2.0}] * 6)
    assert found == [START] * 5 + [{"a": 8.0, "b": 4.0}]


def test_always_wants_residuals_and_reads_them_by_layer():
    controller = begun(1, gamma=1.0)
    assert controller.wants_residuals(1)
    assert controller.on_epoch_end({"a": {"x": 1.0, "y": 1.0}, "b": {"x": 4.0}}, 1) == {"a": 8.0, "b": 4.0}


def test_zero_residual():
    found = run(begun(1), [{"a": 0.0, "b": 1.0}])[0]
    assert found["a"] == 8.0
    assert 0 < found["b"] < 1e-10


@pytest.mark.parametrize("stop", [1, 4, 7])
def test_interrupted_and_continued(stop):
    dice = random.Random(2)
    history = [{"a": dice.random(), "b": dice.random()} for _ in range(12)]
    whole = run(begun(3), history)
    first = begun(3)
    run(first, history[:stop])
    second = Continuous(3)
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert run(second, history[stop:], first=stop + 1) == whole[stop:]


@pytest.mark.parametrize(
    "bad",
    [
        {"period": 0},
        {"period": 3, "gamma": 0.0},
        {"period": 3, "gamma": float("nan")},
        {"period": 3, "decay": 1.0},
        {"period": 3, "decay": -0.1},
        {"period": 3, "decay": float("nan")},
    ],
)
def test_bad_arguments(bad):
    with pytest.raises(InputError, match=r"Continuous needs period >= 1, gamma > 0, 0 <= decay < 1; got "):
        Continuous(**bad)
