"""Networks of a fit: trials, the ensemble, the stage after the verdicts, and that a stopped fit goes on."""

import functools
import math

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.discovery import train
from softsym.discovery.config import LAST_STAGE, PLAIN_WIDTH
from softsym.discovery.fit_data import Rows, Shape
from softsym.discovery.models.base import NETWORK
from softsym.discovery.models.network import Member, Networks, predict_members, weight_distances
from softsym.discovery.parallel import TrainingData, TrainJob, train_member
from softsym.discovery.train import (
    EXACT_STRENGTH,
    WEAKER,
    Session,
    affordable_epochs,
    fine_tune,
    list_alternatives,
    prepare,
    read_chosen,
    search_hyperparameters,
    set_epochs_by_budget,
    train_networks,
    trial_losses,
)
from softsym.errors import InputError, TrainingError
from softsym.groups import group
from softsym.io import dump_with_checksum
from softsym.metrics import equivariance_error
from softsym.reps import rep
from tests.discovery.small import estimator, fitted, interrupted, rows
from tests.discovery.training_data import FAST, PLAIN, SHAPE, fit_data, training_data


def search(data, recipe, search_space, seed=0, stop=None, quiet=True):
    asked = fit_data(search_space=search_space, seed=seed)
    return search_hyperparameters(asked, data, recipe, Session(stop=stop, quiet=quiet))


WIDE = PLAIN.model_copy(update={"width": 216, "strength": 10.0})
BOTH = ("strength", "width")
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

        def train(training_data, job, on_epoch=lambda row: False):
            assert job.start is None
            recipe, seed = job.hyperparameters, job.seed
            asked.append((recipe.width, recipe.strength, recipe.epochs, seed, job.folder))
            mistake = mistakes[recipe.width, recipe.strength] if isinstance(mistakes, dict) else mistakes
            if mistake is None:
                raise TrainingError("the loss became nan")
            rows = history(recipe.epochs, **options)
            stopped_at = next((row["epoch"] for row in rows if on_epoch(row)), None)
            return Member(seed, Off(mistake), {}, rows[:stopped_at], is_finished=stopped_at is None)

        for module in ("parallel", "train"):
            monkeypatch.setattr(f"softsym.discovery.{module}.train_member", train)
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
    chosen = search(training_data(), WIDE, BOTH, seed=0)
    assert (chosen.width, chosen.strength) == pytest.approx(expected)
    assert chosen.epochs == WIDE.epochs


def test_a_little_better_is_not_clearly_better(monkeypatch):
    """One validation row decides everything: by less than one standard error."""
    losses = iter([np.array([0.0, 0.0, 0.0, 9.0]), np.array([0.1, 0.1, 0.1, 1.0])])
    monkeypatch.setattr("softsym.discovery.train.trial_losses", lambda *a: next(losses))
    assert search(training_data(), PLAIN.model_copy(update={"epochs": 3}), ["strength"], seed=0).strength is None


def test_only_what_is_open_is_tried():
    def kinds(search_space, recipe=WIDE):
        return [(one.width, one.strength) for one in list_alternatives(search_space, recipe)]

    assert kinds(BOTH) == [USUAL, WEAK, NARROW]
    assert kinds(["width"]) == [USUAL, NARROW]
    assert kinds(["strength"]) == [USUAL, WEAK]
    narrow = WIDE.model_copy(update={"width": PLAIN_WIDTH})
    assert len(kinds(BOTH, narrow)) == 2  # it is narrow already
    assert kinds(()) == [USUAL]


def test_trials_are_shorter_trainings_of_the_same_seed_that_leave_nothing_behind(stubbed):
    asked = stubbed(0.1)
    search(training_data(), WIDE, BOTH, seed=7)
    assert asked == [(*kind, 10, 7, None) for kind in (USUAL, WEAK, NARROW)]
    asked = stubbed(0.1)
    search(training_data(), WIDE.model_copy(update={"epochs": 2}), BOTH, seed=7)
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
        search(training_data(), WIDE, BOTH, seed=0, stop=lambda: next(answers))
    assert [one[:2] for one in asked] == [USUAL, WEAK]  # in the fifth epoch of the second


def test_an_interrupt_is_passed_on(stubbed):
    stubbed(0.1)

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(training_data(), WIDE, BOTH, seed=0, stop=interrupt)


def test_progress_counts_all_trials_together(stubbed, capsys):
    stubbed(0.1)
    search(training_data(), WIDE, BOTH, seed=0, quiet=False)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("trials: epoch ")
    assert lines[-1].startswith("trials: epoch 30/30")


