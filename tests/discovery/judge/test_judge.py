"""The table of a fit: measurement, verdict and weights brought together."""

import pytest

from softsym.discovery.judge.judge import final_strength, judge_all, judge_group, weight_distances
from softsym.discovery.judge.measure import measure_group
from softsym.discovery.judge.verdict import judge
from softsym.groups import group
from tests.discovery.small import fitted


def test_every_candidate_is_judged_by_what_was_measured():
    fit = fitted().fit_
    table = judge_all(fit)
    assert table == fitted().symmetries_
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
    first, second = (member.strengths["O(2)@x"] for member in fit.members)
    assert final_strength(fit, group("O(2)@x")) == pytest.approx((first * second) ** 0.5)
