"""Rules by name."""

import pytest

from softsym.errors import InputError
from softsym.regularize.strengths import CONTROLLERS, ByData, Continuous, Controller, Fixed, OneShot, Schedule

SCHEDULE = Schedule(epochs=300, adjust_at=100, gamma=3.0, window=7)


def test_every_rule_is_made_from_the_numbers_of_a_training():
    assert list(CONTROLLERS) == ["one-shot", "continuous", "by-data", "fixed"]
    once, often, by_data, never = (CONTROLLERS[name].of(SCHEDULE) for name in CONTROLLERS)
    assert isinstance(once, OneShot)
    assert (once.at_epoch, once.gamma, once.window) == (100, 3.0, 7)
    assert isinstance(often, Continuous)
    assert (often.period, often.gamma) == (30, 3.0)
    assert isinstance(by_data, ByData)
    assert (by_data.epochs, by_data.gamma) == (300, 3.0)
    assert isinstance(never, Fixed)
    assert CONTROLLERS["continuous"].of(Schedule(5, 1, 2.0, 1)).period == 1


@pytest.mark.parametrize("name", CONTROLLERS)
def test_every_rule_goes_on_from_its_state(name):
    residuals = [{"a": 1.0 + k, "b": 3.0 - 0.01 * k} for k in range(1, 120)]
    whole, other = (CONTROLLERS[name].of(SCHEDULE) for _ in range(2))
    for rule in (whole, other):
        rule.begin({"a": 5.0, "b": 5.0})
    for epoch, values in enumerate(residuals, 1):
        expected = whole.on_epoch_end(values, epoch)
        if epoch == 60:
            other.load_state_dict(whole.state_dict())
        elif epoch > 60:
            assert other.on_epoch_end(values, epoch) == expected


def test_unknown_rules():
    with pytest.raises(
        InputError,
        match="unknown rule of strengths 'often'; pass one of one-shot, continuous, by-data, fixed",
    ):
        CONTROLLERS["often"]


def test_a_rule_of_ones_own_needs_no_name():
    class Nameless(Fixed):
        of = classmethod(Controller.of.__func__)

    with pytest.raises(InputError, match="Nameless cannot be chosen by name: it has no `of`"):
        Nameless.of(SCHEDULE)
