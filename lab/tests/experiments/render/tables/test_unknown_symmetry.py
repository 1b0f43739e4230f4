"""Wrong groups among the candidates."""

import pytest
from lab.tests.experiments.small import rendered

from softsym_lab.experiments.render.tables.unknown_symmetry import printed_name


@pytest.mark.parametrize(
    ("group", "name"), [("SL(2)@z", "SLz(2)"), ("O(2)@x", "Ox(2)"), ("Scaling(1)@y", "Scalingy(1)")]
)
def test_groups_as_the_paper_calls_them(group, name):
    assert printed_name(group) == name


def test_a_row_for_every_candidate_of_every_column(tmp_path):
    made = rendered(tmp_path, "unknown-symmetry")
    assert {row["seeds"] for row in made.rows} == {2}
    assert len({(row["column"], row["group"]) for row in made.rows}) == len(made.rows)
    assert any(row["published"] is not None for row in made.rows)
    first = made.rows[0]
    assert first["model_error"] == pytest.approx(0.0105)  # seeds 0.010 and 0.011
    assert made.numbers["cells"]
    heights = [patch.get_height() for patch in made.figures[""]().axes[0].patches]
    assert heights[0] == pytest.approx(first["model_error"])


def test_without_runs_the_cells_are_listed(tmp_path):
    made = rendered(tmp_path, "unknown-symmetry", share=0)
    assert made.figures == {}
    assert all(row["mean"] is None for row in made.rows)
