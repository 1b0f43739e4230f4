"""Words and numbers of a report."""

from dataclasses import replace

import numpy as np
import pytest

from softsym.discovery.judge.reasons import parse_note
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.report.wording import (
    cell,
    headline,
    interval,
    label,
    labels,
    number,
    percent,
    sentence,
)

EXACT = Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 1.0, 1e-4)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.00213, "0.0021"), (0.34, "0.34"), (-12.3, "−12"), (1e-5, "1.0 × 10⁻⁵"), (-2e7, "−2.0 × 10⁷"), (np.inf, "—")],
)  # fmt: skip
def test_numbers_read_as_people_write_them(value: float, text: str):
    assert number(value) == text


def test_percentages():
    assert [percent(share) for share in (1.0, 0.987, 0.5, 0.0031, 0.0, -3.0, np.nan)] == [
        "100.00 %", "98.7 %", "50 %", "0.31 %", "0 %", "−300 %", "—",
    ]  # fmt: skip


def test_labels_are_single_short_lines_and_tell_names_apart():
    assert label("a\nb\x00c\u2028d") == "a b c d"
    assert len(label("x" * 100)) == 20
    alike = [f"O(2)@axis_number_{k} | Scaling(3)" for k in range(3)]
    assert len(set(labels(alike))) == 3


def test_sentences_say_the_verdict():
    assert sentence(EXACT).startswith("holds exactly")
    assert "has it with strength 0.034" in sentence(replace(EXACT, verdict="soft", strength=0.034))
    assert sentence(replace(EXACT, verdict="absent")).startswith("does not hold")
    assert headline(Symmetries([EXACT])) == "Of 1 candidate symmetry, 1 holds exactly."


def test_cells_are_written_by_what_they_are():
    assert (cell("soft"), cell(np.nan), cell((np.nan, 1.0))) == ("soft", "—", "—")
    assert interval((1e-5, 2.0)) == "1.0 × 10⁻⁵ to 2.0"


def test_what_only_the_fit_can_tell_is_said_so():
    mild = replace(
        EXACT, reasons=parse_note("as far as the fit can tell: the violation is no larger than its mistakes")
    )
    assert sentence(mild).startswith("holds as far as the fit can tell")
    doubted = replace(EXACT, reasons=parse_note("inconclusive: only 40 training rows"))
    assert sentence(doubted).startswith("holds exactly")


def test_the_headline_counts_what_is_certain():
    doubted = replace(EXACT, reasons=parse_note("inconclusive: only 40 training rows"))
    absent = replace(EXACT, verdict="absent")
    assert headline(Symmetries([EXACT, absent, absent, doubted])) == (
        "Of 4 candidate symmetries, 1 holds exactly, 2 do not hold and 1 cannot be decided."
    )


def test_a_trivial_action_neither_holds_nor_fails():
    reasons = parse_note("inconclusive: acts trivially on inputs and outputs, so data cannot break it")
    row = Symmetry("O(3)", "undecided", 0.0, (0.0, 0.0), 1.0, 0.0, reasons=reasons)
    assert sentence(row).startswith("acts trivially on inputs and outputs")
    assert headline(Symmetries([row])) == "Of 1 candidate symmetry, 1 cannot be decided."
