import math

import pytest

from softsym.inference.verdict import ABSENT_ABOVE, TestStatistics, combine_intervals, judge

GOOD = {"r2": 0.95, "rows": 300, "ratio_p": 1.0, "test_p": 0.4, "coverage": 0.9}


def judged(low, high, **changes):
    return judge(TestStatistics((low, high), **{**GOOD, **changes}))


def test_the_four_words():
    assert judged(0.0, 0.02) == ("exact", "")
    assert judged(0.4, 0.6, ratio_p=0.0) == ("absent", "")
    assert judged(0.1, 0.2, ratio_p=0.0) == ("soft", "")
    assert judged(0.0, 0.2)[0] == "undecided"


def test_a_violation_below_the_tolerance_that_is_certain_is_soft():
    assert judged(0.01, 0.03, ratio_p=1e-6) == ("soft", "broken, but by at most 3.0%")


def test_notes_say_what_would_decide():
    assert (
        judged(0.0, 0.1, tolerance=0.05)[1]
        == "not refuted, but a violation of 0.1 is possible; about 2,000 rows would decide it"
    )
    assert judged(0.0, 0.1, tolerance=0.05, saw_all=False)[1].endswith(
        "; a likelihood of about 2,000 rows would decide it, it used 300"
    )
    assert "inputs spread over the group's orbits" in judged(0.0, 0.01, coverage=0.1)[1]
    assert "explains only 2% of the outputs" in judged(0.0, 0.01, r2=0.02)[1]
    assert judged(0.1, 0.5, ratio_p=0.0)[1].startswith("broken by 0.1 to 0.5: soft or absent; about")


def test_without_orbit_overlap_nothing_is_decided():
    for interval in ((0.0, 0.001), (0.5, 0.6), (0.1, 0.2)):
        assert judged(*interval, coverage=0.2, ratio_p=0.0)[0] == "undecided"


def test_a_poor_fit_decides_nothing():
    assert judged(0.0, 0.001, r2=-0.1)[0] == "undecided"


def test_the_exact_test_can_withhold_exactness():
    verdict, note = judged(0.0, 0.01, test_p=0.001)
    assert verdict == "undecided"
    assert "the test refutes it (p = 0.001)" in note
    assert judged(0.0, 0.01, test_p=0.001, inputs_p=0.3)[0] == "undecided"
    verdict, note = judged(0.0, 0.01, test_p=0.001, inputs_p=0.001)
    assert verdict == "undecided"
    assert note == (
        "where there are data a violation is at most 1.0%, but the distribution of inputs is not invariant, so the test refutes it "
        "(p = 0.001); inputs spread over the group's orbits would decide it"
    )
    verdict, note = judged(0.0, 0.01, test_p=0.001, coverage=0.5)  # there it may be about the inputs
    assert verdict == "undecided"
    assert "where orbit overlap is partial (0.50)" in note
    verdict, note = judged(0.0, 0.01, test_p=0.3, coverage=0.5)
    assert (verdict, note) == ("exact", "as far as orbits overlap with the inputs (orbit overlap 0.50)")
    assert judged(0.0, 0.01, test_p=math.nan, coverage=math.nan)[0] == "exact"


def test_what_trees_explain_and_the_fit_does_not_withholds_a_verdict():
    assert judged(0.0, 0.01, unexplained_by_gp=0.04)[0] == "exact"
    for interval, ratio_p in (((0.0, 0.01), 1.0), ((0.1, 0.2), 0.0)):
        verdict, note = judged(*interval, ratio_p=ratio_p, unexplained_by_gp=0.3)
        assert verdict == "undecided"
        assert "a violation of 0.3 may hide" in note
    assert judged(0.4, 0.6, ratio_p=0.0, unexplained_by_gp=0.3)[0] == "absent"


def test_a_refuted_subgroup_withholds_exactness():
    assert judged(0.0, 0.01, refuted_subgroup="O(2)@z") == ("undecided", "its subgroup O(2)@z is refuted")


@pytest.mark.parametrize(("r2", "allowed"), [(0.999, 0.05), (0.95, math.sqrt(0.005)), (0.2, 0.1)])
def test_the_default_tolerance_is_a_tenth_of_the_error_within_limits(r2, allowed):
    assert TestStatistics((0.0, 1.0), r2, 300, 1.0).allowed == pytest.approx(allowed)
    assert judged(0.0, 0.99 * allowed, r2=r2)[0] == "exact"
    assert judged(0.0, 1.01 * allowed, r2=r2)[0] == "undecided"


def test_an_interval_excludes_zero_only_where_exactness_is_refuted():
    assert combine_intervals((0.02, 0.1), (0.05, 0.2), refuted=False, tested=True) == (0.0, 0.2)
    assert combine_intervals((0.02, 0.1), (0.05, 0.2), refuted=False, tested=False) == (0.0, 0.1)
    assert combine_intervals((0.02, 0.1), (0.05, 0.2), refuted=True, tested=True) == (0.05, 0.2)
    assert combine_intervals((0.02, 0.1), (0.05, 0.2), refuted=True, tested=False) == (0.02, 0.1)
    assert combine_intervals((0.02, 0.1), None, refuted=True, tested=True) == (0.02, 0.1)


def test_the_tolerance_is_the_persons():
    assert judged(0.0, 0.08, tolerance=0.1)[0] == "exact"


@pytest.mark.parametrize("end", [0.9, 1.1])
def test_the_level_of_absence(end):
    verdict = judged(end * ABSENT_ABOVE, 0.6, ratio_p=0.0)[0]
    assert verdict == ("absent" if end > 1 else "undecided")
