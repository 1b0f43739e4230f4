"""Which models each value of ``model`` fits."""

import numpy as np
import pytest

from softsym.discovery.fit.train import Session, prepare
from softsym.discovery.models.model_state import pack_model, unpack_model
from softsym.discovery.selection.fit_models import fit_models
from softsym.errors import InputError
from softsym.inference import EvidenceRow, EvidenceTable
from tests.discovery.fit.training_data import plan

CHOICES = {
    "auto": ["mean", "linear", "gp", "gp without candidates"],
    "linear": ["linear"],
    "gp": ["gp"],
    "network": [],
}


@pytest.mark.parametrize("model", list(CHOICES))
def test_what_is_fitted(model):
    asked = plan(rows=150, model=model, seeds=1)
    fit = fit_models(asked, prepare(asked), Session())
    assert [model.name for model in fit.closed_form.models] == CHOICES[model]
    assert len(fit.members) == (model == "network")
    assert fit.why[0].startswith("A network was" if model == "network" else "No network was")
    assert fit.baseline_models is not None
    assert fit.seconds > 0


def test_a_budget_is_what_is_left_of_it():
    asked = plan(rows=150, model="network", seeds=1, budget=3.0)
    assert fit_models(asked, prepare(asked), Session()).recipe.epochs >= 12


def test_what_was_asked_for_and_cannot_be_is_refused(monkeypatch):
    monkeypatch.setattr("softsym.inference.least_squares.LARGEST", 3)
    asked = plan(rows=60, model="linear")
    with pytest.raises(InputError, match="at most 3 are solved for"):
        fit_models(asked, prepare(asked), Session())


def test_the_same_for_any_number_of_jobs():
    asked = plan(rows=150, model="gp")
    one, two = (
        fit_models(asked, prepare(asked), Session(n_jobs=n)).unconstrained_outputs(asked.X) for n in (1, 2)
    )
    assert np.array_equal(one, two)


def test_candidates_that_data_hardly_cover_are_left_to_verdicts():
    asked = plan(rows=150, model="auto", seeds=1)
    seen = {
        0.9: ["mean", "linear", "gp", "gp without candidates"],
        0.1: ["mean", "linear", "gp without candidates"],
    }
    for coverage, models in seen.items():
        table = EvidenceTable(
            [EvidenceRow(group.name, "undecided", coverage=coverage) for group in asked.shape.groups]
        )
        fit = fit_models(asked, prepare(asked), Session(), table)
        assert [model.name for model in fit.closed_form.models] == models


def test_candidates_that_do_not_hold_have_a_process_without_them_beside():
    asked = plan(rows=150, model="auto", seeds=1)
    first, second = (group.name for group in asked.shape.groups)
    table = EvidenceTable(
        [EvidenceRow(first, "absent", coverage=0.9), EvidenceRow(second, "exact", coverage=0.9)]
    )
    fit = fit_models(asked, prepare(asked), Session(), table)
    names = ["mean", "linear", "gp", "gp of what may hold", "gp without candidates"]
    assert [model.name for model in fit.closed_form.models] == names
    supported = fit.closed_form.get("gp of what may hold")
    assert list(supported.weights) == [second]
    again = unpack_model(*pack_model(supported.refit(asked.X[:50], asked.Y[:50])))
    assert again.name == supported.name