@pytest.mark.parametrize(
    ("seconds", "expected"), [(10.0, 80), (0.0, 12), (1e9, 10_000)], ids=["fits", "at least", "at most"]
)
def test_affordable_epochs(stubbed, seconds, expected):
    asked = stubbed(0.1, seconds=0.125)
    assert affordable_epochs(training_data(), PLAIN, seconds) == expected
    assert asked == [(PLAIN.width, None, 4, 0, None)]


LAST = 1 + 1 / LAST_STAGE
BUDGETS = {
    "members and their last stage": ((), 3, 1, 3 * LAST),
    "also trials": (BOTH, 3, 1, 3 * LAST + 3 / 3),
    "fewer trials": (["strength"], 3, 1, 3 * LAST + 2 / 3),
    "two at a time": ((), 3, 2, 2 * LAST),
    "trials two at a time": (BOTH, 4, 2, 2 * LAST + 2 / 3),
    "all at a time": (BOTH, 3, 8, LAST + 1 / 3),
}


@pytest.mark.parametrize(("search_space", "members", "n_jobs", "rounds"), BUDGETS.values(), ids=list(BUDGETS))
def test_a_budget_is_split_among_members_stages_and_trials(stubbed, search_space, members, n_jobs, rounds):
    stubbed(0.1, seconds=0.01)
    recipe = set_epochs_by_budget(
        fit_data(budget=60.0, seeds=members, search_space=search_space), training_data(), WIDE, n_jobs
    )
    assert recipe.epochs == pytest.approx(60.0 / rounds / 0.01, abs=1)


def test_without_groups_there_is_nothing_else_to_pay_for(stubbed):
    stubbed(0.1, seconds=0.01)
    ordinary = TrainingData(training_data().shape.without_groups(), training_data().data, torch.nn.functional.mse_loss)
    assert set_epochs_by_budget(fit_data(budget=60.0, seeds=3), ordinary, PLAIN, 1).epochs == pytest.approx(2000, abs=1)


def test_real_trials_find_what_the_longer_way_finds():
    """Small, but nothing stubbed: each trial is the training that anybody could run by hand."""
    trial = training_data("O(3)", "O(2)@z")
    recipe = FAST.for_rows(40)
    x, y = trial.data.val
    errors = []
    for strength in (recipe.strength, recipe.strength / WEAKER):
        short = recipe.model_copy(update={"strength": strength, "epochs": 2})
        member = train_member(trial, TrainJob(short, 0))
        errors.append((predict_members([member], x.double())[0] - y.double()).square().flatten().numpy())
    better = errors[0] - errors[1]
    is_clear = better.mean() > better.std(ddof=1) / len(better) ** 0.5
    chosen = search(trial, recipe, ["strength"], seed=0)
    assert chosen.strength == (recipe.strength / WEAKER if is_clear else recipe.strength)


def test_real_trials_that_diverge_are_survived():
    wild = PLAIN.model_copy(update={"lr": 1e12, "strength": 1.0})
    assert search(training_data(), wild, ["strength"], seed=0) == wild


X = fit_data().rows.X


@functools.cache
def soft():
    """Networks for all tests, before their last stage; nobody may change them."""
    data = fit_data()
    training, scalers = prepare(data, SHAPE)
    members = Session().train_members(training, [TrainJob(FAST.for_rows(72), seed) for seed in (5, 6)])
    return Networks(NETWORK, members, SHAPE, FAST.for_rows(72), *scalers)


def tune(**verdicts):
    by_name = {f"O(2)@{axis}": verdict for axis, verdict in verdicts.items()}
    return fine_tune(fit_data(), prepare(fit_data(), SHAPE)[0], soft(), by_name, Session())


def violations(networks, G):
    """The equivariance error of every member."""
    return [
        equivariance_error(lambda x, k=k: networks.outputs(x)[k], X[:40], "2V", "V", G)
        for k in range(len(networks.members))
    ]


@pytest.fixture
def compared(monkeypatch):
    """Says whether each of the two ways is worse: members projected as they are, and after the last stage."""

    def install(*answers):
        asked, answers = [], iter(answers)

        def standard_errors(new, old):
            asked.append((new, old))
            return next(answers)

        monkeypatch.setattr(train, "standard_errors", standard_errors)
        return asked

    return install


def test_what_holds_is_exact_and_what_does_not_is_dropped(compared):
    compared(0.0, 0.0)
    networks = tune(z="exact", x="absent")
    assert max(violations(soft(), "O(2)@z")) > 1e-6
    assert max(violations(networks, "O(2)@z")) < 1e-10
    assert min(violations(networks, "O(2)@x")) > 1e-3
    assert [m.strengths for m in networks.members] == 2 * [{"O(2)@x": 0.0, "O(2)@z": EXACT_STRENGTH}]
    assert networks.exact_groups == ("O(2)@z",)


