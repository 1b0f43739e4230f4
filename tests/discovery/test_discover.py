"""The whole job on one table."""

import json
from dataclasses import replace

import numpy as np
import pytest

import softsym
import softsym as ss
from softsym.data import table as data_table
from softsym.data.table import Table
from softsym.discovery import SoftEquivariantRegressor, fit_data
from softsym.discovery.discover import Workspace, discover, summarize
from softsym.errors import InputError
from softsym.io import digest, load_with_checksum
from tests.discovery.small import fitted, interrupted, rows

PARAMETERS = {
    "rep_in": "2V",
    "rep_out": "V",
    "groups": ["O(2)@x", "O(2)@z"],
    "model": "network",
    "width": 8,
    "layers": 2,
    "epochs": 4,
    "seeds": 2,
    "strength": 10.0,
}


@pytest.fixture
def table():
    X, Y = rows(80)
    return Table(X, Y, tuple("abcdef"), ("u", "v", "w"), "flights.csv")


def test_it_writes_report_table_and_model(table, tmp_path):
    found = discover(table, PARAMETERS, Workspace(tmp_path / "out"), title="flights")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "manifest.json",
        "model",
        "report.html",
        "symmetries.json",
    ]
    written = load_with_checksum((tmp_path / "out" / "symmetries.json").read_text())
    assert written == {
        **summarize(found),
        "files": {"report.html": digest((tmp_path / "out" / "report.html").read_bytes())},
    }
    est = ss.load(tmp_path / "out" / "model")
    assert est.symmetries_ == found.symmetries_
    assert est.baselines_ == found.baselines_
    assert est.feature_names_in_.tolist() == list("abcdef")
    assert list(est.output_names_) == ["u", "v", "w"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Symmetries of <bdi>flights</bdi>" in page
    assert "flights.csv" in page


def test_what_programs_read():
    summary = summarize(fitted())
    assert summary["schema"] == 2
    assert (summary["version"], summary["seed"]) == (ss.__version__, 0)
    assert summary["columns"] == {"x": [f"x{k}" for k in range(6)], "y": ["y0", "y1", "y2"]}
    assert (summary["model"], summary["blend"]) == ("network", {"network": 1.0})
    assert [row["name"] for row in summary["evidence"]["groups"]] == ["O(2)@x", "O(2)@z"]
    assert (summary["rep_in"], summary["rep_out"], summary["seeds"]) == ("2V", "V", 2)
    assert summary["compiled"] == fitted().fit_.compiled
    assert summary["rows"] == {"train": 168, "held_out": 36}
    assert [row["name"] for row in summary["groups"]] == ["O(2)@x", "O(2)@z"]
    assert set(summary["groups"][0]) == {
        "name",
        "verdict",
        "error",
        "error_interval",
        "strength",
        "residual",
        "excess",
        "layers",
        "note",
        "p_value",
        "log_evidence",
        "violation",
        "violation_interval",
        "tolerance",
        "coverage",
        "decided_by",
        "reasons",
        "reason",
        "cost",
        "certified",
    }
    assert summary["built_in"] == ["O(2)@z"]
    assert [row["name"] for row in summary["baselines"]] == [row.name for row in fitted().baselines_]
    assert set(summary["baselines"][0]) == {
        "name",
        "validation_error",
        "test_error",
        "explained",
        "is_returned",
        "share",
    }
    json.dumps(summary, allow_nan=False)


def test_facts_are_computed_once(tmp_path, monkeypatch):
    """One preparation, one search for duplicates, one split, one evidence."""
    calls = []

    def counted(owner, name):
        function = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *a, **k: calls.append(name) or function(*a, **k))

    counted(SoftEquivariantRegressor, "prepare")
    counted(fit_data, "split_rows")
    counted(softsym.inference, "evidence")
    counted(data_table, "duplicate_groups")
    monkeypatch.setattr(fit_data, "duplicate_groups", lambda X: pytest.fail("looked again"))
    X, Y = rows(220)  # enough to hold some out
    many = Table(X, Y, tuple("abcdef"), ("u", "v", "w"), "flights.csv")
    discover(many, PARAMETERS, Workspace(tmp_path / "out"), title="it")
    assert sorted(calls) == ["duplicate_groups", "evidence", "prepare", "split_rows"]


def test_stopped_and_resumed_with_other_jobs_is_the_same(table, tmp_path):
    whole = discover(table, PARAMETERS, Workspace(tmp_path / "whole"), title="it")
    answers = iter([False] * 5 + [True] * 9)
    with interrupted(lambda: next(answers)), pytest.raises(KeyboardInterrupt):
        discover(table, PARAMETERS, Workspace(tmp_path / "cut"), title="it")
    assert sorted(path.name for path in (tmp_path / "cut.partial" / "members").glob("seed-*")) == ["seed-0", "seed-1"]
    other = {**PARAMETERS, "n_jobs": 2, "verbose": False}
    resumed = discover(table, other, Workspace(tmp_path / "cut", resume=True), title="it")
    assert resumed.symmetries_ == whole.symmetries_
    assert np.array_equal(resumed.fit_.predict(table.X), whole.fit_.predict(table.X))
    assert not (tmp_path / "cut.partial").exists()


def test_wrong_parameters_leave_no_folder(table, tmp_path):
    with pytest.raises(InputError, match="3V under"):
        discover(table, {**PARAMETERS, "rep_in": "3V"}, Workspace(tmp_path / "out"), title="it")
    assert not list(tmp_path.iterdir())


def test_another_labelling_is_another_discovery(table, tmp_path):
    labelled = replace(table, row_groups=np.arange(80) // 4)
    with interrupted(lambda: True), pytest.raises(KeyboardInterrupt):
        discover(labelled, PARAMETERS, Workspace(tmp_path / "out"), title="it")
    for other in (table, replace(table, row_groups=np.arange(80) // 5)):
        with pytest.raises(InputError, match="was started with another data"):
            discover(other, PARAMETERS, Workspace(tmp_path / "out", resume=True), title="it")
    discover(labelled, PARAMETERS, Workspace(tmp_path / "out", resume=True), title="it")
    fit = ss.load(tmp_path / "out" / "model").fit_
    assert fit.n_train % 4 == 0


def test_labels_that_make_no_parts_leave_no_folder(table, tmp_path):
    with pytest.raises(InputError, match="there are 2 row groups"):
        discover(replace(table, row_groups=np.arange(80) % 2), PARAMETERS, Workspace(tmp_path / "out"), title="it")
    assert not list(tmp_path.iterdir())


def test_where_nothing_is_proposed_there_is_a_report_all_the_same(tmp_path):
    rng = np.random.default_rng(0)
    noise = Table(rng.standard_normal((80, 3)), rng.standard_normal((80, 3)), tuple("abc"), tuple("uvw"), "noise.npz")
    notes = []
    asked = {"rep_in": "V", "rep_out": "V", "groups": "auto"}
    est = discover(noise, asked, Workspace(tmp_path / "out"), title="noise", on_note=notes.append)
    assert "nothing sure; nearly found: " in notes[0]
    assert {row.verdict for row in est.symmetries_} == {"undecided"}
    page = (tmp_path / "out" / "report.html").read_text()
    assert "nothing sure; nearly found: " in page
    assert ss.load(tmp_path / "out" / "model").fit_.predict(noise.X).shape == (80, 3)
