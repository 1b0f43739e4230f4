"""Widths found by trials, the default path of the main job: which is chosen, what becomes of trials that fail, what a time allows."""

import math

import numpy as np
import pytest
import torch

from softsym.discovery.fit import parallel
from softsym.discovery.fit.member import Member, train_member
from softsym.discovery.fit.parallel import Lesson
from softsym.discovery.fit.recipe import LAST_STAGE, PLAIN_WIDTH
from softsym.discovery.fit.trials import affordable_epochs, budgeted, chosen_width, trial_loss
from softsym.errors import TrainingError
from tests.discovery.fit.lessons import FAST, RECIPE, lesson

WIDE = RECIPE.model_copy(update={"width": 216})


def history(loss, epochs=30, seconds=0.0):
    """Bad at first, then of one validation loss."""
    losses = [100.0] * (epochs // 2) + [loss] * (epochs - epochs // 2)
    return [
        {"epoch": k + 1, "loss": v, "validation": v, "seconds": seconds * (k + 1)}
        for k, v in enumerate(losses)
    ]


@pytest.fixture
def stubbed(monkeypatch):
    """Trainings whose end is known by their width; says what was trained."""

    def install(losses, **options):
        asked = []

        def train(shape, recipe, data, seed, *, start, criterion, folder, on_epoch):
            assert start is None
            asked.append((recipe.width, recipe.epochs, seed, folder))
            loss = losses[recipe.width] if isinstance(losses, dict) else losses
            if loss is None:
                raise TrainingError("the loss became nan")
            rows = history(loss, recipe.epochs, **options)
            stopped_at = next((row["epoch"] for row in rows if on_epoch(row)), None)
            return Member(seed, torch.nn.Identity(), {}, rows[:stopped_at], is_finished=stopped_at is None)

        monkeypatch.setattr(parallel, "train_member", train)
        return asked

    return install


CHOICES = {
    "alike: the larger": (0.10, 0.10, 216),
    "the small one is better": (0.10, 0.11, PLAIN_WIDTH),
    "the large one is better": (0.11, 0.10, 216),
    "the large one diverged": (0.9, None, PLAIN_WIDTH),
    "the small one diverged": (None, 0.9, 216),
    "both diverged": (None, None, 216),
    "a loss that is no number counts as infinite": (math.nan, 0.9, 216),
}


@pytest.mark.parametrize(("small", "large", "expected"), CHOICES.values(), ids=list(CHOICES))
def test_the_width_with_which_validation_rows_are_predicted_better(stubbed, small, large, expected):
    stubbed({PLAIN_WIDTH: small, 216: large})
    assert chosen_width(lesson(), WIDE, seed=0) == expected


def test_trials_are_shorter_trainings_of_the_same_seed_that_leave_nothing_behind(stubbed):
    asked = stubbed(0.1)
    chosen_width(lesson(), WIDE, seed=7)
    assert asked == [(PLAIN_WIDTH, 10, 7, None), (216, 10, 7, None)]
    asked = stubbed(0.1)
    chosen_width(lesson(), WIDE.model_copy(update={"epochs": 2}), seed=7)
    assert {epochs for _, epochs, _, _ in asked} == {1}


def test_only_the_last_third_counts():
    member = Member(0, torch.nn.Identity(), {}, history(0.5), is_finished=True)
    assert trial_loss(member) == 0.5
    early = [{"epoch": 1, "loss": 0.0, "validation": 0.0}, *history(0.5)[1:]]
    assert trial_loss(Member(0, torch.nn.Identity(), {}, early)) == 0.5
    assert trial_loss(None) == math.inf


def test_stopping_ends_all_trials_at_once(stubbed):
    asked = stubbed(0.1)
    answers = iter([False] * 14 + [True])
    with pytest.raises(KeyboardInterrupt):
        chosen_width(lesson(), WIDE, seed=0, stop=lambda: next(answers))
    assert [width for width, *_ in asked] == [PLAIN_WIDTH, 216]  # in the fifth epoch of the second


def test_an_interrupt_is_passed_on(stubbed):
    stubbed(0.1)

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        chosen_width(lesson(), WIDE, seed=0, stop=interrupt)


def test_progress_counts_both_trials_together(stubbed, capsys):
    stubbed(0.1)
    chosen_width(lesson(), WIDE, seed=0, quiet=False)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("trying widths: epoch 1/20")
    assert lines[-1].startswith("trying widths: epoch 20/20")


@pytest.mark.parametrize(
    ("seconds", "expected"), [(10.0, 80), (0.0, 12), (1e9, 10_000)], ids=["fits", "at least", "at most"]
)
def test_affordable_epochs(stubbed, seconds, expected):
    asked = stubbed(0.1, seconds=0.125)
    assert affordable_epochs(lesson(), RECIPE, seconds) == expected
    assert asked == [(RECIPE.width, 4, 0, None)]


LAST = 1 + 1 / LAST_STAGE
BUDGETS = {
    "members and their last stage": (False, 3, 1, 3 * LAST),
    "also trials": (True, 3, 1, 3 * LAST + 2 / 3),
    "two at a time": (False, 3, 2, 2 * LAST),
    "trials beside each other": (True, 4, 2, 2 * LAST + 1 / 3),
    "all at a time": (True, 3, 8, LAST + 1 / 3),
}


@pytest.mark.parametrize(("tries", "members", "n_jobs", "rounds"), BUDGETS.values(), ids=list(BUDGETS))
def test_a_budget_is_split_among_members_stages_and_trials(stubbed, tries, members, n_jobs, rounds):
    stubbed(0.1, seconds=0.01)
    recipe = budgeted(lesson(), RECIPE, 60.0, members, n_jobs, tries=tries)
    assert recipe.epochs == pytest.approx(60.0 / rounds / 0.01, abs=1)


def test_without_groups_there_is_nothing_else_to_pay_for(stubbed):
    stubbed(0.1, seconds=0.01)
    ordinary = Lesson(lesson().shape.plain(), lesson().data, torch.nn.functional.mse_loss)
    assert budgeted(ordinary, RECIPE, 60.0, 3).epochs == pytest.approx(2000, abs=1)


def test_real_trials_find_what_the_longer_way_finds():
    """Small, but nothing stubbed: each trial is the training that anybody could run by hand."""
    trial = lesson("O(3)", "O(2)@z")
    recipe = FAST.model_copy(update={"width": 12}).for_rows(40)
    losses = []
    for width in (PLAIN_WIDTH, 12):
        short = recipe.model_copy(update={"width": width, "epochs": 2})
        rows = train_member(trial.shape, short, trial.data, 0, criterion=trial.criterion).history
        losses.append(min(row["validation"] for row in rows[2 * len(rows) // 3 :]))
    assert np.isfinite(losses).all()
    assert chosen_width(trial, recipe, seed=0) == (PLAIN_WIDTH if losses[0] < losses[1] else 12)


def test_real_trials_that_diverge_are_survived():
    wild = RECIPE.model_copy(update={"lr": 1e12})
    assert chosen_width(lesson(), wild, seed=0) == RECIPE.width
