"""The picture of a proposal."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.inference.propose.picture import figure, write_picture
from tests.inference.propose.target_functions import rows


@pytest.fixture(scope="module")
def found():
    X, Y, rep_in, rep_out, _ = rows("along z", 150, 0.02)
    return ss.propose(X, Y, rep_in, rep_out)


def test_it_shows_eigenvalues_axes_and_groups(found):
    drawn = figure(found)
    kinds = [trace.type for trace in drawn.data]
    assert kinds.count("bar") == 1
    assert kinds.count("scatter3d") >= 2  # the rotation about z and a mirror
    assert {"O(2)@z", "SO(2)@z"} <= set(drawn.data[-1].text)


def test_files(found, tmp_path):
    write_picture(found, tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size > 10_000
    with pytest.raises(InputError, match=r"a picture is a file .html, .svg, .png, got a.pdf"):
        write_picture(found, tmp_path / "a.pdf")
