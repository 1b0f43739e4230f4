"""The rule: what each statement decides, consistency over subgroups, and rows that come back from JSON as they were."""

import math

import pytest

from softsym.inference.verdict import (
    ABSENT_ABOVE,
    EvidenceDetail,
    EvidenceRow,
    EvidenceTable,
    Findings,
    Reason,
    judge,
    make_consistent,
)

GOOD = {
    "p_value": 0.5,
    "interval": (0.0, 0.01),
    "largest": 0.02,
    "cost": (-1e-4, 1e-4),
    "resolution": 0.9,
    "unexplained": 0.01,
    "rows": 300,
}


@pytest.mark.parametrize(
    ("change", "verdict", "reason"),
    [
        ({}, "exact", Reason.NONE),
        ({"unexplained": 0.95}, "undecided", Reason.POOR_FIT),
        ({"overlap": 0.1}, "undecided", Reason.OVERLAP),
        ({"largest": 0.06}, "undecided", Reason.FEW_ROWS),
        ({"interval": (0.06, 0.1)}, "undecided", Reason.DISAGREE),
        ({"cost": (0.001, 0.01)}, "undecided", Reason.BETTER_WITHOUT),
        ({"cost": (-0.001, 0.01)}, "undecided", Reason.FEW_ROWS),
        ({"resolution": 0.2}, "undecided", Reason.RESOLUTION),
        ({"p_value": 0.005}, "exact", Reason.NONE),  # a violation that does not matter has to be more certain
        ({"p_value": 1e-6, "cost": (1e-6, 1e-5)}, "soft", Reason.SMALL_VIOLATION),
        ({"p_value": 1e-6}, "undecided", Reason.DISAGREE),
        ({"p_value": 0.005, "interval": (0.1, 0.2), "largest": 0.2}, "soft", Reason.NONE),
        ({"p_value": 0.005, "interval": (0.3, 0.4), "largest": 0.4}, "absent", Reason.NONE),
        ({"p_value": 0.005, "interval": (0.2, 0.4), "largest": 0.4}, "undecided", Reason.SOFT_OR_ABSENT),
        ({"p_value": 0.005, "interval": (0.2, 0.4), "largest": 0.4, "least": 0.3}, "absent", Reason.NONE),
        ({"tolerance": 0.015}, "undecided", Reason.FEW_ROWS),
    ],
)
def test_what_each_statement_decides(change, verdict, reason):
    found = judge(Findings(**{**GOOD, **change}))
    assert found[:2] == (verdict, reason)
    assert found[2] or reason is Reason.NONE


def test_notes_say_what_would_decide():
    few = {**GOOD, "largest": 0.1}
    assert judge(Findings(**few))[2].endswith("about 2,000 rows would decide it")
    assert judge(Findings(**few, row_groups=9))[2].endswith("about 40 row groups would decide it")


def test_an_interval_excludes_zero_only_where_exactness_is_refuted():
    open_, refuted = (Findings(**{**GOOD, "p_value": p, "interval": (0.1, 0.2), "largest": 0.2}) for p in (0.5, 1e-9))
    assert (open_.low, refuted.low) == (0.0, 0.1)
    assert Findings(
        **{**GOOD, "p_value": 1e-9, "interval": (0.1, 0.2), "largest": 0.2, "unresolved": 0.05}
    ).high == pytest.approx(0.3)


def test_what_no_model_explains_may_be_part_of_a_violation():
    """A model that follows neither the target function nor the violation must not bound the latter."""
    refuted = {**GOOD, "p_value": 1e-9, "interval": (0.1, 0.2), "largest": 0.2, "certified": 0.6}
    assert Findings(**{**refuted, "unexplained": 0.3}).high == 0.6
    assert Findings(**{**refuted, "unexplained": 0.002}).high == pytest.approx(0.2)
    assert judge(Findings(**{**refuted, "unexplained": 0.3}))[1] is Reason.SOFT_OR_ABSENT


@pytest.mark.parametrize("reason", list(Reason))
@pytest.mark.parametrize("verdict", ["exact", "soft", "absent", "undecided"])
def test_every_row_comes_back_as_it_was(verdict, reason):
    row = EvidenceRow("O(3)", verdict, reason, "why", 0.1, (0.0, 0.2), math.nan, (math.nan, 0.1), 0.3, 0.2, 0.9, rows=3)
    again = EvidenceRow.from_dict(row.to_dict())
    assert again.to_dict() == row.to_dict()
    assert EvidenceTable([again]) == EvidenceTable([row])
    assert isinstance(again.reason, Reason)
    assert row.to_dict()["asymmetry"] == 0.1
    assert row.to_dict()["coverage"] == 0.9


def test_groups_and_their_subgroups_agree():
    rows = [
        EvidenceRow("O(3)", "exact", interval=(0.0, 0.02)),
        EvidenceRow("O(2)", "absent", interval=(0.4, 0.5), violation=0.45),
    ]
    large, small = make_consistent(rows, [[1], []])
    assert (large.verdict, large.reason, large.note) == ("absent", Reason.SUBGROUP, "its subgroup O(2) is absent")
    assert large.interval[0] >= small.interval[0]
    soft = make_consistent([rows[0], EvidenceRow("O(2)", "soft", interval=(0.1, 0.2))], [[1], []])[0]
    assert (soft.verdict, soft.reason) == ("undecided", Reason.SUBGROUP)
    inner = make_consistent([rows[0], EvidenceRow("O(2)", "undecided", Reason.FEW_ROWS, violation=0.1)], [[1], []])[1]
    assert (inner.verdict, inner.interval) == ("exact", (0.0, 0.02))
    refuted = EvidenceRow("O(2)", "undecided", Reason.SOFT_OR_ABSENT, p_value=1e-4)
    assert make_consistent([rows[0], refuted], [[1], []])[1].verdict == "undecided"
    slightly = EvidenceRow("O(3)", "soft", Reason.SMALL_VIOLATION, "broken, but by at most 2%", 0.01, (0.01, 0.02))
    (other, _) = make_consistent([slightly, EvidenceRow("O(2)", "soft", interval=(0.1, 0.2))], [[1], []])
    assert (other.interval, other.note) == ((0.1, 0.2), "broken at least as much as its subgroup O(2)")


def test_columns_show_a_dash_for_what_is_not_known():
    text = str(EvidenceTable([EvidenceRow("O(3)", "undecided")]))
    assert text.splitlines()[1].split()[:3] == ["O(3)", "undecided", "-"]
    assert pytest.approx(0.283, abs=1e-3) == ABSENT_ABOVE


def test_details_come_back():
    detail = EvidenceDetail([0.0, 1.0], [0.0, -1.0], [], math.nan)
    assert EvidenceDetail.from_dict(detail.to_dict()) == detail
