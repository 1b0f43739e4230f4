"""Several groups at once."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.groups import joined, read_groups


def test_groups():
    assert read_groups("O(3)") == [ss.O(3)]
    assert read_groups(ss.O(3)) == [ss.O(3)]
    assert read_groups(["O(2)@z", ss.O(3)]) == [ss.O(2).about("z"), ss.O(3)]
    assert joined(read_groups(["O(2)@z", "SO(3)"])) == ss.O(2).about("z") | ss.SO(3)


def test_no_groups():
    with pytest.raises(InputError, match=r"pass at least one group, such as 'O\(3\)'"):
        read_groups([])


def test_groups_of_different_spaces():
    with pytest.raises(
        InputError, match=r"all groups must act on the same space, got O\(3\) on R\^3, O\(2\) on R\^2"
    ):
        read_groups(["O(3)", "O(2)"])


def test_a_group_that_is_given_twice_is_as_large_as_once():
    """Its generators stand there twice: who wants them once passes it once."""
    once, twice = ss.group("O(2)@z"), joined(read_groups(["O(2)@z", "O(2)@z"]))
    assert len(twice.lie) == 2 * len(once.lie)
    assert ss.equivariant_maps("V", "T(2)", twice).dim == ss.equivariant_maps("V", "T(2)", once).dim
