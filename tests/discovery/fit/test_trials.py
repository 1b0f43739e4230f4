"""Trials, the default path of the main job: what is chosen, what becomes of those that fail, what a time allows."""

import math

import numpy as np
import pytest
import torch

from softsym.discovery.fit import parallel
from softsym.discovery.fit.member import Member, predict_members, train_member
from softsym.discovery.fit.parallel import TrainingData
from softsym.discovery.fit.recipe import LAST_STAGE, PLAIN_WIDTH
from softsym.discovery.fit.trials import (
    NO_SEARCH,
    WEAKER,
    SearchSpace,
    affordable_epochs,
    search_hyperparameters,
    set_epochs_by_budget,
    trial_losses,
)
from softsym.errors import TrainingError
from tests.discovery.fit.training_data import FAST, RECIPE, training_data

WIDE = RECIPE.model_copy(update={"width": 216, "strength": 10.0})
BOTH = SearchSpace(width=True, strength=True)
USUAL, WEAK, NARROW = (216, 10.0), (216, 10.0 / WEAKER), (PLAIN_WIDTH, 10.0)


class Off(torch.nn.Module):
    """Knows the squared length of a vector, up to a mistake that depends on the row a little."""

    def __init__(self, mistake):
        super().__init__()
        self.mistake = mistake

    def forward(self, x):
        return x.square().sum(1, keepdim=True) + self.mistake * (1 + 0.01 * x[:, :1].sin())


def history(epochs=30, seconds=0.0):
    return [{"epoch": k + 1, "loss": 0.1, "seconds": seconds * (k + 1)} for k in range(epochs)]


@pytest.fixture
def stubbed(monkeypatch):
    """Trainings that end with known mistakes, by width and strength; says what was trained."""

    def install(mistakes, **options):
        asked = []

        def train(shape, recipe, data, seed, *, start, criterion, device, folder, on_epoch):
            assert start is None
            asked.append((recipe.width, recipe.strength, recipe.epochs, seed, folder))
            mistake = mistakes[recipe.width, recipe.strength] if isinstance(mistakes, dict) else mistakes
            if mistake is None:
                raise TrainingError("the loss became nan")
            rows = history(recipe.epochs, **options)
            stopped_at = next((row["epoch"] for row in rows if on_epoch(row)), None)
            return Member(seed, Off(mistake), {}, rows[:stopped_at], is_finished=stopped_at is None)

        monkeypatch.setattr(parallel, "train_member", train)
        return asked

    return install


CHOICES = {
    "all alike: the recipe": ((0.3, 0.3, 0.3), USUAL),
    "penalties keep from learning": ((0.3, 0.1, 0.3), WEAK),
    "a narrow network is better": ((0.3, 0.3, 0.1), NARROW),
    "the best of those that are better": ((0.3, 0.2, 0.1), NARROW),
    "the recipe is best": ((0.1, 0.2, 0.3), USUAL),
    "the recipe diverged": ((None, 0.9, None), WEAK),
    "others diverged": ((0.9, None, None), USUAL),
    "all diverged": ((None, None, None), USUAL),
    "a prediction that is no number counts as infinite": ((0.9, math.nan, 0.1), NARROW),
}


@pytest.mark.parametrize(("mistakes", "expected"), CHOICES.values(), ids=list(CHOICES))
def test_what_predicts_validation_rows_clearly_better_is_taken(stubbed, mistakes, expected):
    stubbed(dict(zip((USUAL, WEAK, NARROW), mistakes, strict=True)))
    chosen = search_hyperparameters(training_data(), WIDE, BOTH, seed=0)
    assert (chosen.width, chosen.strength) == pytest.approx(expected)
    assert chosen.epochs == WIDE.epochs


def test_a_little_better_is_not_clearly_better(monkeypatch):
    """One validation row decides everything: by less than one standard error."""
    losses = iter([np.array([0.0, 0.0, 0.0, 9.0]), np.array([0.1, 0.1, 0.1, 1.0])])
    monkeypatch.setattr("softsym.discovery.fit.trials.trial_losses", lambda *a: next(losses))
    assert (
        search_hyperparameters(
            training_data(), RECIPE.model_copy(update={"epochs": 3}), SearchSpace(strength=True), seed=0
        ).strength
        is None
    )


def test_only_what_is_open_is_tried():
    def kinds(search_space, recipe=WIDE):
        return [(one.width, one.strength) for one in search_space.alternatives(recipe)]

    assert kinds(BOTH) == [USUAL, WEAK, NARROW]
    assert kinds(SearchSpace(width=True)) == [USUAL, NARROW]
    assert kinds(SearchSpace(strength=True)) == [USUAL, WEAK]
    narrow = WIDE.model_copy(update={"width": PLAIN_WIDTH})
    assert len(kinds(BOTH, narrow)) == 2  # it is narrow already
    assert kinds(NO_SEARCH) == [USUAL]
    assert not NO_SEARCH
    assert all((BOTH, SearchSpace(width=True), SearchSpace(strength=True)))


