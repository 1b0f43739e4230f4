"""Reasons: what was meant survives being written down and read back."""

import pytest

from softsym.discovery.judge.reasons import Cause, Reason, join_reasons, parse_note

OLD_NOTES = {
    "as far as the fit can tell: the violation is no larger than the model's own mistakes": [Cause.FIT],
    "inconclusive: only 40 training rows": [Cause.ROWS],
    "inconclusive: only 40 training rows; too few rows to hold any out; the model explains only 0% of held-out data": [
        Cause.ROWS, Cause.HELD_OUT, Cause.EXPLAINED,
    ],
    "inconclusive: moved data lie where there are no data, so nothing could confirm or refute it": [Cause.COVERAGE],
    "transformed data lie where there are no data, inputs transformed by the group would decide it": [Cause.COVERAGE],
    "inconclusive: the interval of the error also allows absent and exact": [Cause.INTERVAL],
    "the data hardly cover this; group's orbits": [Cause.OTHER],
    "": [],
}  # fmt: skip


@pytest.mark.parametrize(("note", "causes"), OLD_NOTES.items())
def test_a_note_of_any_age_becomes_its_reasons_and_the_same_note_again(note, causes):
    reasons = parse_note(note)
    assert [reason.cause for reason in reasons] == causes
    assert join_reasons(reasons) == note.removeprefix("inconclusive: ")
    assert parse_note(join_reasons(reasons)) == reasons


def test_several_reasons_are_one_note():
    fit, rows = Reason.read(Cause.FIT.value), Reason.read("only 3 training rows")
    assert join_reasons([rows, fit]) == "only 3 training rows; as far as the fit can tell"
    assert parse_note(join_reasons([rows, fit])) == (rows, fit)


def test_no_wording_begins_like_another():
    known = [cause.value for cause in Cause if cause is not Cause.OTHER]
    assert not any(a != b and a.startswith(b) for a in known for b in known)


def test_a_group_that_moves_nothing_leaves_a_note_of_its_own():
    note = "acts trivially on inputs and outputs, so data cannot break it"
    (reason,) = parse_note(note)
    assert reason.cause is Cause.TRIVIAL
    assert join_reasons([reason]) == note
