"""The text form of groups, and lists of them."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import softsym as ss
from softsym.errors import InputError
from softsym.groups import CATALOGUE, join_groups, read_groups
from softsym.groups.catalogue import SYNONYMS

PLANE = "O(2) SO(2) C(3) D(4) S(2) Z(2) Scaling(2) SL(2) GL(2) Sp(1) O11() Trivial(2) SE(1)"
MINE = ss.Group.from_generators(
    lie_algebra=[[[0, 1e-5], [-0.1, 0]]], discrete=[[[0, 1], [1, 0]]], name='odd) name\'s "x" \\ [y'
)
atoms = st.sampled_from([ss.group(text) for text in PLANE.split()] + [MINE])


def _combine(inner):
    pairs = st.tuples(inner, inner)
    joined = pairs.filter(lambda p: p[0].dim == p[1].dim).map(lambda p: p[0] | p[1])
    placed = inner.filter(lambda G: G.dim == 2).map(lambda G: G.about("y"))
    tilted = inner.filter(lambda G: G.dim == 2).map(lambda G: G.about((0.3, -1e-7, 2.0)))
    skewed = inner.filter(lambda G: G.dim <= 4).map(lambda G: G.conjugated(np.eye(G.dim) + np.eye(G.dim, k=1) / 3))
    embedded = inner.filter(lambda G: G.dim <= 4).map(lambda G: G.embed(G.dim + 1, range(G.dim, 0, -1)))
    return st.one_of(
        joined,
        placed,
        tilted,
        skewed,
        embedded,
        pairs.filter(lambda p: p[0].dim * p[1].dim <= 16).map(lambda p: p[0] * p[1]),
    )


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.recursive(atoms, _combine, max_leaves=4))
def test_any_combination_reads_back(G):
    again = ss.group(str(G))
    assert again == G
    assert str(again) == str(G)
    assert again.name == G.name


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("O(2)@z", ss.O(2).about("z")),
        (" SO( 3 )|Scaling(3) ", ss.SO(3) | ss.Scaling(3)),
        ("SO(3)*S(5)", ss.SO(3) * ss.S(5)),
        ("O(2)@5[0,3]", ss.O(2).embed(5, (0, 3))),
        ("O(2)@ (0.1, 0.7,-7e-1)", ss.O(2).about((0.1, 0.7, -0.7))),
        ("SO(2)@[[2, 0], [0, 1]] | Scaling(2)", ss.SO(2).conjugated([[2, 0], [0, 1]]) | ss.Scaling(2)),
        ("(SO(2) | C(4))@(1,1,0)", (ss.SO(2) | ss.C(4)).about((1, 1, 0))),
        ("((Lorentz()))", ss.Lorentz()),
        ("S(2) | Z(2) * Z(1)", ss.S(2) | (ss.Z(2) * ss.Z(1))),
        ("(S(2) | Z(2)) * Z(2)", (ss.S(2) | ss.Z(2)) * ss.Z(2)),
        ("Group('swap', discrete=[[[0, 1], [1, 0]]])", ss.Group.from_generators(discrete=[[[0, 1], [1, 0]]])),
    ],
)
def test_texts(text, group):
    assert ss.group(text) == group


def test_a_group_is_returned_as_it_is():
    G = ss.SO(3)
    assert ss.group(G) is G


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Foo(3)", r"group 'Foo\(3\)': unknown group.* \(known: O, SO, .*Trivial; each .*\) at 'Foo' \(position 0\)"),
        ("SO(3) | Fo(3)", r"unknown group.*known.* at 'Fo' \(position 7\)"),
        ("Octahedra()", "did you mean Octahedral?"),
        ("", "unknown group .* at the end"),
        ("SO(3", r"expected '\)' at the end"),
        ("(SO(3)", r"expected '\)' at the end"),
        ("SO(3))", r"did not expect more at '\)'"),
        ("SO 3", r"expected '\(' at '3'"),
        ("SO(-3)", "expected a whole number at '-'"),
        ("SO(3) |", "unknown group.* at the end"),
        ("SO()", r"SO takes 1 argument\(s\), as in SO\(3\), got 0"),
        ("SO(1,2)", r"SO takes 1 argument\(s\), as in SO\(3\), got 2"),
        ("Lorentz(4)", r"Lorentz takes 0 argument\(s\), as in Lorentz\(\), got 1"),
        ("O(2)@(1,2", "expected numbers at"),
        ("O(2)@[[1,x],[0,1]]", "expected numbers at"),
        ("O(2)@w", "expected an axis x, y or z, or coordinates such as .* at 'w'"),
        ("O(2)@5[0]", "`axes` must be 2 different coordinates in 0..4"),
        ("O(0)", r"O\(n\) needs n >= 1, got 0"),
        ("Group(3)", "has no generators"),
        ("Group('a', lie=[[[1]]])", r"expected Group\('name', lie_algebra="),
        ("Group('a', discrete=open('x'))", r"expected Group\('name', lie_algebra="),
        ("Group('a', discrete=[[[0]]])", "discrete generator 0 of group 'a' is singular"),
        ("Group('a'", r"expected Group\('name', lie_algebra="),
        ("SO(3) $ O(3)", r"did not expect more at '\$'"),
    ],
)
def test_bad_texts(text, message):
    with pytest.raises(InputError, match=message):
        ss.group(text)


def test_the_message_lists_every_known_group():
    with pytest.raises(InputError) as caught:
        ss.group("nothing(1)")
    assert all(name in str(caught.value) for name in CATALOGUE)


def test_not_a_text():
    with pytest.raises(InputError, match=r"a group is a softsym.Group or its text such as 'O\(2\)@z', got int"):
        ss.group(3)


def test_a_number_of_thousands_of_digits_is_refused_in_one_line():
    """Python itself refuses to read such numbers, in words of its own."""
    for text in (f"O({'9' * 5000})", f"O(2)@({'1' * 5000},0,0)", f"C({'7' * 100_000})"):
        with pytest.raises(InputError) as refused:
            ss.group(text)
        assert len(str(refused.value)) < 400
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("so3", "SO(3)"),
        ("rotation", "SO(3), rotations"),
        ("o(2)@Z", "O(2)@z"),
        ("so(4)", "SO(4)"),
        ("so3@x", "SO(2)@x"),
        ("lorentz", "Lorentz()"),
        ("cube(3)", "Cube()"),
        ("SO(3) | scalling(3)", "Scaling(3)"),
    ],
)
def test_suggestions(text, meant):
    pattern = rf"did you mean {re.escape(meant)}\? \(known: .* each with its dimension"
    with pytest.raises(InputError, match=pattern):
        ss.group(text)
    ss.group(meant.partition(", ")[0])  # the suggestion can be read


@pytest.mark.parametrize("meant", SYNONYMS.values())
def test_synonyms_can_be_read(meant):
    ss.group(meant.partition(", ")[0])


def test_lists_of_groups():
    assert read_groups("O(3)") == [ss.O(3)]
    assert read_groups(ss.O(3)) == [ss.O(3)]
    assert read_groups(["O(2)@z", ss.O(3)]) == [ss.O(2).about("z"), ss.O(3)]
    assert join_groups(read_groups(["O(2)@z", "SO(3)"])) == ss.O(2).about("z") | ss.SO(3)


def test_no_groups():
    with pytest.raises(InputError, match=r"pass at least one group, such as 'O\(3\)'"):
        read_groups([])


def test_groups_of_different_spaces():
    with pytest.raises(InputError, match=r"all groups must act on the same space, got O\(3\) on R\^3, O\(2\) on R\^2"):
        read_groups(["O(3)", "O(2)"])


def test_permutations_of_particles_among_groups_of_space_get_a_hint():
    with pytest.raises(InputError, match=r"write their columns as 5x\(S \+ V\), not 5S \+ 5V"):
        read_groups(["O(3)", "S(5)"])
    with pytest.raises(InputError, match=r"as 2x\(S \+ V\)"):
        read_groups(["S(2)", "O(3)"])


def test_a_group_that_is_given_twice_is_as_large_as_once():
    """Its generators are repeated; the space they define is the same."""
    once, twice = ss.group("O(2)@z"), join_groups(read_groups(["O(2)@z", "O(2)@z"]))
    assert len(twice.lie) == 2 * len(once.lie)
    assert ss.equivariant_maps("V", "T(2)", twice).dim == ss.equivariant_maps("V", "T(2)", once).dim