def test_trials_are_shorter_trainings_of_the_same_seed_that_leave_nothing_behind(stubbed):
    asked = stubbed(0.1)
    search_hyperparameters(training_data(), WIDE, BOTH, seed=7)
    assert asked == [(*kind, 10, 7, None) for kind in (USUAL, WEAK, NARROW)]
    asked = stubbed(0.1)
    search_hyperparameters(training_data(), WIDE.model_copy(update={"epochs": 2}), BOTH, seed=7)
    assert {epochs for _, _, epochs, _, _ in asked} == {1}


def test_the_loss_of_every_validation_row():
    losses = trial_losses(training_data(), Member(0, Off(0.5), {}, []))
    x, _ = training_data().data.val
    np.testing.assert_allclose(losses, (0.5 * (1 + 0.01 * np.sin(x[:, 0].numpy()))) ** 2, rtol=1e-4)
    assert (trial_losses(training_data(), None) == math.inf).all()


def test_stopping_ends_all_trials_at_once(stubbed):
    asked = stubbed(0.1)
    answers = iter([False] * 14 + [True])
    with pytest.raises(KeyboardInterrupt):
        search_hyperparameters(training_data(), WIDE, BOTH, seed=0, stop=lambda: next(answers))
    assert [one[:2] for one in asked] == [USUAL, WEAK]  # in the fifth epoch of the second


def test_an_interrupt_is_passed_on(stubbed):
    stubbed(0.1)

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_hyperparameters(training_data(), WIDE, BOTH, seed=0, stop=interrupt)


def test_progress_counts_all_trials_together(stubbed, capsys):
    stubbed(0.1)
    search_hyperparameters(training_data(), WIDE, BOTH, seed=0, quiet=False)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("trials: epoch ")
    assert lines[-1].startswith("trials: epoch 30/30")


@pytest.mark.parametrize(
    ("seconds", "expected"), [(10.0, 80), (0.0, 12), (1e9, 10_000)], ids=["fits", "at least", "at most"]
)
def test_affordable_epochs(stubbed, seconds, expected):
    asked = stubbed(0.1, seconds=0.125)
    assert affordable_epochs(training_data(), RECIPE, seconds) == expected
    assert asked == [(RECIPE.width, None, 4, 0, None)]


LAST = 1 + 1 / LAST_STAGE
BUDGETS = {
    "members and their last stage": (NO_SEARCH, 3, 1, 3 * LAST),
    "also trials": (BOTH, 3, 1, 3 * LAST + 3 / 3),
    "fewer trials": (SearchSpace(strength=True), 3, 1, 3 * LAST + 2 / 3),
    "two at a time": (NO_SEARCH, 3, 2, 2 * LAST),
    "trials two at a time": (BOTH, 4, 2, 2 * LAST + 2 / 3),
    "all at a time": (BOTH, 3, 8, LAST + 1 / 3),
}


@pytest.mark.parametrize(("search_space", "members", "n_jobs", "rounds"), BUDGETS.values(), ids=list(BUDGETS))
def test_a_budget_is_split_among_members_stages_and_trials(stubbed, search_space, members, n_jobs, rounds):
    stubbed(0.1, seconds=0.01)
    recipe = set_epochs_by_budget(training_data(), WIDE, 60.0, members, n_jobs, search_space)
    assert recipe.epochs == pytest.approx(60.0 / rounds / 0.01, abs=1)


def test_without_groups_there_is_nothing_else_to_pay_for(stubbed):
    stubbed(0.1, seconds=0.01)
    ordinary = TrainingData(
        training_data().shape.without_groups(), training_data().data, torch.nn.functional.mse_loss
    )
    assert set_epochs_by_budget(ordinary, RECIPE, 60.0, 3).epochs == pytest.approx(2000, abs=1)


def test_real_trials_find_what_the_longer_way_finds():
    """Small, but nothing stubbed: each trial is the training that anybody could run by hand."""
    trial = training_data("O(3)", "O(2)@z")
    recipe = FAST.for_rows(40)
    x, y = trial.data.val
    errors = []
    for strength in (recipe.strength, recipe.strength / WEAKER):
        short = recipe.model_copy(update={"strength": strength, "epochs": 2})
        member = train_member(trial.shape, short, trial.data, 0, criterion=trial.criterion)
        errors.append((predict_members([member], x.double())[0] - y.double()).square().flatten().numpy())
    better = errors[0] - errors[1]
    is_clear = better.mean() > better.std(ddof=1) / len(better) ** 0.5
    chosen = search_hyperparameters(trial, recipe, SearchSpace(strength=True), seed=0)
    assert chosen.strength == (recipe.strength / WEAKER if is_clear else recipe.strength)


def test_real_trials_that_diverge_are_survived():
    wild = RECIPE.model_copy(update={"lr": 1e12, "strength": 1.0})
    assert search_hyperparameters(training_data(), wild, SearchSpace(strength=True), seed=0) == wild
