"""Tokens of the little languages of groups and representations."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import softsym as ss
from softsym.errors import InputError
from softsym.tokens import MAX_DEPTH, Tokens


def all_of(text):
    tokens, seen = Tokens(text, "group"), []
    while tokens.peek():
        seen.append(tokens.take())
    return seen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O(2)@z", ["O", "(", "2", ")", "@", "z"]),
        ("  5S + 12V'  ", ["5", "S", "+", "12", "V", "'"]),
        ("SO(3)|Scaling(3)", ["SO", "(", "3", ")", "|", "Scaling", "(", "3", ")"]),
        ("", []),
        ("   ", []),
    ],
)
def test_names_numbers_and_marks(text, expected):
    assert all_of(text) == expected


@given(st.text(alphabet="SOV()[],+*'@|0123456789 xz", max_size=40))
def test_every_character_but_blanks_is_in_some_token(text):
    if text.count("(") <= MAX_DEPTH:
        assert "".join(all_of(text)) == text.replace(" ", "")


def test_peeking_takes_nothing_and_the_end_stays_the_end():
    tokens = Tokens("V", "representation")
    assert tokens.peek() == tokens.peek() == tokens.take() == "V"
    assert tokens.take() == tokens.peek() == ""
    tokens.finish()


def test_numbers():
    assert Tokens("12 3", "group").integer() == 12
    assert Tokens(")", "group").integers(")") == []
    assert Tokens("1, 2,3]", "group").integers("]") == [1, 2, 3]
    with pytest.raises(InputError, match=r"group 'x': expected a whole number at 'x' \(position 0\)"):
        Tokens("x", "group").integer()
    with pytest.raises(InputError, match=r"expected a whole number at '\)'"):
        Tokens("1,)", "group").integers(")")


def test_failures_name_the_token_and_its_place():
    tokens = Tokens("O(3) extra", "group")
    for _ in range(4):
        tokens.take()
    with pytest.raises(InputError, match=r"group 'O\(3\) extra': did not expect more at 'extra' \(position 4\)"):
        tokens.finish()
    with pytest.raises(InputError, match="expected '\\(' at the end"):
        Tokens("", "group").expect("(")


def test_a_call_is_parsed_and_never_run():
    tokens = Tokens("Group('a)b', discrete=[[1, 2]]) | O(2)", "group")
    assert tokens.call(["discrete"]) == ("a)b", {"discrete": [[1, 2]]})
    assert tokens.take() == "|"
    for text in ("Group('open'", "Group(print())", "Group('a', more=1)", "Group(1, 2)", "'no call'"):
        assert Tokens(text, "group").call() is None


def test_brackets_without_end_are_refused():
    with pytest.raises(InputError, match="brackets in 101 brackets; at most 100 are read"):
        Tokens("(" * 101, "group")


def test_tuples_and_matrices():
    tokens = Tokens("@ (1, -2.5e-3) [[1,2],[3,4]] x", "group")
    tokens.take()
    assert tokens.numbers(")") == (1, -2.5e-3)
    assert tokens.numbers("]") == [[1, 2], [3, 4]]
    with pytest.raises(InputError, match="expected numbers at 'x'"):
        tokens.numbers(")")


@pytest.mark.parametrize("text", ["O(2)@z é | O(2)@x", "O(2)@z λ", "O(２)", "O(²)", "O(2) ∨ O(3)"])
def test_letters_of_other_alphabets_are_not_ignored(text: str) -> None:
    with pytest.raises(InputError, match="group"):
        ss.group(text)


def test_a_representation_does_not_end_at_a_foreign_letter() -> None:
    with pytest.raises(InputError, match="did not expect more at 'é'"):
        ss.rep("V é + S")


@pytest.mark.parametrize("text", ["O(" + "9" * 5000 + ")", "O(" + "9" * 13 + ")"])
def test_numbers_beyond_any_size_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="digits is too long"):
        ss.group(text)


def test_an_error_repeats_only_a_part_of_a_long_text() -> None:
    with pytest.raises(InputError) as caught:
        ss.rep("V + " * 20_000 + "?")
    assert len(str(caught.value)) < 500


def test_forty_thousand_summands_are_read_in_linear_time() -> None:
    rep = ss.rep("+".join(["S", "V"] * 20_000))
    assert len(rep.terms) == 40_000


@pytest.mark.parametrize("read", [ss.group, ss.rep])
@pytest.mark.parametrize(
    "text",
    [
        "O(2)@(" + "-" * 100_000 + "1,0,0)",
        "SO(2)@" + "[" * 20_000 + "]" * 20_000,
        "Group(" + "1+" * 100_000 + "1)",
        "Group(" + "-" * 10_000 + "1)",
        "Group('" + ")" * 50_000,
        "Group('a', discrete={[]: 1})",
        "Points(" + "-" * 10_000 + "1)",
        "Points({[]: 1})",
    ],
    ids=lambda text: text[:12],
)
def test_what_nests_too_deeply_is_refused_at_once(read, text) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert len(str(caught.value)) < 500


def test_an_axis_of_many_numbers_is_not_repeated() -> None:
    with pytest.raises(InputError, match="an axis is three finite numbers") as caught:
        ss.group("O(2)@(" + "1," * 10_000 + "1)")
    assert len(str(caught.value)) < 500


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.sampled_from(["T(2)", "V", "3S", "T(2,1)", "V*V'*V", "Grid(2,3)", "2V[0]*V[1]", "Points([[1.0], [2.0]])"]),
        min_size=1,
        max_size=300,
    )
)
def test_every_representation_that_can_be_written_can_be_read(terms):
    """Also those with more than a hundred brackets one after the other."""
    rep = ss.rep(" + ".join(terms))
    assert ss.rep(str(rep)) == rep


@pytest.mark.parametrize("name", ["a)b(", "it's", 'quo"ted', "back\\slash", "[", "new\nline"])
def test_names_of_groups_may_hold_brackets_and_quotes(name):
    group = ss.Group.from_generators(discrete=[[[0, 1], [1, 0]]], name=name)
    again = ss.group(f"O(2) | {group}")
    assert again == ss.O(2) | group
    assert again.name == f"O(2) | {name}"


def test_many_brackets_take_no_time():
    began = time.monotonic()
    for text in ("Points(" + ")" * 100_000, "Points(" + "[1]" * 50_000 + ")", "Group('a'" + ",()" * 50_000):
        with pytest.raises(InputError):
            ss.rep(text)
        with pytest.raises(InputError):
            ss.group(text)
    assert time.monotonic() - began < 5
