"""What all charts share."""

import numpy as np

from softsym.discovery.report.charts.plots import (
    DASHES,
    PALETTE,
    axis,
    layout,
    log_axis,
    numbers,
    positive,
    style,
    thin_indices,
)


def test_plain_values_for_figures():
    assert numbers([1.23456789, np.nan, np.inf]) == [1.2346, None, None]
    assert thin_indices(1000, 5).tolist() == [0, 250, 500, 749, 999]
    assert thin_indices(0).tolist() == []
    assert log_axis("", [1.0, 2.0])["dtick"] == "D2"
    assert log_axis("", [1e-9, 1.0])["dtick"] == 2
    assert log_axis("", [None])["dtick"] == "D2"


def test_groups_beyond_the_palette_differ_by_their_dashes():
    styles = [tuple(style(k).values()) for k in range(len(PALETTE) * len(DASHES))]
    assert len(set(styles)) == len(styles)


def test_what_has_no_logarithm_is_a_gap():
    np.testing.assert_array_equal(positive([1.0, 0.0, -2.0]), [1.0, np.nan, np.nan])


def test_narrow_logarithmic_axes_have_evenly_spaced_ticks():
    assert log_axis("", [1.0, 1.1])["nticks"] == 5
    assert "type" not in log_axis("", [1.0, 1.1])


def test_an_axis_without_a_title_leaves_no_room_for_one():
    assert "title" not in axis("")
    assert axis("epoch", zeroline=False)["title"]["text"] == "epoch"
    assert "height" not in layout(None)
    assert layout(3, margin={})["margin"] == {}
