"""Ours and the published ones."""

from dataclasses import replace

import pytest
from lab.tests.experiments.small import PAPER, record

from softsym_lab.experiments.grid import cells, runs
from softsym_lab.experiments.render.tables.benchmark import ranking, render
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise
from softsym_lab.experiments.table_spec import load_spec

VERDICT = {
    "name": "O(2)@x",
    "verdict": "soft",
    "asymmetry": 0.1,
    "interval": [0.05, 0.2],
    "p_value": 0.3,
    "coverage": 1.0,
    "note": "careful",
}


def made(folder, name, value, models=None):
    """A table with runs of some models."""
    spec, store = load_spec(name, PAPER), Store(folder)
    found = cells(spec, "fast", 2)
    for run in runs(found):
        if models is None or run.model in models:
            result = record(run, value(run)).result
            scores = {"published R2": value(run), "R2 xx": 0.5} if spec.score else {}
            verdicts = [VERDICT] if run.model == "gp" else []
            store.save(
                replace(record(run), result=replace(result, scores=scores, verdicts=verdicts, chosen="this one"))
            )
    return spec, summarise(spec, found, store)


def test_errors_are_ranked_from_below_and_unfinished_cells_last(tmp_path):
    spec, summaries = made(tmp_path, "mocap", lambda run: 0.149 + 0.002 * run.seed, {"soft-kernel"})
    lines = ranking(spec, summaries)
    assert (lines[0]["model"], lines[0]["value"], lines[0]["text"]) == (
        "soft kernel ridge",
        pytest.approx(15.0),
        "15 ± 0.14",
    )
    assert (lines[2]["model"], lines[2]["text"]) == ("EGNO with ACE", "23.8 ± 1.5")
    assert {line["text"] for line in lines if line["value"] is None} == {"–"}
    assert lines[-1]["seeds"] == "0/2"


def test_scores_are_ranked_from_above(tmp_path):
    spec, summaries = made(tmp_path, "duct", lambda run: 0.9951 if run.model == "per" else 0.9)
    lines = ranking(spec, summaries)
    assert [line["model"] for line in lines[:3]] == ["PER", "PER", "TBNN"]
    assert lines[0]["text"].startswith("0.9951")


def test_scores_verdicts_choices_and_sources_are_shown(tmp_path):
    text = render(*_ordered(made(tmp_path, "duct", lambda run: 0.9))).markdown
    assert "| even | PER | 0.9 | 0.5 |" in text
    assert "| even | 0 | O(2)@x | soft | 0.1 | 0.05 to 0.2 | 0.3 | 1 | careful |" in text
    assert text.count("careful") == 2  # once for each row of the table, not for each seed
    assert "| even | GP | this one |" in text
    assert "| inputs | model | O(2)@x | O(2)@y | O(2)@z |" in text
    assert "| even | PER | 0.091 | 0.091 | 0.001 |" in text
    assert "github.com/KevinMoonLab/SymmetryML" in text


def test_the_picture_has_a_bar_for_each(tmp_path):
    spec, summaries = made(tmp_path, "mocap", lambda run: 0.2, {"per"})
    figure = render(spec, "fast", summaries).figures[""]()
    assert len(figure.axes[0].patches) == 2 + 9


def _ordered(pair):
    return pair[0], "fast", pair[1]
