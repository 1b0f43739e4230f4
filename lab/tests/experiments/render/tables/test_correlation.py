"""The correlation study."""

import pytest
from lab.tests.experiments.small import record, rendered, small_runs, summaries

from softsym.errors import InputError
from softsym_lab.experiments.render.tables.correlation import (
    before_adjustment,
    by_seed,
    ours_and_published,
    points,
    values,
)

GROUPS = ("O(2)@x", "O(2)@y", "O(2)@z")


def test_the_published_correlations_are_computed_from_the_published_table():
    ours, printed = ours_and_published([])
    assert ours == dict.fromkeys(("model", "reg", "lambda", "before"))
    assert printed.pop("before") is None
    assert {name: round(value, 3) for name, value in printed.items()} == {
        "model": 0.989,
        "reg": 0.615,
        "lambda": -0.486,
    }


def linear(run):
    """A run whose model and data errors lie on a line, whatever its data set."""
    k = sum(map(ord, run.task)) % 17 + 1
    return record(run, data=(0.01 * k, 0.02 * k, 0.03 * k), strengths=(9.0 / k, 8.0 / k, 7.0 / k))


def study(folder):
    return summaries(folder, "correlation", make=linear)


def test_three_points_for_each_data_set(tmp_path):
    made = points(study(tmp_path))
    assert len(made) == 39
    assert {point.group for point in made} == set(GROUPS)
    assert all(set(point.published) == {"data", "model", "reg", "lambda"} for point in made)


def test_what_lies_on_a_line_correlates_fully(tmp_path):
    ours, _ = ours_and_published(study(tmp_path))
    assert ours["model"] == pytest.approx(1.0)
    assert ours["reg"] == pytest.approx(1.0)
    assert ours["lambda"] < 0
    assert by_seed(study(tmp_path))["model"] == pytest.approx([1.0, 1.0])


def test_means_over_runs(tmp_path):
    run = small_runs(tmp_path)[0]
    one, other = record(run, data=(0.1, 0.2, 0.3)), record(run, data=(0.3, 0.2, 0.1))
    assert values([one, other], "O(2)@x")["data"] == pytest.approx(0.2)


def test_regularizers_are_compared_before_the_strengths_differ(tmp_path):
    run = small_runs(tmp_path)[0]
    made = record(run)
    history = [
        {"epoch": k, "residuals": dict.fromkeys(GROUPS, float(k))}
        for k in (1, run.preset.adjust_at, run.preset.adjust_at + 1)
    ]
    assert before_adjustment(type(made)(run, made.result, {}, history))["O(2)@x"] == run.preset.adjust_at
    with pytest.raises(InputError, match="no regularizer values before the adjustment; remove the run to repeat it"):
        before_adjustment(type(made)(run, made.result, {}, history[2:]))


def test_figures_are_drawn_with_and_without_runs(tmp_path):
    for share in (0.0, 0.5, 1.0):
        made = rendered(tmp_path / str(share), "correlation", share=share, seeds=1)
        assert set(made.figures) == {"scatter", "bars"}
        assert len(made.figures["scatter"]().axes) == 4
