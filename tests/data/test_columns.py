import numpy as np
import pytest

from softsym.data.columns import Header, choose, prediction_columns, quote
from softsym.errors import InputError

NAMES = ("id", "m1", "m2", "m3", "x1", "y1", "z1", "pos.x", "a,b", 'say "hi"', "w*", "wide", "p..q")
HEADER = Header("data.csv", NAMES)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("m1", ["m1"]),
        (" m1 , x1 ", ["m1", "x1"]),
        ("x1,m1", ["x1", "m1"]),
        ("m1..m3,x1..z1", ["m1", "m2", "m3", "x1", "y1", "z1"]),
        ("m1 .. m3", ["m1", "m2", "m3"]),
        ("m2..m2", ["m2"]),
        ("m*", ["m1", "m2", "m3"]),
        ("?1", ["m1", "x1", "y1", "z1"]),
        ("[xyz]1", ["x1", "y1", "z1"]),
        ("pos.x", ["pos.x"]),
        ('"a,b",m1', ["a,b", "m1"]),
        ('"say ""hi"""', ['say "hi"']),
        ("w*", ["w*"]),
        ("wi*", ["wide"]),
        ('"p..q"', ["p..q"]),
        ('"m1".."m3"', ["m1", "m2", "m3"]),
    ],
)
def test_selections(text, names):
    assert [NAMES[k] for k in HEADER.select(text, "--x-columns")] == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m4", r"--x-columns: data.csv has no column 'm4'; did you mean 'm3'\? Its columns are id, m1, m2"),
        ("nothing_like_it", r"has no column 'nothing_like_it'; Its columns are"),
        ("m1..m9", "has no column 'm9'"),
        ('"m*"', "has no column 'm\\*'"),
        ("m3..m1", r"column 'm1' comes before 'm3' in data.csv; write m1..m3"),
        ("q*", r"no column of data.csv matches 'q\*'; its columns are id"),
        ("m1,m1", "chooses the column 'm1' twice"),
        ("m1..m3,m2", "chooses the column 'm2' twice"),
        ("", "cannot read ''; write column names with commas"),
        (" ", "cannot read ' '"),
        ("m1,", "cannot read 'm1,'"),
        (",m1", "cannot read ',m1'"),
        ("m1,,m2", "cannot read 'm1,,m2'"),
        ("..m1", "cannot read '..m1'"),
        ("m1..", "cannot read 'm1..'"),
        ("m1..m2..m3", "cannot read"),
        ('"m1" m2', "cannot read"),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(InputError, match=message):
        HEADER.select(text, "--x-columns")


def test_many_columns_are_listed_shortened():
    header = Header("wide.csv", tuple(f"c{k}" for k in range(100)))
    with pytest.raises(InputError, match=r"c9, c10, \.\.\. c99 \(100 in all\)$"):
        header.select("frequency", "--y-columns")


def test_names_must_differ():
    with pytest.raises(InputError, match=r"the column name 'a' 2 times \(columns 1, 3\); give every column"):
        Header("data.csv", ("a", "b", "a"))


ABC = Header("data.csv", ("a", "b", "c"))


@pytest.mark.parametrize(
    ("x", "y", "need_y", "expected"),
    [
        ("a", "b", True, ([0], [1])),
        ("b", None, True, ([1], [0, 2])),
        (None, "b", True, ([0, 2], [1])),
        (None, None, False, ([0, 1, 2], [])),
        ("a", None, False, ([0], [])),
        ("a", "c", False, ([0], [2])),
        (None, "c", False, ([0, 1], [2])),
    ],
)
def test_inputs_and_outputs(x, y, need_y, expected):
    assert choose(ABC, x, y, need_y=need_y) == expected


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (None, None, r"data.csv: pass --x-columns or --y-columns or both .*; its columns are a, b, c"),
        ("a,b", "b", "column 'b' of data.csv is chosen by --x-columns and by --y-columns"),
        ("a..c", None, "no columns left for the outputs; pass --y-columns"),
        (None, "*", "no columns left for the inputs; pass --x-columns"),
    ],
)
def test_unclear_choices(x, y, message):
    with pytest.raises(InputError, match=message):
        choose(ABC, x, y, need_y=True)


def test_quoted_names_choose_exactly_these():
    assert [NAMES[k] for k in HEADER.select(quote(NAMES[::-1]), "--x-columns")] == list(NAMES[::-1])


def test_a_spread_never_hides_a_prediction():
    values, std = np.zeros((2, 3)), np.ones((2, 3))
    columns = prediction_columns(["e", "e_std", "e_std_"], values, std)
    assert list(columns)[:3] == ["e", "e_std", "e_std_"]
    assert len(columns) == 6
    assert [column.sum() for column in columns.values()] == [0, 0, 0, 2, 2, 2]
    assert list(prediction_columns(["e"], values, None)) == ["e"]


def test_one_column():
    header = Header("d.csv", ("day", "x1", "x2", "a,b"))
    assert header.select_one('"a,b"', "--row-groups") == 3
    with pytest.raises(InputError, match=r"--row-groups: 'x\*' chooses 2 columns of d.csv; name one"):
        header.select_one("x*", "--row-groups")
    with pytest.raises(InputError, match=r"--row-groups: d.csv has no column 'dai'; did you mean 'day'"):
        header.select_one("dai", "--row-groups")


def test_a_column_apart_is_of_the_rest_only_if_chosen():
    header = Header("d.csv", ("day", "x", "y"))
    assert choose(header, None, "y", need_y=True, apart=[0]) == ([1], [2])
    assert choose(header, "x", None, need_y=True, apart=[0]) == ([1], [2])
    assert choose(header, None, None, need_y=False, apart=[0]) == ([1, 2], [])
    assert choose(header, "day,x", None, need_y=True, apart=[0]) == ([0, 1], [2])
    with pytest.raises(InputError, match="no columns left for the outputs"):
        choose(header, "x,y", None, need_y=True, apart=[0])


def test_the_nearest_name_may_differ_in_its_case_alone():
    with pytest.raises(InputError, match=r"no column 'fx'; did you mean 'Fx'\?"):
        Header("d.csv", ("ax", "Fx")).select_one("fx", "--y-columns")
