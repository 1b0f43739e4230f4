"""The stage after the verdicts: what holds is exact, what does not is let go, and nothing is taken that predicts worse."""

import functools

import numpy as np
import pytest

import softsym as ss
from softsym.discovery.fit import fine_tune as stage
from softsym.discovery.fit.fine_tune import EXACT_STRENGTH, fine_tune_exact
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.train import Session, prepare, train_ensemble
from softsym.groups import group
from softsym.metrics import equivariance_error
from softsym.reps import rep
from tests.discovery.fit.training_data import plan
from tests.discovery.small import estimator, fitted, rows

X = plan().X


@functools.cache
def soft():
    """One fit for all tests, before its last stage; nobody may change it."""
    return train_ensemble(plan(), prepare(plan()), Session())


def finished(**verdicts):
    verdicts_by_name = {f"O(2)@{axis}": verdict for axis, verdict in verdicts.items()}
    return fine_tune_exact(plan(), prepare(plan()), soft(), verdicts_by_name, Session())


def errors(fit, G):
    """The equivariance error of every member."""
    members = len(fit.members)
    return [
        equivariance_error(lambda x, k=k: fit.predictor(x)[k], X[:40], "2V", "V", G) for k in range(members)
    ]


@pytest.fixture
def taken(monkeypatch):
    """So short a training is worse as often as not: whatever it gives is taken."""
    monkeypatch.setattr(stage, "standard_errors", lambda *a: 0.0)


@pytest.mark.usefixtures("taken")
def test_what_holds_is_exact_and_what_does_not_is_let_go():
    fit = finished(z="exact", x="absent")
    assert max(errors(soft(), "O(2)@z")) > 1e-6
    assert max(errors(fit, "O(2)@z")) < 1e-10
    assert min(errors(fit, "O(2)@x")) > 1e-3
    assert [member.strengths for member in fit.members] == 2 * [{"O(2)@x": 0.0, "O(2)@z": EXACT_STRENGTH}]
    assert fit.exact_groups == ("O(2)@z",)
    assert fit.curves == soft().curves
    assert fit.seconds > soft().seconds


@pytest.mark.usefixtures("taken")
def test_several_groups_are_built_in_at_once():
    fit = finished(x="exact", z="exact")
    assert fit.exact_groups == ("O(2)@x", "O(2)@z")
    assert max(errors(fit, "O(2)@x") + errors(fit, "O(2)@z")) < 1e-10


@pytest.mark.usefixtures("taken")
def test_what_is_soft_or_uncertain_stays_as_strong_as_it_ended():
    fit = finished(x="soft")
    assert [member.strengths for member in fit.members] == [member.strengths for member in soft().members]
    assert fit.exact_groups == ()
    assert not np.array_equal(fit.outputs(X), soft().outputs(X))  # it was trained on


@pytest.mark.usefixtures("taken")
def test_scalings_are_built_in_as_other_groups_are():
    shape = Shape.of(rep("2V"), rep("S"), [group("SO(3)"), group("Scaling(3)")])
    asked = plan(seeds=1, shape=shape, Y=np.cos(X[:, :1]))
    prepared = prepare(asked)
    before = train_ensemble(asked, prepared, Session())
    fit = fine_tune_exact(asked, prepared, before, {"Scaling(3)": "exact"}, Session())
    np.testing.assert_allclose(fit.outputs(1000 * X), fit.outputs(X), rtol=1e-9)
    assert not np.allclose(before.outputs(1000 * X), before.outputs(X), rtol=1e-6)


def test_members_go_on_from_where_they_were(monkeypatch):
    asked = []
    monkeypatch.setattr(Session, "train", lambda self, training_data, jobs, what: asked.extend(jobs) or ())
    finished(z="exact")
    recipe = soft().recipe
    for job, member in zip(asked, soft().members, strict=True):
        assert job.recipe == recipe.last_stage()
        assert job.seed == member.seed
        assert job.start.strengths == member.strengths | {"O(2)@z": EXACT_STRENGTH}
        assert all(
            (job.start.weights[name] == value).all() for name, value in member.model.state_dict().items()
        )


@pytest.fixture
def compared(monkeypatch):
    """Says whether each of the two ways is worse: members projected as they are, and after the last stage."""

    def install(*answers):
        asked, answers = [], iter(answers)

        def standard_errors(new, old):
            asked.append((new, old))
            return next(answers)

        monkeypatch.setattr(stage, "standard_errors", standard_errors)
        return asked

    return install


def test_what_predicts_validation_rows_worse_is_not_taken(compared):
    asked = compared(1.5, 1.5)
    fit = finished(z="exact")
    assert fit.predictor is soft().predictor
    assert fit.exact_groups == ()
    checked = soft().checked
    before = np.mean((soft().predictor(checked.X).mean(0) - checked.Y) ** 2, axis=1)
    assert all(np.array_equal(old, before) for _, old in asked)  # validation rows, and not test rows


def test_members_are_projected_as_they_are_where_the_last_stage_is_worse(compared):
    asked = compared(0.5, 1.5)
    fit = finished(z="exact", x="absent")
    assert fit.exact_groups == ("O(2)@z",)
    assert max(errors(fit, "O(2)@z")) < 1e-10
    assert [member.strengths for member in fit.members] == [member.strengths for member in soft().members]
    assert np.array_equal(asked[1][1], asked[0][0])  # the stage is compared with the projected members
    assert max(errors(soft(), "O(2)@z")) > 1e-6  # and what was trained stays as it is


def test_the_last_stage_may_be_taken_where_moving_alone_is_worse(compared):
    compared(1.5, 0.5)
    fit = finished(z="exact")
    assert fit.members[0].strengths["O(2)@z"] == EXACT_STRENGTH
    assert max(errors(fit, "O(2)@z")) < 1e-10


def test_an_ordinary_network_has_no_last_stage():
    asked = plan(seeds=1, shape=soft().shape.without_groups())
    prepared = prepare(asked)
    fit = train_ensemble(asked, prepared, Session())
    assert fine_tune_exact(asked, prepared, fit, {}, Session()) is fit


def test_built_in_groups_are_exact_after_saving_and_reading(tmp_path):
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


STOPPED_AT = {"first ordinary": 13, "between two of them": 24, "last stage": 37, "end of the last stage": 40}
"""Two members of six epochs, ordinary networks of twelve, a last stage of two."""


@pytest.mark.parametrize("epoch", STOPPED_AT.values(), ids=list(STOPPED_AT))
def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, epoch):
    (X, Y), whole = rows(120), uninterrupted()
    asked = iter(range(1, 1000))
    cut = small().fit_in_folder(tmp_path, X, Y, stop=lambda: next(asked) == epoch)
    assert [member.is_finished for member in cut.fit_.members] == [True, False]
    assert cut.fit_.exact_groups == ()
    assert len(cut.baselines_) == 0  # there is no table of half the models
    resumed = small().fit_in_folder(tmp_path, X, Y)
    assert all(member.is_finished for member in resumed.fit_.members)
    for one, other in ((resumed.fit_, whole.fit_), (resumed.fit_.predictor, whole.fit_.predictor)):
        predict, expected = (getattr(fit, "outputs", fit) for fit in (one, other))
        assert np.array_equal(predict(X), expected(X))
    assert resumed.symmetries_ == whole.symmetries_
    assert resumed.baselines_ == whole.baselines_
    assert resumed.fit_.exact_groups == whole.fit_.exact_groups
