"""The numbers of a training."""

import pytest

from softsym.discovery.fit.recipe import Recipe, read_recipe
from softsym.errors import InputError
from softsym.regularize.strengths import Continuous, Fixed, OneShot


@pytest.mark.parametrize("rows", [2, 10, 100, 1000, 100_000])
def test_epochs_and_batch_fit_the_rows(rows):
    chosen = Recipe().for_rows(rows)
    assert 1 <= chosen.batch <= rows
    assert 30 <= chosen.epochs <= 600
    assert Recipe(epochs=7, batch=5).for_rows(1000).epochs == 7


def test_rules():
    for name, kind in (("one-shot", OneShot), ("continuous", Continuous), ("fixed", Fixed)):
        assert isinstance(Recipe(strengths=name, epochs=90, batch=9).controller(), kind)
    assert Recipe(epochs=90, batch=9).settings(0, has_groups=True).stop_after == 60
    assert Recipe(epochs=90, batch=9).settings(0, has_groups=False).stop_after == 0


def test_open_numbers_are_refused():
    with pytest.raises(InputError, match="call for_rows"):
        Recipe().settings(0, has_groups=True)
    with pytest.raises(InputError, match="`layers` = 1"):
        read_recipe(layers=1)
