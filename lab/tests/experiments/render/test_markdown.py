"""Tables: pure functions of the store, and honest about what is missing."""

import csv
import io
from dataclasses import replace

from lab.tests.experiments.small import record, small, summaries

from softsym_lab.experiments.grid import cells, runs
from softsym_lab.experiments.render.markdown import (
    comparison,
    csv_text,
    markdown_table,
    matrix,
    number,
    plus_minus,
    verdict_table,
)
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise


def test_a_partly_filled_store_gives_a_partly_filled_table(tmp_path):
    spec, store = small(tmp_path), Store(tmp_path / "store")
    found = cells(spec, "quick", 3)
    per = [run for run in runs(found) if run.model == "per" and "Oz" in run.task]
    store.save(record(per[0], 0.2))
    store.save(record(per[2], 0.4))
    summaries = summarise(spec, found, store)
    text = matrix(spec, summaries)
    assert "| Oz(2) | – (0/3) | – (0/3) | **0.3 ± 0.14** (2/3) |" in text
    assert "| soft | – (0/3) | - | – (0/3) |" in text  # no exact group, so no such cell
    assert (
        "| Oz(2) | PER | 0.3 ± 0.14 | 2/3 | 0.32 ± 0.26 | -0.02 (better) | 1,234 | 20 | 0.3 (1) | 30 s |"
        in comparison(summaries)
    )


def test_worse_than_published_is_said(tmp_path):
    spec, store = small(tmp_path), Store(tmp_path / "store")
    found = cells(spec, "quick", 1)
    for run in runs(found):
        store.save(record(run, 2.0))
    text = comparison(summarise(spec, found, store))
    assert "| Oz(2) | PER | 2 | 1/1 | 0.32 ± 0.26 | +1.68 (worse) |" in text


def test_numbers_for_people():
    assert [number(x) for x in (0.123456, 12.3456, 1234.5, 3e-7, 0.0)] == ["0.123", "12.3", "1234", "3.00e-07", "0"]
    assert plus_minus(None, None) == "–"


def test_large_numbers_are_not_written_with_an_exponent():
    assert number(12345.6) == "12346"
    assert number(123456.0) == "1.23e+05"
    assert number(-0.02) == "-0.02"


def test_csv_reads_back():
    rows = [{"a": 1, "b": "x, y"}, {"a": None, "b": 'say "no"'}]
    assert list(csv.DictReader(io.StringIO(csv_text(rows)))) == [{"a": "1", "b": "x, y"}, {"a": "", "b": 'say "no"'}]
    assert csv_text([]) == ""


def test_a_table_of_nothing_has_its_header():
    assert markdown_table(["a", "b"], []) == "| a | b |\n|---|---:|"


SAID = {
    "name": "O(2)@z",
    "verdict": "exact",
    "asymmetry": 0.0,
    "interval": [0.0, 0.01],
    "p_value": 0.5,
    "coverage": 0.9,
    "note": "",
}


def test_the_same_answer_of_several_seeds_is_one_line(tmp_path):
    def make(run):
        one = record(run)
        return replace(one, result=replace(one.result, verdicts=[SAID] if run.model == "gp" else []))

    text = verdict_table(summaries(tmp_path, "motion", make=make), "normalisation")
    assert text.count("| exact |") == 3  # one for each normalisation
    assert "| normalisation | seed | group | verdict |" in text
    assert "| scale-aware | 0 | O(2)@z | exact | 0 | 0 to 0.01 | 0.5 | 0.9 |  |" in text


def test_what_the_data_propose_is_marked(tmp_path):
    def make(run):
        one = record(run)
        return replace(
            one,
            result=replace(
                one.result,
                verdicts=[SAID | {"name": "SO(3) | inversion", "proposed": True}] if run.model == "gp" else [],
            ),
        )

    assert r"| SO(3) \| inversion (proposed) | exact |" in verdict_table(summaries(tmp_path, "motion", make=make))


def test_nothing_asked_is_nothing_said(tmp_path):
    assert verdict_table(summaries(tmp_path, "motion")) == ""
