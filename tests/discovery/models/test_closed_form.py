"""The closed-form rungs, and what is said about those that could not be fitted."""

import numpy as np
import pytest

from softsym.discovery.models.closed_form import Ladder, climb
from softsym.groups import group
from softsym.reps import rep
from tests.discovery.small import rows

X, Y = rows(80)
SHAPE = (rep("2V"), rep("V"), [group("O(2)@z")])


@pytest.mark.parametrize(
    ("model", "names"),
    [("auto", ["mean", "linear", "gp", "gp without candidates"]), ("linear", ["linear"]), ("gp", ["gp"])],
)
def test_what_a_choice_asks_for(model, names):
    ladder = climb(X, Y, *SHAPE, model=model)
    assert [rung.name for rung in ladder.rungs] == names
    assert ladder.refused == {}
    assert ladder.seconds > 0


def test_without_candidates_there_is_one_process():
    ladder = climb(X, Y, rep("2V"), rep("V"), [])
    assert [rung.name for rung in ladder.rungs] == ["mean", "linear", "gp without candidates"]
    assert ladder.process is ladder.named("gp without candidates")


def test_what_cannot_be_fitted_says_why(monkeypatch):
    monkeypatch.setattr("softsym.inference.least_squares.LARGEST", 3)
    ladder = climb(X, Y, *SHAPE)
    assert list(ladder.refused) == ["linear"]
    assert "at most 3 are solved for" in ladder.refused["linear"]
    assert Ladder().process is None
    assert Ladder().named("gp") is None


def test_rows_of_one_source_are_known():
    ladder = climb(X, Y, *SHAPE, sources=np.arange(80) // 4, model="gp")
    assert ladder.process.gp.process_.row_groups is not None
