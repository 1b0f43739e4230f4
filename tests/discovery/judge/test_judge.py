"""The table of a fit: measurement, verdict and weights brought together."""

import pytest

from softsym.discovery.fit.finish import BUILT_IN
from softsym.discovery.judge.judge import final_strength, judge_all, judge_group, weight_distances
from softsym.discovery.judge.measure import measure_group
from softsym.discovery.judge.verdict import judge
from softsym.groups import group
from tests.discovery.small import estimator, fitted, rows


def test_every_candidate_is_judged_by_what_was_measured():
    X, Y = rows(120)
    est = estimator(epochs=6).fit_in(None, X, Y, resting=True)
    fit, table = est.fit_, judge_all(est.fit_)
    assert table == estimator(epochs=6).fit(X, Y).symmetries_  # before the last stage
    for row in table:
        grounds = measure_group(fit, group(row.name), seed=fit.members[0].seed)
        assert (row.error, row.error_interval, row.excess) == (
            grounds.error,
            grounds.interval,
            grounds.excess,
        )
        assert (row.verdict, row.reasons) == judge(grounds)
        assert row == judge_group(fit, group(row.name))


def test_distances_of_snapped_weights_are_zero():
    snapped = fitted().snap("O(2)@z").model.fit_
    share, layers = weight_distances(snapped, group("O(2)@z"))
    assert share < 1e-24
    assert max(layers.values()) < 1e-12
    assert weight_distances(snapped, group("O(2)@x"))[0] > 1e-6


def test_strengths_are_averaged_as_factors():
    fit = fitted().fit_
    assert final_strength(fit, group("O(2)@z")) == pytest.approx(BUILT_IN)
    first, second = (member.strengths["O(2)@x"] for member in fit.members)
    assert final_strength(fit, group("O(2)@x")) == pytest.approx((first * second) ** 0.5)
