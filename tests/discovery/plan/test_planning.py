"""What a fit would do, and what is refused before it does anything."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from tests.discovery.small import estimator, rows


def test_nothing_is_fitted_by_planning():
    est = estimator(seeds=3, held_out=0.25)
    plan = est.plan(*rows(60))
    assert not hasattr(est, "fit_")
    assert [group.name for group in plan.shape.groups] == ["O(2)@x", "O(2)@z"]
    assert (plan.seeds, plan.fraction, plan.recipe.width) == (3, 0.25, 27)
    assert not plan.search_space.width  # it was given
    assert estimator(width=None).plan(*rows(60)).search_space.width


def test_rows_that_do_not_count_are_left_out():
    X, Y = rows(60)
    weights = np.r_[np.zeros(10), np.ones(50)]
    plan = estimator().plan(X, Y, sample_weight=weights, groups=np.arange(60) // 2)
    assert np.array_equal(plan.X, X[10:])
    assert np.array_equal(plan.row_groups, np.arange(50) // 2)


WRONG = {
    "rep_in": ({"rep_in": "3V"}, r"3V under .* has size 9, X has 6 columns; pass another `rep_in`"),
    "rep_out": ({"rep_out": "2V"}, r"2V under .* has size 6, y has 3 columns; pass another `rep_out`"),
    "width": ({"width": 0}, r"`width` = 0"),
    "lr": ({"lr": -1.0}, r"`lr` = -1.0"),
    "weight_decay": ({"weight_decay": -1.0}, r"`weight_decay` = -1.0"),
    "model": ({"model": "forest"}, r"unknown model 'forest'; pass one of auto, linear, gp, network"),
    "strengths": ({"strengths": "two-shot"}, r"`strengths` = 'two-shot': input should be 'one-shot', 'continuous', 'by-data' or 'fixed'"),
    "seeds": ({"seeds": 0}, r"`seeds` must be a whole number of at least 1, got 0"),
    "held_out": ({"held_out": 0.7}, r"`held_out` must lie between 0 and 0.5, got 0.7"),
    "budget": ({"budget": -3}, r"`budget` must be a positive number of seconds, got -3"),
    "both": ({"budget": 3, "epochs": 5}, r"pass `epochs` or `budget`, not both"),
    "groups": ({"groups": ["O(2)@w"]}, r"expected an axis x, y or z"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=list(WRONG))
def test_wrong_parameters_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        estimator(**changes).plan(*rows(60))


def test_wrong_classes_are_named():
    X = rows(60)[0]
    with pytest.raises(InputError, match="one class only"):
        ss.SoftEquivariantClassifier().plan(X, np.zeros(60))
    with pytest.raises(InputError, match="classes are invariant: leave `rep_out` out, or pass '2S'"):
        ss.SoftEquivariantClassifier("2V", "V", ["O(3)"]).plan(X, np.arange(60) % 2)


def test_groups_without_representations_are_refused():
    X, Y = rows(60)
    for missing, fields in (
        ("`rep_in` and `rep_out`", {}),
        ("`rep_out`", {"rep_in": "2V"}),
        ("`rep_in`", {"rep_out": "V"}),
    ):
        with pytest.raises(InputError, match=f"not how columns transform: pass {missing}, as in"):
            ss.SoftEquivariantRegressor(**fields, groups=["O(3)"]).fit(X, Y)
    with pytest.raises(InputError, match="not how columns transform: pass `rep_in`, as in"):
        ss.SoftEquivariantClassifier(groups=["O(3)"]).fit(X, Y[:, 0] > 0)
