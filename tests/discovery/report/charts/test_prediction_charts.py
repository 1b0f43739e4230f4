"""Predicted against true."""

from dataclasses import replace

import numpy as np

from softsym.discovery.report.charts.prediction_charts import MOST_OUTPUTS, output_name, panels
from tests.discovery import example_reports


def test_each_output_has_its_panel_with_its_own_share():
    report = example_reports.report()
    drawn = panels(report)
    assert [panel["name"] for panel in drawn] == list(report.output_names)
    true, predicted = report.true[:, 0], report.predicted[:, 0]
    share = 1 - np.mean((true - predicted) ** 2) / true.var()
    assert drawn[0]["explained"].startswith(f"{100 * share:.0f}"[:2])
    assert drawn[0]["figure"]["data"][1]["x"] == [float(f"{value:.5g}") for value in true]


def test_many_outputs_and_examples_are_thinned():
    drawn = panels(example_reports.many())
    assert len(drawn) == MOST_OUTPUTS
    assert len(drawn[0]["figure"]["data"][1]["x"]) < 400


def test_a_single_model_has_no_spread():
    (panel,) = panels(example_reports.ordinary())
    assert "error_y" not in panel["figure"]["data"][1]
    assert "error_y" in panels(example_reports.report())[0]["figure"]["data"][1]


def test_outputs_without_a_name_have_their_place():
    nameless = replace(example_reports.report(), output_names=("mass",))
    assert [output_name(nameless, place) for place in (0, 1)] == ["mass", "output 2"]


def test_the_diagonal_spans_all_points():
    report = replace(
        example_reports.ordinary(),
        true=np.array([[0.0], [1.0]]),
        predicted=np.array([[0.0], [3.0]]),
        std=np.zeros((2, 1)),
    )
    ideal, _ = panels(report)[0]["figure"]["data"]
    assert ideal["x"][0] < 0.0
    assert ideal["x"][1] > 3.0


def test_constant_or_missing_outputs_still_have_a_panel():
    for value in (2.0, np.nan):
        same = np.full((4, 1), value)
        (panel,) = panels(replace(example_reports.ordinary(), true=same, predicted=same, std=same))
        assert panel["explained"] == ""
        assert np.isfinite(panel["figure"]["data"][0]["x"]).all()
