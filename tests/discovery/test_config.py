"""Hyperparameters of a training, and parameters of an estimator."""

import pytest

import softsym as ss
from softsym.discovery.config import (
    Hyperparameters,
    NetworkConfig,
    check_parameters,
    count_processes,
    read_hyperparameters,
)
from softsym.errors import InputError
from softsym.regularize.strengths import ByData, Continuous, Fixed, OneShot
from softsym.training.config import FAST, FAST_STRENGTH


def read(*, has_groups, shrink=0.3, **fields):
    return read_hyperparameters(NetworkConfig(weight_decay=shrink, **fields), has_groups=has_groups)


SOFT = read(has_groups=True)


@pytest.mark.parametrize("rows", [2, 10, 100, 1000, 100_000])
@pytest.mark.parametrize("recipe", [Hyperparameters(), SOFT], ids=["plain", "with penalties"])
def test_epochs_and_batch_fit_the_rows(recipe, rows):
    chosen = recipe.for_rows(rows)
    assert 1 <= chosen.batch <= rows
    assert 30 <= chosen.epochs <= 600
    assert recipe.model_copy(update={"epochs": 7, "batch": 5}).for_rows(1000).epochs == 7


def test_penalties_need_half_the_steps():
    steps = {}
    for name, recipe in (("plain", Hyperparameters()), ("soft", SOFT)):
        chosen = recipe.for_rows(1000)
        steps[name] = chosen.epochs * 1000 / chosen.batch
    assert steps == {"plain": 1200, "soft": 600}


def test_with_groups_training_is_fast_and_without_it_is_plain():
    assert {name: getattr(SOFT, name) for name in FAST} == FAST
    assert (SOFT.strength, SOFT.init, SOFT.framing) == (FAST_STRENGTH, "equivariant", True)
    plain = read(has_groups=False, shrink=0.3)
    assert plain == Hyperparameters(strengths=plain.strengths, gamma=plain.gamma)
    assert read(has_groups=False, width=5, lr=None).width == 5
    given = read(has_groups=True, width=9, lr=0.1, shrink=0.0, strength=None)
    assert (given.width, given.lr, given.shrink, given.strength) == (9, 0.1, 0.0, FAST_STRENGTH)


def test_rules():
    for name, kind in (("one-shot", OneShot), ("continuous", Continuous), ("by-data", ByData), ("fixed", Fixed)):
        assert isinstance(Hyperparameters(strengths=name, epochs=90, batch=9).controller(), kind)
    assert Hyperparameters(epochs=90, batch=9).settings(0, has_groups=True).stop_after == 60
    assert Hyperparameters(epochs=90, batch=9).settings(0, has_groups=False).stop_after == 0


def test_only_penalties_in_the_loss_stop_early():
    assert Hyperparameters(epochs=90, batch=9).settings(0, has_groups=True).early_stopping
    assert not SOFT.for_rows(100).settings(0, has_groups=True).early_stopping


def test_the_last_stage_is_short_slow_and_changes_no_strength():
    whole = SOFT.for_rows(1000)
    last = whole.last_stage()
    assert (last.epochs, last.lr, last.strengths) == (whole.epochs // 3, whole.lr / 10, "fixed")
    changed = {"epochs", "lr", "strengths"}
    assert last.model_dump(exclude=changed) == whole.model_dump(exclude=changed)
    assert Hyperparameters(epochs=1, batch=5).last_stage().epochs == 1


@pytest.mark.parametrize("rows", [5, 35, 700, 3_500, 70_000])
def test_an_ordinary_network_is_trained_as_usual(rows):
    assert SOFT.for_rows(rows).unconstrained(rows) == Hyperparameters(width=SOFT.width, layers=SOFT.layers).for_rows(
        rows
    )


def test_an_ordinary_network_takes_no_longer_where_epochs_are_few():
    short = read(has_groups=True, width=9, layers=3, epochs=5).for_rows(700)
    assert (short.unconstrained(700).epochs, short.unconstrained(700).width, short.unconstrained(700).layers) == (
        10,
        9,
        3,
    )


def test_open_numbers_are_refused():
    with pytest.raises(InputError, match="call for_rows"):
        Hyperparameters().settings(0, has_groups=True)
    with pytest.raises(InputError, match="`layers` = 1"):
        read(has_groups=True, layers=1)
    with pytest.raises(InputError, match=r"`weight_decay` = -1\.0: input should be greater than or equal to 0"):
        read(has_groups=True, shrink=-1.0)


def test_a_width_that_fills_the_memory_is_refused_at_once():
    with pytest.raises(InputError, match="4 layers of width 1,000,000 have about"):
        read(has_groups=True, width=1_000_000)


GIVEN = ss.SoftEquivariantRegressor("V", "V", ["O(3)"])._parameters()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "forest"}, "unknown model 'forest'; pass one of auto, linear, gp, network"),
        ({"seeds": 0}, "`seeds` must be a whole number"),
        ({"held_out": 0.7}, "`held_out` must lie between"),
        ({"budget": -1.0}, "`budget` must be a positive"),
        ({"budget": 1.0, "epochs": 3}, "`epochs` or `budget`, not both"),
        ({"n_jobs": 0}, "`n_jobs` must be a whole number"),
    ],
)
def test_numbers(changes, message):
    check_parameters(GIVEN, classes=False)
    with pytest.raises(InputError, match=message):
        check_parameters(GIVEN | changes, classes=False)


def test_classes_are_learned_by_networks():
    with pytest.raises(InputError, match="classes are learned by networks"):
        check_parameters(GIVEN | {"model": "gp"}, classes=True)


def test_jobs_are_counted_as_scikit_learn_counts_them():
    assert count_processes(None) == 1
    assert count_processes(5) == 5
    assert count_processes(-1) >= 1
    for wrong in (0, 1.5, "two", True):
        with pytest.raises(InputError, match="`n_jobs` must be a whole number other than 0"):
            count_processes(wrong)
