import pytest

import softsym as ss
from softsym.inference.lattice import contains

INSIDE = [
    ("O(3)", "SO(3)"),
    ("O(3)", "O(2)@z"),
    ("SO(3)", "C(4)@x"),
    ("SL(2)", "SO(2)"),
    ("S(4)", "Z(4)"),
    ("O(3)", "O(3)"),
    ("C(10)", "C(5)"),
    ("C(12)", "C(4)"),
    ("Icosahedral()", "C(5)@(0,1,1.618033988749895)"),
    ("Octahedral()", "C(4)@z"),
]
OUTSIDE = [
    ("SO(3)", "O(3)"),
    ("O(2)@z", "O(2)@x"),
    ("SO(2)", "SL(2)"),
    ("SO(3)", "Scaling(3)"),
    ("O(3)", "O(2)"),
    ("SO(2)@z", "O(2)@z"),
    ("C(5)", "C(10)"),
    ("C(6)", "C(4)"),
    ("Icosahedral()", "Octahedral()"),
    ("Icosahedral()", "C(4)@z"),
    ("D(6)", "D(4)"),
]


@pytest.mark.parametrize(("large", "small"), INSIDE)
def test_inside(large, small):
    assert contains(ss.group(large), ss.group(small))


@pytest.mark.parametrize(("large", "small"), OUTSIDE)
def test_outside(large, small):
    assert not contains(ss.group(large), ss.group(small))


@pytest.mark.parametrize("n", [5, 6, 12])
def test_a_polygon_does_not_hold_the_circle(n):
    assert contains(ss.SO(2), ss.C(n))
    assert not contains(ss.C(n), ss.SO(2))
    assert not contains(ss.D(n), ss.O(2))


def test_generators_of_rotations_generate_the_others():
    both = ss.group("SO(2)@x | SO(2)@y")
    assert contains(both, ss.SO(3))
    assert contains(ss.Lorentz(), ss.group("SO(2)@4[1,2]")) or contains(ss.Lorentz(), ss.group("SO(2)@4[0,1]"))
