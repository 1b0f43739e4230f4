"""What a report tells of a fit."""

from dataclasses import replace

import numpy as np

from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.fitted import HeldOut
from softsym.discovery.report.report_data import LEAST_EXPLAINED_UNNOTED, make_report_data
from tests.discovery.small import fitted


def report_data(fit, **more):
    names = {"input_names": list("abcdef"), "output_names": list("uvw")}
    return make_report_data(fit, fitted().symmetries_, title="it", **names, **more)


def test_it_tells_what_the_fit_knows():
    fit = fitted().fit_
    report = report_data(fit, facts={"data": "flights.csv"})
    assert report.title == "it"
    assert report.symmetries is fitted().symmetries_
    assert (report.test_error, report.explained) == (fit.test_error(), fit.explained())
    assert report.true is fit.held.Y
    mean, std = fit.predict(fit.held.X)
    assert np.array_equal(report.predicted, mean)
    assert np.array_equal(report.std, std)
    assert report.curves == fit.curves
    assert [orbit.group for orbit in report.orbits] == ["O(2)@x", "O(2)@z"]


def test_facts_say_how_it_was_run():
    facts = report_data(fitted().fit_, facts={"data": "flights.csv"}).facts
    assert facts["candidate groups"] == "O(2)@x, O(2)@z"
    assert facts["members"] == "2 (seeds 0, 1)"
    assert facts["strengths"] == "by-data, from 10, gamma 2"
    assert facts["compiled code"] == fitted().fit_.compiled
    assert facts["data"] == "flights.csv"
    assert "torch" in facts["versions"]
    assert "compiled code" not in report_data(replace(fitted().fit_, compiled=None)).facts  # an older model


def test_a_good_fit_needs_no_note():
    fit = replace(fitted().fit_, baselines=Baselines())
    assert fit.explained() > LEAST_EXPLAINED_UNNOTED
    assert report_data(fit).notes == ()


def test_what_is_exact_and_who_is_better_is_noted():
    fit = fitted().fit_
    (better,) = report_data(fit).notes
    assert better.startswith(
        f"{fit.baselines.better[0].name.capitalize()} on the same rows predicts held-out data better"
    )
    assert report_data(fit).exact_groups == ("O(2)@z",)
    assert report_data(fit).baselines is fit.baselines


def test_ordinary_networks_that_predict_are_noted():
    fit = replace(fitted().fit_, ordinary=fitted().fit_.predictor, baselines=Baselines())
    (note,) = report_data(fit).notes
    assert note.startswith("Ordinary networks of the same size")
    assert report_data(fit).exact_groups == ()  # they have nothing exactly


def test_what_must_not_be_missed_is_noted():
    fit = fitted().fit_
    unfinished = tuple(replace(member, is_finished=False) for member in fit.members)
    poor = replace(
        fit,
        baselines=Baselines(),
        held=HeldOut(fit.held.X, -fit.held.Y, is_separate=False),
        predictor=replace(fit.predictor, members=unfinished),
    )
    few, unexplained, interrupted = report_data(poor).notes
    assert few.startswith("There are too few rows to hold any out")
    assert unexplained.startswith("The model explains 0% of the held-out variance")
    assert interrupted.startswith("Training was interrupted")
