"""The numbers of a training."""

import pytest

from softsym.discovery.fit.recipe import Recipe, read_recipe
from softsym.errors import InputError
from softsym.regularize.strengths import ByData, Continuous, Fixed, OneShot
from softsym.training.config import FAST, FAST_STRENGTH

SOFT = read_recipe(has_groups=True)


@pytest.mark.parametrize("rows", [2, 10, 100, 1000, 100_000])
@pytest.mark.parametrize("recipe", [Recipe(), SOFT], ids=["plain", "with penalties"])
def test_epochs_and_batch_fit_the_rows(recipe, rows):
    chosen = recipe.for_rows(rows)
    assert 1 <= chosen.batch <= rows
    assert 30 <= chosen.epochs <= 600
    assert recipe.model_copy(update={"epochs": 7, "batch": 5}).for_rows(1000).epochs == 7


def test_penalties_need_half_the_steps():
    steps = {}
    for name, recipe in (("plain", Recipe()), ("soft", SOFT)):
        chosen = recipe.for_rows(1000)
        steps[name] = chosen.epochs * 1000 / chosen.batch
    assert steps == {"plain": 1200, "soft": 600}


def test_with_groups_training_is_fast_and_without_it_is_plain():
    assert {name: getattr(SOFT, name) for name in FAST} == FAST
    assert (SOFT.strength, SOFT.init, SOFT.framing) == (FAST_STRENGTH, "equivariant", True)
    assert read_recipe(has_groups=False, shrink=0.3) == Recipe()
    assert read_recipe(has_groups=False, width=5, lr=None).width == 5
    given = read_recipe(has_groups=True, width=9, lr=0.1, shrink=0.0, strength=None)
    assert (given.width, given.lr, given.shrink, given.strength) == (9, 0.1, 0.0, FAST_STRENGTH)


def test_rules():
    for name, kind in (
        ("one-shot", OneShot),
        ("continuous", Continuous),
        ("by-data", ByData),
        ("fixed", Fixed),
    ):
        assert isinstance(Recipe(strengths=name, epochs=90, batch=9).controller(), kind)
    assert Recipe(epochs=90, batch=9).settings(0, has_groups=True).stop_after == 60
    assert Recipe(epochs=90, batch=9).settings(0, has_groups=False).stop_after == 0


def test_only_penalties_in_the_loss_stop_early():
    assert Recipe(epochs=90, batch=9).settings(0, has_groups=True).early_stopping
    assert not SOFT.for_rows(100).settings(0, has_groups=True).early_stopping


def test_the_last_stage_is_short_slow_and_changes_no_strength():
    whole = SOFT.for_rows(1000)
    last = whole.last_stage()
    assert (last.epochs, last.lr, last.strengths) == (whole.epochs // 3, whole.lr / 10, "fixed")
    changed = {"epochs", "lr", "strengths"}
    assert last.model_dump(exclude=changed) == whole.model_dump(exclude=changed)
    assert Recipe(epochs=1, batch=5).last_stage().epochs == 1


@pytest.mark.parametrize("rows", [5, 35, 700, 3_500, 70_000])
def test_an_ordinary_network_is_trained_as_usual(rows):
    assert SOFT.for_rows(rows).unconstrained(rows) == Recipe(width=SOFT.width, layers=SOFT.layers).for_rows(
        rows
    )


def test_an_ordinary_network_takes_no_longer_where_epochs_are_few():
    short = read_recipe(has_groups=True, width=9, layers=3, epochs=5).for_rows(700)
    assert (
        short.unconstrained(700).epochs,
        short.unconstrained(700).width,
        short.unconstrained(700).layers,
    ) == (10, 9, 3)


def test_files_of_before_mean_what_they_meant():
    """They say less, and what they do not say is what was done then: penalties in the loss, by Adam, on networks without a frame."""
    old = Recipe.model_validate_json(
        '{"width":64,"layers":4,"epochs":300,"batch":250,"lr":0.003,"weight_decay":0.0,"strength":300.0,"gamma":2.0,"strengths":"one-shot"}'
    )
    assert (old.form, old.optimizer, old.init, old.framing) == ("loss", "adam", "standard", False)
    assert Recipe.model_validate_json(SOFT.model_dump_json()) == SOFT


def test_open_numbers_are_refused():
    with pytest.raises(InputError, match="call for_rows"):
        Recipe().settings(0, has_groups=True)
    with pytest.raises(InputError, match="`layers` = 1"):
        read_recipe(has_groups=True, layers=1)
    with pytest.raises(
        InputError, match=r"`weight_decay` = -1\.0: input should be greater than or equal to 0"
    ):
        read_recipe(has_groups=True, shrink=-1.0)


def test_a_width_that_fills_the_memory_is_refused_at_once():
    with pytest.raises(InputError, match="4 layers of width 1,000,000 have about"):
        read_recipe(has_groups=True, width=1_000_000)
