"""Controllers of strengths: the paper's rule by hand, and each controller over epochs."""

import json
import math
import random

import pytest

from softsym.errors import InputError
from softsym.regularize.strengths import CONTROLLERS, ByData, Continuous, Controller, Fixed, OneShot, Schedule
from softsym.regularize.strengths.controllers import rescale, sum_layers


def test_rule_by_hand():
    strengths = rescale({"a": 100.0, "b": 100.0, "c": 50.0}, {"a": 2.0, "b": 4.0, "c": 20.0}, gamma=3.0)
    assert strengths == pytest.approx({"a": 100.0, "b": 12.5, "c": 0.05})


def test_published_run():
    """R 0.92, 2.72, 2.71 x 1e-4 and gamma 2 gave strengths 100 / 11.4 / 11.5."""
    residuals = {"z": 0.92e-4, "x": 2.72e-4, "y": 2.71e-4}
    strengths = rescale(dict.fromkeys("zxy", 100.0), residuals, gamma=2.0)
    assert strengths == pytest.approx({"z": 100.0, "x": 11.4, "y": 11.5}, rel=5e-3)


def test_equal_residuals_change_nothing():
    assert rescale({"a": 3.0, "b": 5.0}, {"a": 0.7, "b": 0.7}, 5.0) == {"a": 3.0, "b": 5.0}


@pytest.mark.parametrize("gamma", [0.5, 2.0, 5.0])
def test_zero_residuals_are_safe(gamma):
    strengths = rescale({"a": 100.0, "b": 100.0}, {"a": 0.0, "b": 1.0}, gamma)
    assert strengths["a"] == 100.0
    assert all(math.isfinite(value) and value > 0 for value in strengths.values())
    assert rescale({"a": 1.0, "b": 2.0}, {"a": 0.0, "b": 0.0}, gamma) == {"a": 1.0, "b": 2.0}


def test_sums_over_layers():
    assert sum_layers({"a": {"first": 1.0, "last": 2.0}, "b": 4}) == {"a": 3.0, "b": 4.0}


def test_fixed_strengths_stay():
    controller = Fixed()
    controller.begin({"a": 1.0, "b": 2.0})
    for epoch in range(1, 5):
        assert not controller.wants_residuals(epoch)
        assert controller.on_epoch_end({"a": 5.0, "b": 0.1}, epoch) == {"a": 1.0, "b": 2.0}


def test_fixed_state():
    controller, other = Fixed(), Fixed()
    controller.begin({"a": 1.0})
    other.load_state_dict(controller.state_dict())
    assert other.on_epoch_end({}, 3) == {"a": 1.0}


def test_fixed_strengths_are_copied():
    controller = Fixed()
    controller.begin(start := {"a": 1.0})
    start["a"] = 9.0
    controller.on_epoch_end({}, 1)["a"] = 7.0
    controller.state_dict()["strengths"]["a"] = 8.0
    assert controller.on_epoch_end({}, 2) == {"a": 1.0}


TENS = {"a": 10.0, "b": 10.0}


def run(controller: Controller, residuals: list[dict[str, float]], first: int = 1) -> list[dict[str, float]]:
    return [controller.on_epoch_end(values, epoch) for epoch, values in enumerate(residuals, start=first)]


def one_shot(*args, **options) -> OneShot:
    controller = OneShot(*args, **options)
    controller.begin(TENS)
    return controller


def test_adjusts_exactly_once_by_the_formula():
    strengths = run(one_shot(3, gamma=2.0, window=1), [{"a": 1.0, "b": 2.0}] * 10)
    assert strengths == [TENS] * 2 + [{"a": 10.0, "b": 2.5}] * 8


def test_takes_the_epoch_with_the_smallest_total_in_the_window():
    """Epoch 1 lies before the window; epoch 3 has the smallest total though neither the smallest a nor b nor the smallest larger one."""
    history = [
        {"a": 0.1, "b": 0.1},
        {"a": 1.0, "b": 9.0},
        {"a": 2.0, "b": 4.0},
        {"a": 8.0, "b": 3.0},
        {"a": 3.5, "b": 3.5},
    ]
    strengths = run(one_shot(5, gamma=1.0, window=4), history)
    assert strengths[:4] == [TENS] * 4
    assert strengths[4] == pytest.approx({"a": 10.0, "b": 5.0})


@pytest.mark.parametrize(("at", "window", "wanted"), [(5, 2, [4, 5]), (3, 50, [1, 2, 3]), (4, 1, [4])])
def test_one_shot_window(at, window, wanted):
    controller = OneShot(at, window=window)
    assert [epoch for epoch in range(1, 10) if controller.wants_residuals(epoch)] == wanted


