"""How residuals, strengths and losses came to be what they are."""

from dataclasses import replace

import numpy as np

from softsym.discovery.report.charts.training_charts import losses, progress
from tests.discovery import example_reports


def test_progress_has_thin_seeds_and_a_mean_over_common_epochs():
    whole = example_reports.report()
    figure = progress(whole.symmetries, whole.curves)
    assert figure is not None
    first = [trace for trace in figure["data"] if trace["legendgroup"] == "0" and trace.get("yaxis") is None]
    assert len(first) == 4
    shortest = min(len(seed.epochs) for seed in whole.curves)
    mean = np.exp(np.mean([np.log(seed.residuals["O(2)@z"][:shortest]) for seed in whole.curves], axis=0))
    np.testing.assert_allclose(first[-1]["y"], mean, rtol=1e-4)


def test_validation_that_was_rarely_measured_is_a_line_of_what_is_known():
    figure = losses(example_reports.report().curves)
    assert figure is not None
    lines = [trace for trace in figure["data"] if trace["name"] == "validation"]
    assert all(None not in line["y"] and len(line["y"]) == 20 for line in lines)
    assert [line.get("showlegend", True) for line in lines] == [True, False, False]


def test_strength_of_zero_is_a_gap_on_a_logarithmic_axis():
    whole = example_reports.report()
    off = {name: np.zeros_like(values) for name, values in whole.curves[0].strengths.items()}
    figure = progress(whole.symmetries, [replace(whole.curves[0], strengths=off)])
    assert figure is not None
    assert set(figure["data"][-1]["y"]) == {None}


def test_a_single_seed_is_one_line_for_each_group():
    whole = example_reports.report()
    figure = progress(whole.symmetries, whole.curves[:1])
    assert len(figure["data"]) == 2 * len(whole.symmetries)


def test_nothing_read_is_nothing_drawn():
    assert progress(example_reports.report().symmetries, []) is None
    assert losses([]) is None
