"""One adjustment, from the best epoch of a window."""

import json
import random

import pytest

from softsym.errors import InputError
from softsym.regularize.strengths import OneShot

START = {"a": 10.0, "b": 10.0}


def run(controller: OneShot, residuals: list[dict[str, float]], first: int = 1) -> list[dict[str, float]]:
    return [controller.on_epoch_end(found, epoch) for epoch, found in enumerate(residuals, start=first)]


def begun(*args, **options) -> OneShot:
    controller = OneShot(*args, **options)
    controller.begin(START)
    return controller


def test_adjusts_exactly_once_by_the_formula():
    found = run(begun(3, gamma=2.0, window=1), [{"a": 1.0, "b": 2.0}] * 10)
    assert found == [START] * 2 + [{"a": 10.0, "b": 2.5}] * 8


def test_takes_the_epoch_with_the_smallest_total_in_the_window():
    """Epoch 1 lies before the window; epoch 3 has the smallest total though neither the smallest a nor b nor the smallest larger one."""
    history = [
        {"a": 0.1, "b": 0.1},
        {"a": 1.0, "b": 9.0},
        {"a": 2.0, "b": 4.0},
        {"a": 8.0, "b": 3.0},
        {"a": 3.5, "b": 3.5},
    ]
    found = run(begun(5, gamma=1.0, window=4), history)
    assert found[:4] == [START] * 4
    assert found[4] == pytest.approx({"a": 10.0, "b": 5.0})


@pytest.mark.parametrize(("at", "window", "wanted"), [(5, 2, [4, 5]), (3, 50, [1, 2, 3]), (4, 1, [4])])
def test_window(at, window, wanted):
    controller = OneShot(at, window=window)
    assert [epoch for epoch in range(1, 10) if controller.wants_residuals(epoch)] == wanted


def test_agrees_with_a_slow_twin():
    dice = random.Random(0)
    history = [{"a": dice.random(), "b": dice.random()} for _ in range(60)]
    best = min(history[20:40], key=lambda found: sum(found.values()))
    least = min(best.values())
    expected = {group: 10.0 * (least / R) ** 3 for group, R in best.items()}
    found = run(begun(40, gamma=3.0, window=20), history)
    assert found[38] == START
    assert found[39] == found[-1] == pytest.approx(expected)


def test_residuals_by_layer_and_residuals_nobody_measured():
    controller = begun(3, gamma=2.0, window=1)
    assert controller.on_epoch_end({}, 1) == START
    found = controller.on_epoch_end({"a": {"x": 0.5, "y": 0.5}, "b": {"x": 2.0}}, 3)
    assert found == {"a": 10.0, "b": 2.5}


def test_zero_residual():
    found = run(begun(1), [{"a": 0.0, "b": 1.0}])[0]
    assert found["a"] == 10.0
    assert 0 < found["b"] < 1e-10
    assert run(begun(1), [{"a": 0.0, "b": 0.0}])[0] == START


@pytest.mark.parametrize("stop", [1, 3, 5, 6, 8])
def test_interrupted_and_continued(stop):
    dice = random.Random(1)
    history = [{"a": dice.random(), "b": dice.random()} for _ in range(10)]
    whole = run(begun(6, window=4), history)
    first = begun(6, window=4)
    run(first, history[:stop])
    state = json.loads(json.dumps(first.state_dict()))
    second = OneShot(6, window=4)
    second.load_state_dict(state)
    assert run(second, history[stop:], first=stop + 1) == whole[stop:]


def test_begins_anew():
    controller = begun(2)
    run(controller, [{"a": 1.0, "b": 2.0}] * 3)
    controller.begin({"a": 1.0, "b": 1.0})
    assert run(controller, [{"a": 4.0, "b": 2.0}] * 2)[-1] == {"a": 0.25, "b": 1.0}


@pytest.mark.parametrize(
    "bad",
    [
        {"at_epoch": 0},
        {"at_epoch": -3},
        {"at_epoch": 5, "window": 0},
        {"at_epoch": 5, "gamma": 0.0},
        {"at_epoch": 5, "gamma": -2.0},
        {"at_epoch": 5, "gamma": float("nan")},
    ],
)
def test_bad_arguments(bad):
    with pytest.raises(InputError, match=r"OneShot needs at_epoch >= 1, window >= 1, gamma > 0; got "):
        OneShot(**bad)
