"""Tables as files: text, rows and figures under one name."""

import pytest
from lab.tests.experiments.small import PAPER, summaries

from softsym_lab.experiments.render import files
from softsym_lab.experiments.render.figures import new_figure
from softsym_lab.experiments.render.files import Rendered, head, notes, write
from softsym_lab.experiments.table_spec import load_spec

ROWS = [{"a": 1, "b": 2.5}]


def draw():
    figure, axes = new_figure(width=2, height=2)
    axes[0, 0].plot([0, 1], [1, 0])
    return figure


def test_files_under_one_name(tmp_path):
    made = Rendered("# Title", ROWS, {"": draw, "more": draw})
    paths = write(made, tmp_path / "new", "one")
    assert [path.name for path in paths] == ["one.md", "one.csv", "one.png", "one.pdf", "one-more.png", "one-more.pdf"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(path.name for path in paths)
    assert paths[0].read_text() == "# Title\n"
    assert paths[1].read_text() == "a,b\n1,2.5\n"
    assert paths[2].read_bytes().startswith(b"\x89PNG")
    assert paths[3].read_bytes().startswith(b"%PDF")


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    made = Rendered("", ROWS, {"": draw})
    first, second = (write(made, tmp_path / name, "one") for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_without_matplotlib_there_are_no_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "can_draw", lambda: False)
    assert [path.suffix for path in write(Rendered("", ROWS, {"": draw}), tmp_path, "one")] == [".md", ".csv"]


def test_a_figure_that_cannot_be_drawn_leaves_the_old_one(tmp_path):
    write(Rendered("", ROWS, {"": draw}), tmp_path, "one")
    before = (tmp_path / "one.png").read_bytes()

    class Torn:
        def savefig(self, path, **options):
            path.write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write(Rendered("", ROWS, {"": Torn}), tmp_path, "one")
    assert (tmp_path / "one.png").read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def test_a_head_says_what_stands_behind_it(tmp_path):
    part = load_spec("correlation", PAPER)
    text = head(part, "quick", summaries(tmp_path, "correlation", share=0.5, seeds=1))
    assert text.startswith(f"# {part.title}\n\n*Claim:* {part.claim}")
    assert "6 of 13 runs done" in text
    assert "softsym reproduce correlation --preset quick" in text
    assert "Data: computed from a formula." in text
    assert "far too short" in text
    assert "far too short" not in head(part, "paper", [])
    assert "This preset is ours" in head(part, "fast", [])
    assert notes(part).count("- ") >= len(part.notes)
