"""Closed-form models, and the reasons why some could not be fitted."""

import numpy as np
import pytest

from softsym.discovery.models.closed_form import ClosedFormModels, fit_closed_form_models
from softsym.groups import group
from softsym.reps import rep
from tests.discovery.small import rows

X, Y = rows(80)
SHAPE = (rep("2V"), rep("V"), [group("O(2)@z")])


@pytest.mark.parametrize(
    ("model", "names"),
    [("auto", ["mean", "linear", "gp", "gp without candidates"]), ("linear", ["linear"]), ("gp", ["gp"])],
)
def test_what_a_choice_asks_for(model, names):
    closed_form = fit_closed_form_models(X, Y, *SHAPE, model=model)
    assert [model.name for model in closed_form.models] == names
    assert closed_form.refused == {}
    assert closed_form.seconds > 0


def test_without_candidates_there_is_one_process():
    closed_form = fit_closed_form_models(X, Y, rep("2V"), rep("V"), [])
    assert [model.name for model in closed_form.models] == ["mean", "linear", "gp without candidates"]
    assert closed_form.gp_model is closed_form.get("gp without candidates")


def test_what_cannot_be_fitted_says_why(monkeypatch):
    monkeypatch.setattr("softsym.inference.least_squares.LARGEST", 3)
    closed_form = fit_closed_form_models(X, Y, *SHAPE)
    assert list(closed_form.refused) == ["linear"]
    assert "at most 3 are solved for" in closed_form.refused["linear"]
    assert ClosedFormModels().gp_model is None
    assert ClosedFormModels().get("gp") is None


def test_rows_of_one_source_are_known():
    closed_form = fit_closed_form_models(X, Y, *SHAPE, row_groups=np.arange(80) // 4, model="gp")
    assert closed_form.gp_model.gp.process_.row_groups is not None
