"""Strengths by name."""

import pytest

from softsym.errors import InputError
from softsym.regularize.regularizer import StrengthMap


def test_one_for_all_or_one_for_each():
    assert dict(StrengthMap(["a", "b"], 2)) == {"a": 2.0, "b": 2.0}
    given = StrengthMap(["a", "b"], {"b": 1.0, "a": 3})
    assert list(given.items()) == [("a", 3.0), ("b", 1.0)]
    assert repr(given) == "{'a': 3.0, 'b': 1.0}"
    assert len(given) == 2


def test_whole_numbers_become_floats():
    given = StrengthMap(["a"], 1.0)
    given["a"] = 3
    assert isinstance(given["a"], float)


@pytest.mark.parametrize("bad", [-1e-9, float("nan"), float("inf"), -float("inf"), "2", None, [1.0]])
def test_impossible_values(bad):
    given = StrengthMap(["a"], 1.0)
    with pytest.raises(InputError, match=r"the strength of a must be a number that is finite and at least 0, got "):
        given["a"] = bad
    assert given["a"] == 1.0


def test_keys_are_fixed():
    given = StrengthMap(["a", "b"], 1.0)
    with pytest.raises(InputError, match=r"unknown group 'c'; the groups are a, b"):
        given["c"] = 1.0
    with pytest.raises(InputError, match=r"a group cannot be removed; set its strength to 0"):
        del given["a"]
    with pytest.raises(InputError, match=r"`strength` lacks b; give one for each group or one number for all"):
        StrengthMap(["a", "b"], {"a": 1.0})
