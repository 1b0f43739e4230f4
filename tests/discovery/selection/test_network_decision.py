"""When a network is trained, and what is said about it."""

from dataclasses import replace

import numpy as np

from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.train import prepare, untrained
from softsym.discovery.models.closed_form import Ladder, climb
from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.selection.fit_baselines import beside
from softsym.discovery.selection.network_decision import need
from tests.discovery.fit.lessons import plan


def asked_and_fit(Y, **changes):
    asked = replace(plan(rows=300, model="auto"), Y=Y, **changes)
    X, outputs = asked.rows(asked.parts.train)
    shape = asked.shape
    ladder = climb(X, outputs, shape.rep_in, shape.rep_out, shape.groups)
    return asked, beside(asked, replace(untrained(asked, prepare(asked)), ladder=ladder))


X = plan(rows=300).X
SMOOTH = X[:, :3] * (1 + X[:, 3:4])
NOISE = np.random.default_rng(0).standard_normal((300, 3))


def test_not_where_closed_forms_do():
    answer = need(*asked_and_fit(SMOOTH))
    assert not answer.network
    assert "little to gain" in answer.why


def test_not_where_only_noise_is_left():
    assert not need(*asked_and_fit(SMOOTH + NOISE)).network


def test_where_much_is_left_and_rows_are_many(monkeypatch):
    asked, fit = asked_and_fit(SMOOTH + NOISE)
    monkeypatch.setattr("softsym.discovery.selection.network_decision.MANY", len(asked.parts.train))
    answer = need(asked, fit)
    assert answer.network
    assert "rows are many" in answer.why
    assert not need(*asked_and_fit(SMOOTH)).network


def test_where_it_was_asked_for_and_for_classes():
    asked, fit = asked_and_fit(SMOOTH)
    assert need(replace(asked, model="network"), fit).network
    assert not need(replace(asked, model="gp"), fit).network
    assert need(replace(asked, target=Target.CLASSES), fit).network


def test_where_there_is_no_process_or_it_holds_too_few_rows():
    asked, fit = asked_and_fit(SMOOTH)
    none = need(asked, replace(fit, ladder=Ladder(fit.ladder.rungs[:2], {"gp": "no finite subgroup"})))
    assert (none.network, "no finite subgroup" in none.why) == (True, True)
    few = fit.ladder.process.on(*asked.rows(asked.parts.train[:50]))
    assert not need(asked, replace(fit, ladder=Ladder((few,)))).network  # it is as good as can be
    answer = need(asked, replace(fit, ladder=Ladder((_Missing(few),))))
    assert answer.network
    assert "holds 50 of" in answer.why


def test_not_where_nothing_could_be_held_out_or_no_time_is_left():
    asked, fit = asked_and_fit(SMOOTH)
    assert "too few rows" in need(asked, replace(fit, checked=replace(fit.checked, is_separate=False))).why
    assert (
        "budget"
        in need(replace(asked, budget=1e-9), replace(fit, ladder=replace(fit.ladder, seconds=1.0))).why
    )


def test_where_much_is_left_that_is_not_noise():
    """The rungs miss what their own process takes for signal: a process that was told of little noise."""
    asked, fit = asked_and_fit(SMOOTH + 0.3 * NOISE)
    rungs = (fit.ladder.named("mean"), fit.ladder.process)
    assert not need(asked, replace(fit, ladder=Ladder(rungs))).network
    _, quiet = asked_and_fit(SMOOTH)
    answer = need(
        asked, replace(fit, ladder=Ladder((fit.ladder.named("mean"), _Missing(quiet.ladder.process))))
    )
    assert answer.network
    assert "of which 0.0% is noise" in answer.why


class _Missing(GaussianProcess):
    """A process that predicts nothing, but knows that there is no noise."""

    def __init__(self, process):
        super().__init__(process.gp, process.rep_in, process.rep_out)

    def __call__(self, X):
        return np.zeros((len(X), 3))
