import pytest

from softsym.datasets.parse import Arguments
from softsym.errors import InputError


@pytest.mark.parametrize(
    ("text", "name", "variant", "options"),
    [
        ("inertia", "inertia", "", {}),
        (" inertia : Oz(2) ", "inertia", "Oz(2)", {}),
        ("golfball:wind=y, speed=5", "golfball", "", {"wind": "y", "speed": "5"}),
        ("motion:scale-aware,records=/a, b/c=d", "motion", "scale-aware", {"records": "/a, b/c=d"}),
        ("table_tennis:/x, y.npz,every=2", "table_tennis", "/x, y.npz", {"every": "2"}),
        ("cossim:SO(3),S(3)", "cossim", "SO(3),S(3)", {}),
        ("a:b=", "a", "", {"b": ""}),
    ],
)
def test_parts_of_a_text(text, name, variant, options):
    arguments = Arguments.read(text)
    assert (arguments.name, arguments.variant, dict(arguments.options)) == (name, variant, options)


def test_nothing_is_given_twice():
    with pytest.raises(InputError, match="task 'a:b=1,b=2': the option 'b' is given twice"):
        Arguments.read("a:b=1,b=2")


def test_what_is_not_expected():
    arguments = Arguments.read("a:v,b=1")
    arguments.only("b", "c")
    with pytest.raises(InputError, match="unknown option 'b'; a takes c"):
        arguments.only("c")
    with pytest.raises(InputError, match="unknown option 'b'; a takes none"):
        arguments.only()
    with pytest.raises(InputError, match="did not expect 'v'; pass options as key=value"):
        arguments.no_variant()
    Arguments.read("a:b=1").no_variant()


def test_choice_of_a_variant():
    known, aliases = ("first", "second"), {"two": "second"}
    assert Arguments.read("a").choose("first", known) == "first"
    assert Arguments.read("a:second").choose("first", known) == "second"
    assert Arguments.read("a:two").choose("first", known, aliases) == "second"
    with pytest.raises(
        InputError, match=r"unknown variant 'secnd'; did you mean second\? Known: first, second"
    ):
        Arguments.read("a:secnd").choose("first", known)


@pytest.mark.parametrize("text", ["x", "", "nan", "inf", "1e999"])
def test_numbers_are_finite(text):
    with pytest.raises(InputError, match="the option 'b' must be a number, got"):
        Arguments.read(f"a:b={text}").number("b", 0.0)


def test_numbers():
    arguments = Arguments.read("a:b=2.5,c=4")
    assert arguments.number("b", 0.0) == 2.5
    assert (arguments.integer("c", 0), arguments.integer("d", 7)) == (4, 7)
    with pytest.raises(InputError, match=r"the option 'b' must be a whole number, got '2.5'"):
        arguments.integer("b", 0)