def test_agrees_with_a_slow_twin():
    dice = random.Random(0)
    history = [{"a": dice.random(), "b": dice.random()} for _ in range(60)]
    best = min(history[20:40], key=lambda values: sum(values.values()))
    least = min(best.values())
    expected = {group: 10.0 * (least / R) ** 3 for group, R in best.items()}
    strengths = run(one_shot(40, gamma=3.0, window=20), history)
    assert strengths[38] == TENS
    assert strengths[39] == strengths[-1] == pytest.approx(expected)


def test_residuals_by_layer_and_missing_residuals():
    controller = one_shot(3, gamma=2.0, window=1)
    assert controller.on_epoch_end({}, 1) == TENS
    strengths = controller.on_epoch_end({"a": {"x": 0.5, "y": 0.5}, "b": {"x": 2.0}}, 3)
    assert strengths == {"a": 10.0, "b": 2.5}


def test_one_shot_zero_residual():
    strengths = run(one_shot(1), [{"a": 0.0, "b": 1.0}])[0]
    assert strengths["a"] == 10.0
    assert 0 < strengths["b"] < 1e-10
    assert run(one_shot(1), [{"a": 0.0, "b": 0.0}])[0] == TENS


@pytest.mark.parametrize("stop", [1, 3, 5, 6, 8])
def test_one_shot_interrupted_and_continued(stop):
    dice = random.Random(1)
    history = [{"a": dice.random(), "b": dice.random()} for _ in range(10)]
    whole = run(one_shot(6, window=4), history)
    first = one_shot(6, window=4)
    run(first, history[:stop])
    state = json.loads(json.dumps(first.state_dict()))
    second = OneShot(6, window=4)
    second.load_state_dict(state)
    assert run(second, history[stop:], first=stop + 1) == whole[stop:]


def test_begins_anew():
    controller = one_shot(2)
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
def test_one_shot_bad_arguments(bad):
    with pytest.raises(InputError, match=r"OneShot needs at_epoch >= 1, window >= 1, gamma > 0; got "):
        OneShot(**bad)


EIGHTS = {"a": 8.0, "b": 8.0}


def continuous(*args, **options) -> Continuous:
    controller = Continuous(*args, **options)
    controller.begin(EIGHTS)
    return controller


def test_adjusts_at_its_period():
    history = [{"a": 1.0, "b": 2.0}] * 3 + [{"a": 4.0, "b": 1.0}] * 3
    strengths = run(continuous(3, gamma=1.0, decay=0.0), history)
    assert strengths == [EIGHTS, EIGHTS, *[{"a": 8.0, "b": 4.0}] * 3, {"a": 2.0, "b": 8.0}]


def test_average_by_hand():
    strengths = run(continuous(2, gamma=1.0, decay=0.5), [{"a": 1.0, "b": 4.0}, {"a": 3.0, "b": 12.0}])
    assert strengths[-1] == pytest.approx({"a": 8.0, "b": 8.0 * (0.5 * 1 + 0.5 * 3) / (0.5 * 4 + 0.5 * 12)})
    mixed = run(continuous(2, gamma=2.0, decay=0.75), [{"a": 1.0, "b": 4.0}, {"a": 5.0, "b": 2.0}])
    assert mixed[-1] == pytest.approx({"a": 8.0, "b": 8.0 * (2.0 / 3.5) ** 2})


def test_a_symmetry_can_recover():
    strengths = run(continuous(1, gamma=2.0, decay=0.0), [{"a": 1.0, "b": 100.0}, {"a": 1.0, "b": 1.0}])
    assert strengths == [pytest.approx({"a": 8.0, "b": 8e-4}), EIGHTS]


def test_first_epoch_of_change():
    strengths = run(continuous(2, gamma=1.0, decay=0.0, start=5), [{"a": 1.0, "b": 2.0}] * 6)
    assert strengths == [EIGHTS] * 5 + [{"a": 8.0, "b": 4.0}]


def test_always_wants_residuals_and_reads_them_by_layer():
    controller = continuous(1, gamma=1.0)
    assert controller.wants_residuals(1)
    assert controller.on_epoch_end({"a": {"x": 1.0, "y": 1.0}, "b": {"x": 4.0}}, 1) == {"a": 8.0, "b": 4.0}


def test_continuous_zero_residual():
    strengths = run(continuous(1), [{"a": 0.0, "b": 1.0}])[0]
    assert strengths["a"] == 8.0
    assert 0 < strengths["b"] < 1e-10


@pytest.mark.parametrize("stop", [1, 4, 7])
def test_continuous_interrupted_and_continued(stop):
    dice = random.Random(2)
    history = [{"a": dice.random(), "b": dice.random()} for _ in range(12)]
    whole = run(continuous(3), history)
    first = continuous(3)
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
def test_continuous_bad_arguments(bad):
    with pytest.raises(InputError, match=r"Continuous needs period >= 1, gamma > 0, 0 <= decay < 1; got "):
        Continuous(**bad)


