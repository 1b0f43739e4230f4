"""From data to a fitted ensemble: what is held out, what is settled once, and what does not change the result."""

from dataclasses import replace

import numpy as np
import pytest

from softsym.discovery.fit import train
from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.train import SETTLED, FitPlan, Session, train_ensemble
from softsym.groups import group
from softsym.native import torch_only
from softsym.reps import rep

SHAPE = Shape.of(rep("2V"), rep("V"), [group("O(2)@x"), group("O(2)@z")])


def plan(rows=120, **changes):
    X = np.random.default_rng(0).standard_normal((rows, 6))
    recipe = Recipe(width=8, layers=2, epochs=4, strength=30.0)
    fields = {"target": Target.NUMBERS, "shape": SHAPE, "recipe": recipe, "X": X, "Y": X[:, :3] + 1.0}
    return FitPlan(**fields | {"seeds": 2, "seed": 5, "fraction": 0.2} | changes)


def test_members_count_on_from_the_seed_and_test_rows_are_held_out():
    fit = train_ensemble(plan(), Session())
    assert [member.seed for member in fit.members] == [5, 6]
    assert [curves.seed for curves in fit.curves] == [5, 6]
    assert fit.n_train == 72
    assert fit.held.is_separate
    assert fit.held.X.shape == (24, 6)
    assert fit.compiled == "used" or fit.compiled.startswith("not used: ")
    rows = {tuple(row) for row in plan().X}
    assert {tuple(row) for row in fit.held.X} < rows


def test_too_few_rows_are_all_held_out_and_said_so():
    fit = train_ensemble(plan(rows=40, seeds=1), Session())
    assert not fit.held.is_separate
    assert len(fit.held.X) == 40


def test_known_duplicates_are_not_looked_for_again(monkeypatch):
    asked = plan(seeds=1)
    monkeypatch.setattr("softsym.data.split.duplicate_groups", lambda X: pytest.fail("looked again"))
    train_ensemble(replace(asked, duplicates=np.arange(len(asked.X))), Session())


def test_a_fit_that_goes_on_keeps_what_was_settled(tmp_path, monkeypatch):
    found = []
    monkeypatch.setattr(train, "strongest_start", lambda *a, **k: found.append(k["n_jobs"]) or 300.0)
    asked = plan(seeds=1, recipe=Recipe(width=8, layers=2, epochs=4))
    first = train_ensemble(asked, Session(tmp_path))
    assert first.recipe.strength == 300.0
    assert Recipe.model_validate_json((tmp_path / SETTLED).read_text()) == first.recipe
    monkeypatch.setattr(train, "strongest_start", lambda *a, **k: pytest.fail("tried again"))
    again = train_ensemble(asked, Session(tmp_path))
    assert again.recipe == first.recipe
    assert np.array_equal(again.outputs(asked.X), first.outputs(asked.X))
    assert found == [1]


def test_a_given_strength_needs_no_trials(monkeypatch):
    monkeypatch.setattr(train, "strongest_start", lambda *a, **k: pytest.fail("tried"))
    assert train_ensemble(plan(seeds=1), Session()).recipe.strength == 30.0
    ordinary = plan(
        seeds=1, shape=Shape.of(rep("6S"), rep("3S"), []), recipe=Recipe(width=8, layers=2, epochs=2)
    )
    assert train_ensemble(ordinary, Session()).recipe.strength is None


def test_stopping_leaves_what_was_learned():
    fit = train_ensemble(plan(), Session(stop=lambda: True))
    assert [member.is_finished for member in fit.members] == [False]
    assert len(fit.members[0].history) == 1


def test_classes_are_not_scaled():
    labels = np.eye(2)[np.arange(120) % 2]
    shape = Shape.of(rep("2V"), rep("2S"), [group("O(3)")])
    fit = train_ensemble(plan(seeds=1, target=Target.CLASSES, shape=shape, Y=labels), Session())
    assert (fit.predictor.scale_out.shift == 0).all()
    assert (fit.predictor.scale_out.scale == 1).all()
    assert np.allclose(fit.outputs(fit.held.X).sum(-1), 1)


def test_whether_compiled_code_ran_is_written_down():
    with torch_only():
        assert train_ensemble(plan(seeds=1), Session()).compiled == "not used: switched off by torch_only"


def test_rows_of_one_label_are_in_one_part():
    asked = plan(together=np.arange(120) // 6)
    held = [set((part // 6).tolist()) for part in (asked.parts.train, asked.parts.val, asked.parts.test)]
    assert sum(map(len, held)) == 20
    assert train.prepare(asked).parts is asked.parts
