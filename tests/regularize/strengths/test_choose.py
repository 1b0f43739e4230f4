"""Strengths by held-out rows: groups that help are selected, others dropped, and no regularization is always compared."""

import math

import pytest
import torch

from softsym.errors import InputError
from softsym.regularize.strengths import choose

GROUPS = ["a", "b", "c"]


def rows(cost: float, noise: float = 0.0, n: int = 50) -> torch.Tensor:
    return 5.0 + cost + noise * torch.randn(n, generator=torch.Generator().manual_seed(int(1e4 * (cost + 9))))


def test_nothing_helps_so_nothing_is_chosen():
    choice = choose(lambda strengths: rows(sum(strengths.values()) / 100, noise=0.1), GROUPS)
    assert choice.strengths == {"a": 0.0, "b": 0.0, "c": 0.0}
    assert len(choice.trials) == 1 + 3 * 2
    assert choice.trials[0].gain == choice.trials[0].error == 0.0
    assert "none  <- chosen" in str(choice)


def test_groups_that_help_are_added_one_by_one_each_at_its_level():
    best = {"a": 100.0, "b": 10.0}

    def losses(strengths):
        return rows(
            sum(-1.0 if strengths[name] == level else 0.5 * (strengths[name] > 0) for name, level in best.items())
            + (strengths["c"] > 0)
        )

    choice = choose(losses, GROUPS)
    assert choice.strengths == {"a": 100.0, "b": 10.0, "c": 0.0}
    assert all(not trial.strengths["c"] or sum(map(bool, trial.strengths.values())) == 1 for trial in choice.trials)
    assert choice.order()[0] == "a"
    assert choice.order()[-1] == "c"


def test_a_gain_within_noise_does_not_count():
    before, after = [5.0, 1.0] * 10, [*([1.0, 5.0] * 9), 1.0, 4.5]

    def losses(strengths):
        return after if strengths["a"] else before

    choice = choose(losses, ["a"], [1.0])
    assert choice.trials[1].gain > 0
    assert choice.strengths == {"a": 0.0}
    assert choose(losses, ["a"], [1.0], errors=0).strengths == {"a": 1.0}


def test_a_training_that_fails_is_not_chosen():
    def losses(strengths):
        return [math.nan, 1.0] if strengths["a"] == 10 else [2.0, 2.0] if strengths["a"] else [3.0, 3.0]

    assert choose(losses, ["a"]).strengths == {"a": 100.0}
    assert choose(lambda strengths: [math.nan, 1.0], ["a"]).strengths == {"a": 0.0}


def test_what_is_wrong_is_said():
    with pytest.raises(InputError, match="`groups` are names, each once, got 'O"):
        choose(lambda strengths: [1.0, 2.0], "O(3)")
    with pytest.raises(InputError, match="`levels` are strengths above 0"):
        choose(lambda strengths: [1.0, 2.0], GROUPS, [0.0, 1.0])
    with pytest.raises(InputError, match="one number for each of at least two rows, got shape"):
        choose(lambda strengths: 1.0, GROUPS)
    with pytest.raises(InputError, match="returned 3 rows, then 2; hold out the same rows"):
        choose(lambda strengths: [1.0] * (2 if any(strengths.values()) else 3), GROUPS)