def by_data(epochs=12, gamma=2.0) -> ByData:
    controller = ByData(epochs, gamma)
    controller.begin(TENS)
    return controller


def test_by_data_moments():
    controller = by_data(12)
    assert [epoch for epoch in range(1, 13) if controller.wants_residuals(epoch)] == [4, 6, 8, 10, 12]
    assert ByData(1).wants_residuals(1)


def test_by_data_strengthens_violations_within_prediction_errors_and_weakens_others():
    assert by_data().on_epoch_end({"a": 0.1, "b": 4.0}, 4) == pytest.approx({"a": 100.0, "b": 2.5})


def test_by_data_ratio_is_at_most_a_hundred():
    assert by_data().on_epoch_end({"a": 0.0, "b": 1e9}, 4) == pytest.approx({"a": 1000.0, "b": 0.1})


def test_by_data_keeps_the_least_violated_group_if_all_are_violated():
    assert by_data().on_epoch_end({"a": 20.0, "b": 5.0}, 4) == pytest.approx({"a": 2.5, "b": 10.0})


def test_gamma_counts_differences_of_errors():
    assert by_data(gamma=4.0).on_epoch_end({"a": 1.0, "b": 4.0}, 4) == pytest.approx({"a": 10.0, "b": 10 / 16})


def test_by_data_uses_the_smallest_violation_so_far():
    controller = by_data()
    controller.on_epoch_end({"a": 0.5, "b": 2.0}, 4)
    assert controller.on_epoch_end({"a": 8.0, "b": 9.0}, 6) == pytest.approx({"a": 20.0, "b": 5.0})


def test_by_data_changes_nothing_between_its_moments():
    assert by_data().on_epoch_end({"a": 1e-9, "b": 1e9}, 5) == TENS


def test_by_data_state():
    one, other = by_data(), ByData(12)
    one.on_epoch_end({"a": 0.5, "b": 2.0}, 4)
    other.load_state_dict(json.loads(json.dumps(one.state_dict())))
    violations = {"a": 0.7, "b": 1.0}
    assert other.on_epoch_end(violations, 6) == one.on_epoch_end(violations, 6)


@pytest.mark.parametrize(("epochs", "gamma"), [(0, 2.0), (5, 0.0)])
def test_by_data_bad_arguments(epochs, gamma):
    with pytest.raises(InputError, match="ByData needs epochs >= 1 and gamma > 0"):
        ByData(epochs, gamma)


SCHEDULE = Schedule(epochs=300, adjust_at=100, gamma=3.0, window=7)


def test_named_controllers_are_made_from_a_schedule():
    assert list(CONTROLLERS) == ["one-shot", "continuous", "by-data", "fixed"]
    once, often, by_data, never = (CONTROLLERS[name].from_schedule(SCHEDULE) for name in CONTROLLERS)
    assert isinstance(once, OneShot)
    assert (once.at_epoch, once.gamma, once.window) == (100, 3.0, 7)
    assert isinstance(often, Continuous)
    assert (often.period, often.gamma) == (30, 3.0)
    assert isinstance(by_data, ByData)
    assert (by_data.epochs, by_data.gamma) == (300, 3.0)
    assert isinstance(never, Fixed)
    assert CONTROLLERS["continuous"].from_schedule(Schedule(5, 1, 2.0, 1)).period == 1


@pytest.mark.parametrize("name", CONTROLLERS)
def test_named_controllers_continue_from_their_state(name):
    residuals = [{"a": 1.0 + k, "b": 3.0 - 0.01 * k} for k in range(1, 120)]
    whole, other = (CONTROLLERS[name].from_schedule(SCHEDULE) for _ in range(2))
    for rule in (whole, other):
        rule.begin({"a": 5.0, "b": 5.0})
    for epoch, values in enumerate(residuals, 1):
        expected = whole.on_epoch_end(values, epoch)
        if epoch == 60:
            other.load_state_dict(whole.state_dict())
        elif epoch > 60:
            assert other.on_epoch_end(values, epoch) == expected


def test_unknown_names():
    with pytest.raises(
        InputError, match="unknown rule of strengths 'often'; pass one of one-shot, continuous, by-data, fixed"
    ):
        CONTROLLERS["often"]


def test_only_named_controllers_need_a_schedule():
    class Nameless(Fixed):
        from_schedule = classmethod(Controller.from_schedule.__func__)

    with pytest.raises(InputError, match="Nameless cannot be chosen by name: it has no `from_schedule`"):
        Nameless.from_schedule(SCHEDULE)


def test_the_old_constructor_warns():
    with pytest.warns(DeprecationWarning, match="from_schedule"):
        assert isinstance(Fixed.of(SCHEDULE), Fixed)
