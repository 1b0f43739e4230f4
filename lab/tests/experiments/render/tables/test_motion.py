"""Motion forecasting."""

from lab.tests.experiments.small import rendered, summaries

from softsym_lab.experiments.render.tables.motion import SHOWN, draw_errors, draw_trajectories, model_errors


def test_equivariance_errors_of_two_models(tmp_path):
    made = rendered(tmp_path, "motion", seeds=1)
    assert set(made.figures) >= {"ade", "errors"}
    shown = [s for s in summaries(tmp_path, "motion", seeds=1) if s.column.label in SHOWN]
    assert shown
    for summary in shown:
        assert set(model_errors(summary)) == {"O(2)@x", "O(2)@y", "O(2)@z"}
    assert all(f"model_error_{group}" in made.rows[0] for group in ("O(2)@x", "O(2)@z"))


def test_cells_without_runs_have_no_errors(tmp_path):
    empty = summaries(tmp_path, "motion", share=0)[0]
    assert set(model_errors(empty).values()) == {None}
    assert len(draw_errors([]).axes) == 1


def test_trajectories_are_those_of_the_task():
    figure = draw_trajectories(["motion:scale-aware", "motion:symmetry-aware"])
    assert [axis.get_title() for axis in figure.axes] == ["scale-aware", "symmetry-aware"]
    assert all(len(axis.lines) == 80 for axis in figure.axes)  # past and future of forty
