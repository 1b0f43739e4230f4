"""Things by name."""

import sys

import pytest

from softsym.errors import InputError
from softsym.registry import Registry


def roots():
    return Registry("root", {"square": "math:sqrt", "calendar": "this_module_is_not_there:x"})


def test_names_and_checks_import_nothing():
    found = roots()
    found.check("calendar")
    assert list(found) == ["square", "calendar"]
    assert len(found) == 2
    assert "calendar" in found
    assert "cubic" not in found
    assert "this_module_is_not_there" not in sys.modules
    with pytest.raises(ModuleNotFoundError):
        found["calendar"]


def test_unknown_names_are_refused_with_the_known_ones():
    for ask in (roots().check, roots().__getitem__):
        with pytest.raises(InputError, match="unknown root 'cubic'; pass one of square, calendar"):
            ask("cubic")


def test_a_thing_of_ones_own_comes_last_and_goes_again():
    found = roots()
    found.register("cubic", lambda x: x ** (1 / 3))
    assert found["cubic"](27.0) == pytest.approx(3.0)
    assert list(found)[-1] == "cubic"
    for name in ("cubic", "square"):
        with pytest.raises(InputError, match=f"there is a root called '{name}' already"):
            found.register(name, abs)
    found.forget("cubic")
    assert "cubic" not in found
