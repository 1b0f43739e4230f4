"""The text form of representations."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.reps.parse_rep import SYNONYMS


@pytest.mark.parametrize(
    ("text", "rep"),
    [
        ("S", ss.Scalar),
        ("V", ss.Vector),
        ("V'", ss.Vector.dual),
        ("V''", ss.Vector),
        ("T(2)", ss.T(2)),
        ("T(1,2)", ss.T(1, 2)),
        ("5S+5V", 5 * ss.Scalar + 5 * ss.Vector),
        (" 2 * V ", 2 * ss.Vector),
        ("V*V'", ss.T(1, 1)),
        ("(S + V)'", ss.Scalar + ss.Vector.dual),
        ("2(S + V)", ss.Scalar + ss.Vector + ss.Scalar + ss.Vector),
        ("(S+V)*V", ss.Vector + ss.T(2)),
        ("T(0)", ss.Scalar),
        ("0", 0 * ss.Vector),
        ("0V + S", ss.Scalar),
        ("V[0]*V[1]'", ss.reps.part_vector(0) * ss.reps.part_vector(1).dual),
        ("Grid(2,3)", ss.Grid(2, 3)),
        ("Points([[1, 0], [0, 1]])", ss.Permutation([[1, 0], [0, 1]])),
        ("2Grid(2,2)*V", 2 * (ss.Grid(2, 2) * ss.Vector)),
        ("V + V", 2 * ss.Vector),
        ("V + S + V", ss.Vector + ss.Scalar + ss.Vector),
    ],
)
def test_texts(text, rep):
    assert ss.rep(text) == rep


def test_a_representation_is_returned_unchanged():
    assert ss.rep(ss.Vector) is ss.Vector


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"representation '': expected a representation \(known: S, V, V', .*\) at the end \(position 0\)"),
        ("W", r"representation 'W': expected a representation \(known: S, V, .*\) at 'W' \(position 0\)"),
        ("5S + 5X", "known: S, V, .* at 'X'"),
        ("5", "expected a representation .* at the end"),
        ("V +", "expected a representation .* at the end"),
        ("V V", "did not expect more at 'V'"),
        ("(V", r"expected '\)' at the end"),
        ("V)", r"did not expect more at '\)'"),
        ("T(2", r"expected '\)' at the end"),
        ("T(-1)", "expected a whole number at '-'"),
        ("T()", r"T takes T\(p\) or T\(p,q\); wrong number of arguments"),
        ("T(1,2,3)", r"T takes T\(p\) or T\(p,q\); wrong number of arguments"),
        ("Grid(1,1,1,1)", r"Grid takes Grid\(h,w\); wrong number of arguments"),
        ("Grid(0,2)", r"Grid takes one to three positive sizes, got Grid\(0,2\)"),
        ("V[x]", "expected a whole number at 'x'"),
        ("V[0", r"expected '\]' at the end"),
        ("Points([[1,2],[3]])", r"expected Points\(\[\[x, ...\], ...\]\) \(`points` must be numbers of shape"),
        ("Points(f())", r"expected Points\("),
        ("Points([[1, 1], [1, 1]])", "`points` contains the same point twice"),
        ("Points", r"expected Points\("),
        ("-V", "expected a representation .* at '-'"),
    ],
)
def test_bad_texts(text, message):
    with pytest.raises(InputError, match=message):
        ss.rep(text)


def test_not_a_text():
    with pytest.raises(InputError, match=r"a representation is a softsym.Rep or its text such as '5S \+ 5V', got list"):
        ss.rep([1])


def test_texts_are_accepted_where_representations_and_groups_are_expected():
    assert ss.Vector.size("O(3)") == 3
    assert ss.equivariant_maps("V", "T(2)", "SO(3)").dim == 1
    assert ss.hidden_rep(10, "O(2)@z").size("O(3)") == 10


@pytest.mark.parametrize(
    ("text", "meant"),
    [("vector", "V"), ("2v", "V"), ("stress", r"T\(2\)"), ("T2", r"T\(2\)"), ("V3", "3V"), ("2 vectrs", "V")],
)
def test_suggestions(text, meant):
    with pytest.raises(InputError, match=rf"did you mean {meant}\? \(known: .*; S is a number that no group changes"):
        ss.rep(text)


@pytest.mark.parametrize("meant", SYNONYMS.values())
def test_synonyms_can_be_read(meant):
    ss.rep(meant.partition(", ")[0])
