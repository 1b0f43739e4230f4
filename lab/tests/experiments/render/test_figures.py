"""The figures' common look."""

import pytest
from lab.tests.experiments.small import summaries

from softsym_lab.experiments.render.figures import bars, new_figure


def test_axes_come_as_an_array_and_no_display_is_touched():
    import matplotlib

    before = matplotlib.get_backend(auto_select=False) if hasattr(matplotlib, "rcParams") else None
    figure, axes = new_figure(2, 3, width=5, height=4)
    assert axes.shape == (2, 3)
    assert tuple(figure.get_size_inches()) == (5, 4)
    assert not axes[0, 0].spines["top"].get_visible()
    assert matplotlib.get_backend(auto_select=False) == before


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_panel_for_each_row_with_ours_and_the_published(tmp_path, share):
    made = summaries(tmp_path, "table2", share)
    rows = list(dict.fromkeys(s.row.label for s in made))
    figure = bars("title", "unit", made)
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert len(shown) == len(rows)
    ticks = [label.get_text() for label in shown[0].get_xticklabels()]
    assert ticks == [s.column.label for s in made if s.row.label == rows[0]]
    assert shown[0].get_yscale() == "log"
    assert bars("title", "unit", made, log=False).axes[0].get_yscale() == "linear"


def test_a_deviation_as_large_as_the_mean_stays_on_a_logarithmic_scale(tmp_path):
    figure = bars("title", "unit", summaries(tmp_path, "table2"))
    low = min(
        segment[:, 1].min() for axis in figure.axes for line in axis.collections for segment in line.get_segments()
    )
    assert low > 0
