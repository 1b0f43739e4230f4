import pytest

import softsym as ss
from softsym.evidence.lattice import contains

INSIDE = [
    ("O(3)", "SO(3)"),
    ("O(3)", "O(2)@z"),
    ("SO(3)", "C(4)@x"),
    ("SL(2)", "SO(2)"),
    ("S(4)", "Z(4)"),
    ("O(3)", "O(3)"),
]
OUTSIDE = [
    ("SO(3)", "O(3)"),
    ("O(2)@z", "O(2)@x"),
    ("SO(2)", "SL(2)"),
    ("SO(3)", "Scaling(3)"),
    ("O(3)", "O(2)"),
    ("SO(2)@z", "O(2)@z"),
]


@pytest.mark.parametrize(("large", "small"), INSIDE)
def test_inside(large, small):
    assert contains(ss.group(large), ss.group(small))


@pytest.mark.parametrize(("large", "small"), OUTSIDE)
def test_outside(large, small):
    assert not contains(ss.group(large), ss.group(small))
