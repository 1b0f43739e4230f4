"""How things grow: slopes by hand, and one small case through a process of its own."""

import math

import polars as pl

from softsym_lab.benchmarks import scale
from softsym_lab.benchmarks.scale import Case, exponent


def test_slopes_by_hand():
    assert exponent([1, 10, 100, 1000], [7.0, 7.0, 7.0, 7.0]) == 0.0
    assert exponent([1, 10, 100, 1000], [5.0, 5.0, 1e2, 1e4]) == 2.0  # of the larger half
    assert math.isnan(exponent([10], [1.0]))


def test_every_series_has_its_exponents(monkeypatch):
    monkeypatch.setattr(
        scale,
        "measure",
        lambda case: {"read_seconds": case.rows, "evidence_seconds": case.groups**2, "peak_megabytes": 5.0},
    )
    measured_sizes = scale.run((10, 100, 1000), (20, 60), (1, 2, 4))
    assert measured_sizes["rows"]["exponents"] == {"read_seconds": 1.0, "evidence_seconds": 0.0, "peak_megabytes": 0.0}
    assert measured_sizes["groups"]["exponents"]["evidence_seconds"] == 2.0
    assert [case["columns"] for case in measured_sizes["columns"]["cases"]] == [20, 60]


def test_a_file_is_written_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(scale, "CHUNK", 40)
    scale.write(Case(100, columns=20), tmp_path / "rows.parquet")
    frame = pl.read_parquet(tmp_path / "rows.parquet")
    assert frame.shape == (100, 23)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]
    assert frame["x0"].n_unique() == 100


def test_a_small_case(tmp_path):
    measured = scale.measure(Case(200, groups=2))
    assert set(measured) == {
        "read_seconds",
        "evidence_seconds",
        "whole_seconds",
        "peak_megabytes",
        "stream_seconds",
        "stream_peak_megabytes",
        "stream_import_megabytes",
    }
    assert measured["whole_seconds"] > measured["evidence_seconds"] > 0
    assert measured["stream_peak_megabytes"] >= measured["stream_import_megabytes"] > 50
    assert 50 < measured["peak_megabytes"] < 1500


def test_the_evidence_of_a_small_case_as_a_command():
    found = scale.check(Case(400, groups=2, outputs=6, lean=0.5))
    assert (found["exit_code"], found["verdicts"], found["wrong"]) == (0, 2, 0)
    assert 0 < found["first_output_seconds"] <= found["whole_seconds"]
    assert found["peak_megabytes"] > 50  # the largest of all processes that this one started
