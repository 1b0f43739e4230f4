"""Bars of errors, and where the network breaks a group."""

from dataclasses import replace

import numpy as np

from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.report.charts.error_charts import LEAST_DISTANCE, distances, errors
from tests.discovery import example_reports

EXACT = Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 1.0, 1e-4)


def test_errors_carry_their_intervals():
    figure = errors(Symmetries([EXACT]))
    assert figure is not None
    (bar,) = figure["data"]
    assert bar["x"] == [0.002]
    assert (bar["error_x"]["arrayminus"], bar["error_x"]["array"]) == ([0.001], [0.001])


def test_heat_map_runs_down_the_longer_side():
    for report, rows in (
        (example_reports.report(), len(example_reports.LAYERS)),
        (example_reports.many(), 14),
    ):
        figure = distances(report.symmetries)
        assert figure is not None
        assert len(figure["data"][0]["z"]) == rows


def test_without_groups_or_layers_there_is_nothing_to_draw():
    assert errors(Symmetries()) is None
    assert distances(Symmetries([EXACT])) is None


def test_each_verdict_has_its_own_bars_at_the_places_of_the_table():
    figure = errors(example_reports.report().symmetries)
    assert [(bar["name"], bar["y"]) for bar in figure["data"]] == [
        ("● exact", [0]),
        ("◐ soft", [1]),
        ("? undecided", [2]),
    ]
    assert figure["layout"]["yaxis"]["ticktext"] == ["O(2)@z ●", "O(2)@x ◐", "SO(3) ?"]


def test_an_interval_that_is_unknown_has_no_reach():
    figure = errors(Symmetries([replace(EXACT, error_interval=(np.nan, np.inf))]))
    assert figure["data"][0]["error_x"]["array"] == [0.0]


def test_distances_are_shown_between_the_ends_of_the_scale():
    rows = [replace(EXACT, layers={"first": 1e-9, "second": 0.1})]
    (heat,) = distances(Symmetries(rows))["data"]
    assert np.ravel(heat["z"]).tolist() == [np.log10(LEAST_DISTANCE), -1.0]
    assert np.ravel(heat["text"]).tolist() == ["1.0 × 10⁻⁹", "0.10"]


def test_undecided_groups_have_bars_too():
    (bar,) = errors(Symmetries([replace(EXACT, verdict="undecided")]))["data"]
    assert bar["name"] == "? undecided"
