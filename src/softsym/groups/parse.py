"""The text form of groups.

::

    group   = product { "|" product }            joined: equivariant to both
    product = placed { "*" placed }              direct product
    placed  = atom { "@" place }                 O(2)@z; O(2)@(0.1,0.7,0.7): about any axis; O(2)@5[0,1]: coordinates 0 and 1 of R^5;
                                                 SO(2)@[[2,0],[0,1]]: in another basis
    atom    = Name "(" [number] ")" | "Group(" name, generators ")" | "(" group ")"
"""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import re
from collections.abc import Callable

from softsym.errors import InputError
from softsym.groups import affine, classical, finite
from softsym.groups.group import AXES, Group
from softsym.text import Tokens

CATALOGUE: dict[str, Callable[..., Group]] = {
    name: getattr(module, name) for module in (classical, finite, affine) for name in module.__all__
}
"""Every named group, by what its text begins with."""


def group(text: str | Group) -> Group:
    """Reads a group from its text form; a group is returned as it is.

    Example:
        >>> import softsym as ss
        >>> ss.group("O(2)@z") == ss.O(2).about("z")
        True
        >>> ss.group("SO(3) | Scaling(3)").dim
        3
    """
    if isinstance(text, Group):
        return text
    if not isinstance(text, str):
        raise InputError(
            f"a group is a softsym.Group or its text such as 'O(2)@z', got {type(text).__name__}"
        )
    return _read(text)


@functools.lru_cache(maxsize=256)
def _read(text: str) -> Group:
    tokens = Tokens(text, "group")
    parsed = _joined(tokens)
    tokens.finish()
    return parsed


def _joined(tokens: Tokens) -> Group:
    joined = _product(tokens)
    while tokens.accept("|"):
        joined = joined | _product(tokens)
    return joined


def _product(tokens: Tokens) -> Group:
    product = _placed(tokens)
    while tokens.accept("*"):
        product = product * _placed(tokens)
    return product


def _placed(tokens: Tokens) -> Group:
    placed = _atom(tokens)
    while tokens.accept("@"):
        if tokens.peek().isdigit():
            dim = tokens.integer()
            tokens.expect("[")
            placed = placed.embed(dim, tokens.integers("]"))
        elif tokens.peek() in AXES:
            placed = placed.about(tokens.take())
        elif tokens.peek() == "(":
            placed = placed.about(tokens.numbers(")"))
        elif tokens.peek() == "[":
            placed = placed.conjugated(tokens.numbers("]"))
        else:
            tokens.fail(
                "expected an axis x, y or z, or coordinates such as 5[0,1], an axis (a,b,c) or a matrix, after '@'"
            )
    return placed


def _atom(tokens: Tokens) -> Group:
    if tokens.accept("("):
        inner = _joined(tokens)
        tokens.expect(")")
        return inner
    name = tokens.peek()
    if name == "Group":
        return _literal(tokens)
    if name not in CATALOGUE:
        meant = _meant(name, tokens.text[tokens.place :].lstrip()[len(name) :])
        hint = f"; did you mean {meant}?" if meant else ""
        tokens.fail(
            f"unknown group{hint} (known: {', '.join(CATALOGUE)}; each with its dimension: SO(3) are turns, O(3) has mirror images too, "
            "O(2)@z is about z)"
        )
    tokens.take()
    tokens.expect("(")
    numbers = tokens.integers(")")
    wanted = len(inspect.signature(CATALOGUE[name]).parameters)
    if len(numbers) != wanted:
        example = f"{name}()" if wanted == 0 else f"{name}(3)"
        raise InputError(
            f"group {tokens.text!r}: {name} takes {wanted} argument(s), as in {example}, got {len(numbers)}"
        )
    return CATALOGUE[name](*numbers)


WORDS = {
    "rotation": "SO(3), turns", "rotations": "SO(3), turns", "turn": "SO(3), turns", "turns": "SO(3), turns",
    "reflection": "O(1)@3[0], the mirror image x to -x", "mirror": "O(1)@3[0], the mirror image x to -x",
    "parity": "O(1)@3[0], the mirror image x to -x", "permutation": "S(3), all orders of three",
    "permutations": "S(3), all orders of three", "scale": "Scaling(3)", "dilation": "Scaling(3)", "shift": "Translation(3)",
    "shifts": "Translation(3)", "euclidean": "E(3)", "cyclic": "C(4), quarter turns", "dihedral": "D(4), the square's",
}  # fmt: skip
"""What people call groups, and how they are written."""
_BEHIND = re.compile(r"(?:\s*\(\s*([0-9]{0,3})\s*\))?(?:\s*@\s*([xyz])\b)?", re.IGNORECASE)
"""A dimension and an axis, behind a name."""


def _meant(name: str, behind: str = "") -> str:
    """The group that somebody may have meant, as it is written, or nothing.

    Args:
        name: What it was called.
        behind: The text behind the name.

    Example:
        >>> _meant("so3"), _meant("rotation"), _meant("Scalling"), _meant("lorentz"), _meant("nonsense")
        ('SO(3)', 'SO(3), turns', 'Scaling(3)', 'Lorentz()', '')
        >>> _meant("o", "(2)@Z")
        'O(2)@z'
    """
    if name.lower() in WORDS:
        return WORDS[name.lower()]
    known = {one.lower(): one for one in CATALOGUE}
    letters = name.lower().rstrip("0123456789")
    digits, axis = _BEHIND.match(behind).groups(default="")  # type: ignore[union-attr]
    if name.lower() in known:
        spelled = name.lower()
    elif letters in known:
        spelled, digits = letters, name[len(letters) :]
    else:
        spelled = next(iter(difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.6)), "")
    return _written(known[spelled], digits, axis.lower()) if spelled else ""


def _written(name: str, digits: str, axis: str) -> str:
    """A group of the catalogue as its text, with the dimension that was meant, or an example of one."""
    if not inspect.signature(CATALOGUE[name]).parameters:
        digits = ""
    elif axis and name in ("O", "SO"):
        digits = "2"  # about an axis
    else:
        digits = digits or "3"
    return f"{name}({digits})" + (f"@{axis}" if axis else "")


def _literal(tokens: Tokens) -> Group:
    """Reads ``Group('name', lie_algebra=[...], discrete=[...])`` without executing anything."""
    call = tokens.call()
    try:
        if call is None or len(call.args) != 1:
            raise ValueError
        name = ast.literal_eval(call.args[0])
        fields = {str(item.arg): ast.literal_eval(item.value) for item in call.keywords}
        if set(fields) - {"lie_algebra", "discrete"}:
            raise ValueError
    except (ValueError, TypeError, MemoryError, RecursionError):
        tokens.fail("expected Group('name', lie_algebra=[[[...]]], discrete=[[[...]]])")
    return Group.from_generators(fields.get("lie_algebra"), fields.get("discrete"), name=str(name))
