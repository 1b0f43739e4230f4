"""The rule of the verdict, at its boundaries, and the notes that go with it."""

from dataclasses import replace

import pytest

from softsym.discovery.judge.model_verdict import (
    EXACT_BELOW,
    MODEL_ABSENT_ABOVE,
    ModelStatistics,
    decide,
    judge,
)
from softsym.discovery.judge.reasons import Cause, Reason, join_reasons
from softsym.inference import EvidenceRow
from softsym.inference.verdict import TOLERANCE

SURE = ModelStatistics(0.1, (0.09, 0.11), 0.4, 30.0, 9.0, 0.95, 1000, 0.9)
ROUGH = {"explained": 0.3}


def at(error, **changes):
    return replace(SURE, error=error, interval=(error, error), **changes)


def test_words():
    assert judge(at(0.0, **ROUGH))[0] == "exact"
    assert judge(at(EXACT_BELOW * 0.4, **ROUGH))[0] == "exact"
    assert judge(at(EXACT_BELOW * 0.4 + 1e-6, **ROUGH))[0] == "soft"
    assert judge(at(MODEL_ABSENT_ABOVE - 1e-6))[0] == "soft"
    assert judge(at(MODEL_ABSENT_ABOVE))[0] == "absent"
    assert judge(SURE) == ("soft", ())


def test_outputs_that_hardly_vary_need_a_smaller_error():
    assert judge(at(0.01, **ROUGH))[0] == "exact"
    assert judge(at(0.01, control=0.03, **ROUGH))[0] == "soft"


def test_a_good_model_sees_small_violations():
    assert judge(at(0.01))[0] == "soft"
    assert judge(at(0.01, noise_ratio=0.9, refutation=0.0)) == ("exact", ())


def test_held_out_rows_can_refute_what_mistakes_would_excuse():
    assert judge(at(0.1, noise_ratio=0.5, refutation=3.1))[0] == "soft"
    assert judge(at(0.1, noise_ratio=0.5, refutation=2.9))[0] == "exact"


def test_no_better_than_ignoring_the_group_is_absent_however_small():
    assert judge(at(0.005, control=0.0048))[0] == "absent"


def test_mistakes_of_a_good_model_do_not_count_as_violations():
    verdict, (reason,) = judge(at(0.3, noise_ratio=0.6, refutation=None))
    assert (verdict, reason.cause) == ("exact", Cause.FIT)
    assert "no larger than the model's own mistakes" in join_reasons([reason])
    assert judge(at(0.3, noise_ratio=0.6, explained=0.3))[0] == "absent"  # a bad model explains anything
    assert judge(at(0.3, noise_ratio=None))[0] == "absent"


def test_excess_is_what_mistakes_do_not_explain():
    assert at(0.3, noise_ratio=0.6, refutation=-1.0).excess == 0.0
    assert at(0.3, noise_ratio=4.0).excess == pytest.approx(0.3 * 0.25**0.5)
    assert at(0.3, noise_ratio=4.0, explained=0.3).excess == 0.3


NOTES = {
    "rows": ({"rows": 40}, Cause.ROWS, "only 40 training rows, about 100 would decide it"),
    "held_out": ({"held_out": False}, Cause.HELD_OUT, "too few rows to hold any out"),
    "explained": ({"explained": -0.2}, Cause.EXPLAINED,
        "the model explains only 0% of held-out data, more rows or longer training would decide it"),
    "coverage": ({"coverage": 0.1}, Cause.COVERAGE,
        "transformed data lie where there are no data, inputs transformed by the group would decide it"),
    "interval": ({"interval": (0.01, 0.11), **ROUGH}, Cause.INTERVAL,
        "the interval of the error also allows exact, more rows or seeds would decide it"),
    "both": ({"interval": (0.01, 0.3), **ROUGH}, Cause.INTERVAL,
        "the interval of the error also allows absent and exact, more rows or seeds would decide it"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "cause", "text"), NOTES.values(), ids=list(NOTES))
def test_doubts_are_said(changes, cause, text):
    verdict, reasons = judge(replace(SURE, **changes))
    assert verdict == "soft"
    assert reasons == (Reason(cause, text),)
    assert join_reasons(reasons) == text
    assert decide(replace(SURE, **changes)) == ("undecided", reasons, "model")


EVIDENCE = EvidenceRow("O(3)", "exact", 0.6, 300.0, 0.0, (0.0, 0.01), 0.01, 0.9, rows=300)


def test_the_evidence_decides_where_its_process_misses_nothing():
    assert decide(SURE, EVIDENCE) == ("exact", (), "evidence")
    assert decide(SURE, EVIDENCE, unexplained_by_gp=TOLERANCE) == ("exact", (), "evidence")
    assert decide(SURE, EVIDENCE, unexplained_by_gp=TOLERANCE + 1e-9) == ("soft", (), "model")


def test_the_model_decides_where_kernels_cannot_tell():
    assert decide(SURE) == ("soft", (), "model")
    assert decide(SURE, EvidenceRow("O(3)", "undecided", note="there is no finite subgroup")) == (
        "soft",
        (),
        "model",
    )


def test_what_the_evidence_leaves_open_stays_open_and_says_what_would_decide_it():
    note = "not refuted, but a violation of 0.2 is possible; about 2,000 rows would decide it"
    verdict, (reason,), decided_by = decide(at(0.0), replace(EVIDENCE, verdict="undecided", note=note))
    assert (verdict, reason.text, decided_by) == ("undecided", note, "evidence")


def test_a_group_that_moves_nothing_is_undecided_whatever_the_evidence_says():
    verdict, (reason,), _ = decide(at(0.0, acts=False), EVIDENCE)
    assert (verdict, reason.cause) == ("undecided", Cause.TRIVIAL)


def test_an_uncertain_interval_is_no_news_where_there_are_other_doubts():
    _, reasons = judge(replace(SURE, interval=(0.01, 0.3), rows=40, coverage=0.0, **ROUGH))
    assert [reason.cause for reason in reasons] == [Cause.ROWS, Cause.COVERAGE]


def test_doubts_come_before_the_remark_on_the_fit():
    _, reasons = judge(at(0.3, noise_ratio=0.6, refutation=None, rows=40))
    assert [reason.cause for reason in reasons] == [Cause.ROWS]


def test_a_group_that_moves_nothing_is_undecided():
    """Whatever was measured: no data could have broken it."""
    for error in (0.0, 0.1, 0.5):
        verdict, reasons = judge(at(error, acts=False))
        assert verdict == "undecided"
        assert reasons == (
            Reason(Cause.TRIVIAL, "acts trivially on inputs and outputs, so data cannot break it"),
        )


@pytest.mark.parametrize("refutation", [None, -5.0, 2.9])
@pytest.mark.parametrize("error", [0.1, 0.4])
def test_an_undertrained_model_is_not_believed_unless_held_out_rows_agree(error, refutation):
    """Y = 2 X, of which a model explains 49 %: it breaks the symmetry by itself."""
    statistics = at(error, explained=0.49, refutation=refutation)
    verdict, (reason,) = judge(statistics)
    assert verdict in ("soft", "absent")
    assert reason.cause is Cause.EXPLAINED
    assert reason.text.startswith("the model explains only 49% of held-out data")
    assert decide(statistics)[0] == "undecided"
    assert judge(replace(statistics, refutation=3.1))[1] == ()
    assert judge(at(0.01, explained=0.49, refutation=refutation)) == ("exact", ())  # a penalty has won