def test_several_groups_are_exact_at_once(compared):
    compared(0.0, 0.0)
    networks = tune(x="exact", z="exact")
    assert max(violations(networks, "O(2)@x") + violations(networks, "O(2)@z")) < 1e-10


def test_what_is_soft_stays_as_strong_as_it_ended(compared):
    compared(0.0, 0.0)
    networks = tune(x="soft")
    assert [m.strengths for m in networks.members] == [m.strengths for m in soft().members]
    assert networks.exact_groups == ()
    assert not np.array_equal(networks.predict(X), soft().predict(X))  # it was trained on


def test_what_predicts_validation_rows_worse_is_not_taken(compared):
    asked = compared(1.5, 1.5)
    assert tune(z="exact") is None
    data = fit_data()
    before = data.development.take(data.is_validation)
    expected = before.losses(soft().predict(before.X))
    assert all(np.array_equal(old, expected) for _, old in asked)  # validation rows, and not test rows


def test_members_are_projected_as_they_are_where_the_last_stage_is_worse(compared):
    asked = compared(0.5, 1.5)
    networks = tune(z="exact", x="absent")
    assert max(violations(networks, "O(2)@z")) < 1e-10
    assert [m.strengths for m in networks.members] == [m.strengths for m in soft().members]
    assert np.array_equal(asked[1][1], asked[0][0])  # the stage is compared with the projected members
    assert max(violations(soft(), "O(2)@z")) > 1e-6  # and what was trained stays as it is


def test_scalings_are_exact_as_other_groups_are(compared):
    compared(0.0, 0.0)
    shape = Shape.of(rep("2V"), rep("S"), [group("SO(3)"), group("Scaling(3)")])
    data = fit_data(rows=Rows(X, np.cos(X[:, :1])), seeds=1, shape=shape)
    _, (tuned, _) = train_networks(data, shape, {"Scaling(3)": "exact"}, Session())
    assert tuned.exact_groups == ("Scaling(3)",)
    assert np.allclose(tuned.predict(7.0 * X), tuned.predict(X), rtol=1e-6)


def test_networks_without_groups_have_no_last_stage():
    data = fit_data(seeds=1)
    soft, selectable = train_networks(data, SHAPE.without_groups(), {}, Session())
    assert selectable == [soft]


def test_distances_from_a_space_are_shares():
    share, layers = weight_distances(soft(), SHAPE.groups[0])
    assert 0 < share < 1
    assert list(layers) == ["layer 1", "layer 2"]
    exact = soft().project(SHAPE.groups[:1])
    assert weight_distances(exact, SHAPE.groups[0])[0] < 1e-12
    assert soft().distance(exact) > 0
    assert soft().project([ss.O(3)]) is None  # it is no candidate


def test_chosen_hyperparameters_are_read_back_or_refused(tmp_path):
    file = tmp_path / "hyperparameters.json"
    file.write_text(dump_with_checksum(FAST.model_dump(mode="json")))
    assert read_chosen(file) == FAST
    file.write_text(file.read_text().replace("8", "9", 1))
    with pytest.raises(InputError, match=r"is damaged .* pass --force to start again"):
        read_chosen(file)


def test_exact_groups_are_exact_after_saving_and_reading(tmp_path):
    est = fitted()
    assert est.fit_.exact_groups == ("O(2)@z",)
    again = ss.load(est.save(tmp_path / "model"))
    assert again.fit_.exact_groups == est.fit_.exact_groups
    for model in (est, again):
        assert equivariance_error(model.predict, rows()[0][:50], "2V", "V", "O(2)@z") < 1e-10


def small():
    return estimator(epochs=6, width=8)


@functools.cache
def uninterrupted():
    return small().fit(*rows(120))


STOPPED_AT = {"first member": 3, "unconstrained": 13, "between two of them": 24, "last stage": 37, "its end": 40}
"""Two members of six epochs, unconstrained networks of twelve, a last stage of two."""


@pytest.mark.parametrize("epoch", STOPPED_AT.values(), ids=list(STOPPED_AT))
def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, epoch):
    (X, Y), whole = rows(120), uninterrupted()
    asked = iter(range(1, 1000))
    cut = small()
    with interrupted(lambda: next(asked) == epoch), pytest.raises(KeyboardInterrupt):
        cut.fit_data(cut.prepare(X, Y), tmp_path)
    assert not hasattr(cut, "fit_")
    resumed = small()
    resumed.fit_data(resumed.prepare(X, Y), tmp_path)
    assert np.array_equal(resumed.predict(X), whole.predict(X))
    assert np.array_equal(resumed.fit_.networks.outputs(X), whole.fit_.networks.outputs(X))
    assert resumed.symmetries_ == whole.symmetries_
    assert resumed.baselines_ == whole.baselines_
    assert resumed.fit_.exact_groups == whole.fit_.exact_groups
