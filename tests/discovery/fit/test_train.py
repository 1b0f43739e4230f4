"""From data to a fitted ensemble: what is held out, what is settled once, and what does not change the result."""

from dataclasses import replace

import numpy as np
import pytest

from softsym.discovery.fit import train
from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.train import SETTLED, Session, prepare, train_ensemble
from softsym.discovery.fit.trials import SearchSpace
from softsym.errors import InputError
from softsym.groups import group
from softsym.io import load_with_checksum
from softsym.native import torch_only
from softsym.reps import rep
from tests.discovery.fit.training_data import FAST, plan


def trained(asked, session=None):
    return train_ensemble(asked, prepare(asked), session or Session())


def test_members_count_on_from_the_seed_and_test_rows_are_held_out():
    fit = trained(plan())
    assert [member.seed for member in fit.members] == [5, 6]
    assert [curves.seed for curves in fit.curves] == [5, 6]
    assert fit.n_train == 72
    assert fit.held.is_separate
    assert fit.held.X.shape == (24, 6)
    assert fit.compiled == "used" or fit.compiled.startswith("not used: ")
    rows = {tuple(row) for row in plan().X}
    assert {tuple(row) for row in fit.held.X} < rows


def test_too_few_rows_are_all_held_out_and_said_so():
    fit = trained(plan(rows=40, seeds=1))
    assert not fit.held.is_separate
    assert len(fit.held.X) == 40


def test_known_duplicates_are_not_looked_for_again(monkeypatch):
    asked = plan(seeds=1)
    monkeypatch.setattr("softsym.data.split.duplicate_groups", lambda X: pytest.fail("looked again"))
    trained(replace(asked, duplicates=np.arange(len(asked.X))))


def test_a_fit_that_goes_on_keeps_what_was_settled(tmp_path, monkeypatch):
    asked_for = []

    def narrow(recipe):
        return recipe.model_copy(update={"width": 12})

    monkeypatch.setattr(
        train,
        "search_hyperparameters",
        lambda training_data, recipe, *a, **k: asked_for.append((*a, k["n_jobs"])) or narrow(recipe),
    )
    asked = plan(seeds=1, search_space=SearchSpace(width=True))
    first = trained(asked, Session(tmp_path))
    assert first.recipe.width == 12
    assert Recipe.model_validate(load_with_checksum((tmp_path / SETTLED).read_text())) == first.recipe
    monkeypatch.setattr(train, "search_hyperparameters", lambda *a, **k: pytest.fail("searched again"))
    again = trained(asked, Session(tmp_path))
    assert again.recipe == first.recipe
    assert np.array_equal(again.outputs(asked.X), first.outputs(asked.X))
    assert asked_for == [(SearchSpace(width=True), 5, 1)]


def test_what_is_given_needs_no_trials(monkeypatch):
    monkeypatch.setattr(train, "search_hyperparameters", lambda *a, **k: pytest.fail("searched"))
    assert trained(plan(seeds=1)).recipe.width == FAST.width


def test_validation_rows_are_kept_apart_from_test_rows():
    fit = trained(plan(seeds=1))
    checked, held = ({tuple(row) for row in part.X} for part in (fit.checked, fit.held))
    assert fit.judged is fit.checked
    assert fit.checked.is_separate
    assert len(checked) == len(held) == 24
    assert not checked & held
    x_val, _ = prepare(plan(seeds=1)).training_data.data.val
    standard = fit.predictor.scale_in.transform(fit.checked.X)
    np.testing.assert_allclose(standard, x_val.numpy(), atol=1e-6)


def test_time_of_earlier_sessions_counts(tmp_path):
    session = Session(n_jobs=2)
    members = trained(plan(seeds=2)).members
    last = [member.history[-1]["seconds"] for member in members]
    assert session.spent(members) == pytest.approx(sum(last) / 2)
    assert session.spent([]) == 0.0


def test_stopping_leaves_what_was_learned():
    fit = trained(plan(), Session(stop=lambda: True))
    assert [member.is_finished for member in fit.members] == [False]
    assert len(fit.members[0].history) == 1


def test_classes_are_not_scaled():
    labels = np.eye(2)[np.arange(120) % 2]
    shape = Shape.of(rep("2V"), rep("2S"), [group("O(3)")])
    fit = trained(plan(seeds=1, target=Target.CLASSES, shape=shape, Y=labels))
    assert (fit.predictor.scale_out.shift == 0).all()
    assert (fit.predictor.scale_out.scale == 1).all()
    assert np.allclose(fit.outputs(fit.held.X).sum(-1), 1)


def test_whether_compiled_code_ran_is_written_down():
    with torch_only():
        assert trained(plan(seeds=1)).compiled == "not used: switched off by torch_only"


def test_rows_of_one_label_are_in_one_part():
    asked = plan(row_groups=np.arange(120) // 6)
    held = [set((part // 6).tolist()) for part in (asked.parts.train, asked.parts.val, asked.parts.test)]
    assert sum(map(len, held)) == 20
    assert train.prepare(asked).parts is asked.parts


@pytest.mark.parametrize("damage", ["{", '{"width": 12, "checksum": "0"}', '{"width": "wide"}', "[]"])
def test_a_damaged_recipe_is_named_in_one_line(tmp_path, damage):
    (tmp_path / SETTLED).write_text(damage)
    with pytest.raises(
        InputError, match=r"recipe.json is damaged \(.*\); pass --force to start again"
    ) as refused:
        trained(plan(seeds=1), Session(tmp_path))
    assert "\n" not in str(refused.value)
