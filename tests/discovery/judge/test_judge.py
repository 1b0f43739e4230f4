"""The table of a fit: measurement, verdict and weights brought together."""

from dataclasses import replace

import pytest

from softsym.discovery.fit.fine_tune import EXACT_STRENGTH
from softsym.discovery.judge.judge import (
    final_strength,
    judge_all,
    judge_group,
    make_consistent,
    measure_unexplained_by_gp,
    weight_distances,
)
from softsym.discovery.judge.measure import measure_group
from softsym.discovery.judge.model_verdict import decide
from softsym.discovery.judge.symmetries import Symmetry
from softsym.discovery.models.closed_form import ClosedFormModels
from softsym.discovery.models.gp_model import fit_gp_model
from softsym.groups import group
from tests.discovery.small import estimator, fitted, rows


def test_every_candidate_is_judged_by_what_was_measured():
    X, Y = rows(120)
    est = estimator(epochs=6).fit_in_folder(None, X, Y, skip_verdicts=True)
    whole = estimator(epochs=6).fit(X, Y)
    fit, table = est.fit_, judge_all(est.fit_, whole.evidence_)
    assert table == whole.symmetries_  # before the last stage
    for row, seen in zip(table, whole.evidence_, strict=True):
        statistics = measure_group(fit, group(row.name), seed=fit.seed)
        assert (row.error, row.error_interval, row.excess) == (
            statistics.error,
            statistics.interval,
            statistics.excess,
        )
        assert (row.verdict, row.reasons, row.decided_by) == decide(statistics, seen)
        assert (row.p_value, row.log_evidence, row.tolerance) == (
            seen.p_value,
            seen.log_evidence,
            seen.tolerance,
        )
        alone = judge_group(fit, group(row.name))
        assert alone.decided_by == "model"
        assert (alone.error, alone.strength, alone.residual) == (row.error, row.strength, row.residual)


def test_a_group_is_not_exact_if_a_candidate_inside_is_refuted():
    names = ["O(3)", "SO(2)@z", "O(2)@x"]
    table = [
        Symmetry(name, verdict, 0.1, (0.1, 0.1), 1.0, 0.0)
        for name, verdict in zip(names, ("exact", "soft", "exact"), strict=True)
    ]
    judged = make_consistent(table, [group(name) for name in names])
    assert [row.verdict for row in judged] == ["undecided", "soft", "exact"]
    assert judged[0].note == "its subgroup SO(2)@z is refuted"


def test_a_group_is_absent_if_a_candidate_inside_is():
    names = ["O(3)", "SO(2)@z", "O(2)@x", "O(2)@z"]
    table = [
        Symmetry(name, verdict, 0.1, (0.1, 0.1), 1.0, 0.0)
        for name, verdict in zip(names, ("undecided", "absent", "exact", "soft"), strict=True)
    ]
    judged = make_consistent(table, [group(name) for name in names])
    assert [row.verdict for row in judged] == ["absent", "absent", "exact", "absent"]
    assert [row.note for row in judged] == [
        "its subgroup SO(2)@z is absent",
        "",
        "",
        "its subgroup SO(2)@z is absent",
    ]


def test_what_the_process_misses_is_measured_against_the_network():
    fit = fitted().fit_
    assert measure_unexplained_by_gp(fit) == 0.0
    shape = fit.shape
    X, Y = rows()
    lame = fit_gp_model(X[:60], 0 * Y[:60] + Y[:60].mean(0), shape.rep_in, shape.rep_out, shape.groups)
    assert 0.7 < measure_unexplained_by_gp(replace(fit, closed_form=ClosedFormModels((lame,)))) < 1.1


def test_a_process_holds_on_to_a_group_by_the_share_of_the_law_that_has_it():
    est = estimator(model="gp").fit(*rows(150))
    for row in est.symmetries_:
        assert row.strength == 1 - row.violation**2
        assert row.residual == row.violation**2
    assert est.symmetries_["O(2)@z"].strength > 0.999
    alone = judge_group(est.fit_, group("O(2)@z"))  # without evidence, by its share of the prior
    assert alone.strength == est.fit_.closed_form.gp_model.weights["O(2)@z"]
    assert est.symmetries_["O(2)@z"].layers == {}


def test_distances_of_projected_weights_are_zero():
    projected = fitted().project("O(2)@z").model.fit_
    share, layers = weight_distances(projected, group("O(2)@z"))
    assert share < 1e-24
    assert max(layers.values()) < 1e-12
    assert weight_distances(projected, group("O(2)@x"))[0] > 1e-6


def test_strengths_are_averaged_as_factors():
    fit = fitted().fit_
    assert final_strength(fit, group("O(2)@z")) == pytest.approx(EXACT_STRENGTH)
    first, second = (member.strengths["O(2)@x"] for member in fit.members)
    assert final_strength(fit, group("O(2)@x")) == pytest.approx((first * second) ** 0.5)
