"""Strengths found by trials, the default path of the main job: which start is chosen, and what becomes of trials that fail."""

import math

import numpy as np
import pytest
import torch

from softsym.discovery.fit import parallel
from softsym.discovery.fit.member import Member, Shape, train_member
from softsym.discovery.fit.parallel import Lesson
from softsym.discovery.fit.trials import (
    STRENGTHS,
    affordable_epochs,
    budgeted,
    chosen_start,
    strongest_start,
    trial_loss,
)
from softsym.errors import TrainingError
from softsym.reps import rep
from tests.discovery.fit.lessons import RECIPE, lesson


def history(loss, epochs=30, seconds=0.0):
    """Bad at first, then of one validation loss."""
    losses = [100.0] * (epochs // 2) + [loss] * (epochs - epochs // 2)
    return [
        {"epoch": k + 1, "loss": v, "validation": v, "seconds": seconds * (k + 1)}
        for k, v in enumerate(losses)
    ]


@pytest.fixture
def stubbed(monkeypatch):
    """Trainings whose end is known by their strength; says what was trained."""

    def install(losses, **options):
        asked = []

        def train(shape, recipe, data, seed, *, criterion, folder, on_epoch):
            asked.append((recipe.strength, recipe.epochs, seed, folder))
            loss = losses[recipe.strength] if isinstance(losses, dict) else losses
            if loss is None:
                raise TrainingError("the loss became nan")
            rows = history(loss, recipe.epochs, **options)
            stopped_at = next((row["epoch"] for row in rows if on_epoch(row)), None)
            return Member(seed, torch.nn.Identity(), {}, rows[:stopped_at], is_finished=stopped_at is None)

        monkeypatch.setattr(parallel, "train_member", train)
        return asked

    return install


CHOICES = {
    "all alike: the strongest": ((0.10, 0.10, 0.10), 1000.0),
    "the strongest keeps from learning": ((0.10, 0.11, 0.50), 300.0),
    "strong ones keep from learning": ((0.10, 0.13, 0.50), 30.0),
    "not much worse is allowed": ((0.10, 0.30, 0.12), 1000.0),
    "the strongest is best": ((0.50, 0.30, 0.10), 1000.0),
    "one that diverged is out": ((0.10, 0.11, None), 300.0),
    "only one is left": ((None, 0.9, None), 300.0),
    "none is left: the weakest": ((None, None, None), 30.0),
    "a loss that is no number counts as infinite": ((0.10, math.nan, 0.9), 30.0),
}


@pytest.mark.parametrize(("losses", "expected"), CHOICES.values(), ids=list(CHOICES))
def test_the_strongest_start_that_does_not_keep_from_learning(stubbed, losses, expected):
    stubbed(dict(zip(STRENGTHS, losses, strict=True)))
    assert strongest_start(lesson(), RECIPE, seed=0) == expected


def test_trials_are_shorter_trainings_of_the_same_seed_that_leave_nothing_behind(stubbed):
    asked = stubbed(0.1)
    strongest_start(lesson(), RECIPE, seed=7)
    assert asked == [(strength, 20, 7, None) for strength in STRENGTHS]
    asked = stubbed(0.1)
    strongest_start(lesson(), RECIPE.model_copy(update={"epochs": 5}), seed=7)
    assert {epochs for _, epochs, _, _ in asked} == {12}


def test_only_what_comes_after_the_adjustment_counts():
    member = Member(0, torch.nn.Identity(), {}, history(0.5), is_finished=True)
    assert trial_loss(member) == 0.5
    early = [{"epoch": 1, "loss": 0.0, "validation": 0.0}, *history(0.5)[1:]]
    assert trial_loss(Member(0, torch.nn.Identity(), {}, early)) == 0.5
    assert trial_loss(None) == math.inf


def test_the_weakest_is_the_last_resort():
    assert chosen_start((30.0, 300.0), (math.inf, math.inf)) == 30.0
    assert chosen_start((30.0, 300.0), (0.0, 0.0)) == 300.0


def test_stopping_ends_all_trials_at_once(stubbed):
    asked = stubbed(0.1)
    answers = iter([False] * 24 + [True])
    with pytest.raises(KeyboardInterrupt):
        strongest_start(lesson(), RECIPE, seed=0, stop=lambda: next(answers))
    assert [strength for strength, *_ in asked] == [30.0, 300.0]  # in the fifth epoch of the second


def test_an_interrupt_is_passed_on(stubbed):
    stubbed(0.1)

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        strongest_start(lesson(), RECIPE, seed=0, stop=interrupt)


def test_progress_counts_all_trials_together(stubbed, capsys):
    stubbed(0.1)
    strongest_start(lesson(), RECIPE, seed=0, quiet=False)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("trying strengths: epoch 3/60")
    assert lines[-1].startswith("trying strengths: epoch 60/60")


@pytest.mark.parametrize(
    ("seconds", "expected"), [(10.0, 80), (0.0, 12), (1e9, 10_000)], ids=["fits", "at least", "at most"]
)
def test_affordable_epochs(stubbed, seconds, expected):
    asked = stubbed(0.1, seconds=0.125)
    assert affordable_epochs(lesson(), RECIPE, seconds) == expected
    assert asked == [(None, 4, 0, None)]


BUDGETS = {
    "members alone": ({"strength": 30.0}, 3, 1, 3.0),
    "members and trials": ({"strength": None}, 3, 1, 5.0),
    "two at a time": ({"strength": 30.0}, 3, 2, 2.0),
    "trials two at a time": ({"strength": None}, 4, 2, 2 + 2 / 1.5),
    "all at a time": ({"strength": None}, 3, 8, 1 + 1 / 1.5),
}


@pytest.mark.parametrize(("changes", "members", "n_jobs", "rounds"), BUDGETS.values(), ids=list(BUDGETS))
def test_a_budget_is_split_among_members_and_trials(stubbed, changes, members, n_jobs, rounds):
    stubbed(0.1, seconds=0.01)
    recipe = budgeted(lesson(), RECIPE.model_copy(update=changes), 60.0, members, n_jobs)
    assert recipe.epochs == pytest.approx(60.0 / rounds / 0.01, abs=1)


def test_without_groups_there_are_no_trials_to_pay_for(stubbed):
    stubbed(0.1, seconds=0.01)
    ordinary = Lesson(Shape.of(rep("3S"), rep("S"), []), lesson().data, torch.nn.functional.mse_loss)
    assert budgeted(ordinary, RECIPE, 60.0, 3).epochs == pytest.approx(2000, abs=1)


def test_real_trials_find_what_the_longer_way_finds():
    """Small, but nothing stubbed: each trial is the training that anybody could run by hand."""
    trial = lesson("O(3)", "O(2)@z")
    losses = []
    for strength in STRENGTHS:
        short = RECIPE.model_copy(update={"strength": strength, "epochs": 20})
        rows = train_member(trial.shape, short, trial.data, 0, criterion=trial.criterion).history
        losses.append(min(row["validation"] for row in rows[2 * len(rows) // 3 :]))
    assert np.isfinite(losses).all()
    assert strongest_start(trial, RECIPE, seed=0) == chosen_start(STRENGTHS, losses)


def test_a_real_trial_that_diverges_is_survived():
    wild = RECIPE.model_copy(update={"lr": 1e12})
    assert strongest_start(lesson(), wild, seed=0) == min(STRENGTHS)
