"""Tables of errors."""

from lab.tests.experiments.small import PAPER, rendered

from softsym_lab.experiments.render.tables import RENDER
from softsym_lab.experiments.table_spec import BENCHMARKS, ORDER, load_spec


def test_every_kind_of_table_has_its_file():
    assert {load_spec(name, PAPER).kind for name in (*ORDER, *BENCHMARKS)} == set(RENDER)


def test_sections_have_headings_of_their_own(tmp_path):
    text = rendered(tmp_path, "robustness", seeds=1).markdown
    sections = list(dict.fromkeys(row.section for row in load_spec("robustness", PAPER).rows))
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == sections


def test_rows_of_the_file_are_the_cells(tmp_path):
    made = rendered(tmp_path, "frame-averaging", share=0.5, seeds=1)
    assert [row["column"] for row in made.rows] == [
        column.label for column in load_spec("frame-averaging", PAPER).columns
    ]
    assert {row["seeds_wanted"] for row in made.rows} == {1}
    assert any(row["mean"] is None for row in made.rows)
    assert set(made.figures) == {""}


def test_one_column_needs_no_matrix(tmp_path):
    assert "seeds done of wanted" not in rendered(tmp_path, "robustness", seeds=1).markdown
    assert "seeds done of wanted" in rendered(tmp_path / "other", "frame-averaging", seeds=1).markdown
