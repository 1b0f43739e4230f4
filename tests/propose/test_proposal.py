"""The result: words, rows, JSON, figure."""

import json
import os

import pytest

import softsym as ss
from softsym.errors import InputError
from tests.propose.target_functions import rows


@pytest.fixture(scope="module")
def found():
    X, Y, rep_in, rep_out, _ = rows("cross product", 150, 0.02)
    return ss.propose(X, Y, rep_in, rep_out)


def test_json(found):
    fields = json.loads(json.dumps(found.to_dict()))
    assert fields["algebra"] == "so(3)"
    assert [ss.group(group["text"]) for group in fields["groups"]] == list(found.groups)
    assert {row["verdict"] for row in fields["table"]} <= {"exact", "soft", "undecided"}
    assert fields["nearly"] == [row.to_dict() for row in found.nearly]


def test_words_and_tables(found):
    assert found.words().startswith("Exact continuous symmetry: so(3) (3 dimensions, compact).")
    assert "rotation about" in str(found)
    assert found.table.to_polars().height == len(found.table)
    assert found.groups[0] == ss.SO(3)
    assert "<table>" in found._repr_html_()
    with pytest.raises(InputError, match="no symmetry 'x'"):
        found.table["x"]


def test_the_figure_shows_eigenvalues_axes_and_groups(tmp_path):
    X, Y, rep_in, rep_out, _ = rows("along z", 150, 0.02)
    found = ss.propose(X, Y, rep_in, rep_out)
    drawn = found.plot()
    kinds = [trace.type for trace in drawn.data]
    assert kinds.count("bar") == 1
    assert kinds.count("scatter3d") >= 2  # the rotation about z and a reflection
    assert {"O(2)@z", "SO(2)@z"} <= set(drawn.data[-1].text)
    found.plot(tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size > 10_000
    with pytest.raises(InputError, match=r"a figure is a file .html, .svg, .png, got a.pdf"):
        found.plot(tmp_path / "a.pdf")
    os.mkfifo(tmp_path / "pipe.html")
    with pytest.raises(InputError, match="is no file but a folder, a pipe or a device"):
        found.plot(tmp_path / "pipe.html")
