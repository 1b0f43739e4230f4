"""Training progress of PER."""

import pytest
from lab.tests.experiments.small import record, rendered, summaries

from softsym_lab.experiments.render.tables.progress import PRINTED, draw, strengths_row


def test_strengths_and_the_published_ones(tmp_path):
    run = summaries(tmp_path, "progress", share=0)[0].runs[0]
    row = strengths_row([record(run, strengths=(1.0, 2.0, 80.0)), record(run, strengths=(3.0, 2.0, 120.0))], "O(2)@z")
    assert row["strength"] == pytest.approx(100)
    assert row["strength_std"] == pytest.approx(28.28, abs=0.01)
    assert row["published_strength"] > 0
    assert row["seeds"] == 2
    assert strengths_row([record(run)], "O(2)@x")["strength_std"] is None


def test_five_panels_and_the_published_curve(tmp_path):
    records = [record for summary in summaries(tmp_path, "progress") for record in summary.records]
    figure = draw(records[:1], records[1:])
    assert len(figure.axes) == 5
    labels = [line.get_label() for line in figure.axes[4].lines]
    assert {"validation", "validation, full schedule", "validation, published code"} <= set(labels)
    assert max(figure.axes[4].lines[-1].get_xdata()) == 20  # the published code goes on; ours ended here


def test_without_runs_there_is_no_figure(tmp_path):
    made = rendered(tmp_path, "progress", share=0)
    assert made.figures == {}
    assert made.rows == [{"group": "–"}]
    assert [row["group"] for row in rendered(tmp_path / "done", "progress").rows] == list(PRINTED)
