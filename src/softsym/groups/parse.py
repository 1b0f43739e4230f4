"""The text form of groups.

::

    group   = product { "|" product }            joined: equivariant to both
    product = placed { "*" placed }              direct product
    placed  = atom [ "@" place ]                 O(2)@z, or O(2)@5[0,1]: coordinates 0 and 1 of R^5
    atom    = Name "(" [number] ")" | "Group(" name, generators ")" | "(" group ")"
"""

from __future__ import annotations

import ast
import difflib
import functools
from collections.abc import Callable

from softsym.errors import InputError
from softsym.groups import affine, classical, finite
from softsym.groups.group import AXES, Group
from softsym.text import Tokens

CATALOGUE: dict[str, Callable[..., Group]] = {
    constructor.__name__: constructor
    for constructor in (
        classical.O, classical.SO, classical.SL, classical.GL, classical.Scaling, classical.Sp, classical.U,
        classical.SU, classical.Lorentz, classical.SO13, classical.SO13p, classical.O11, classical.SO11p,
        finite.S, finite.A, finite.Z, finite.C, finite.D, finite.Cube, finite.Octahedral, finite.Icosahedral,
        finite.RubiksCube, finite.Trivial, affine.E, affine.SE, affine.Translation,
    )
}  # fmt: skip
NO_ARGUMENT = {"Lorentz", "SO13", "SO13p", "O11", "SO11p", "Cube", "Octahedral", "Icosahedral", "RubiksCube"}


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
    found = _joined(tokens)
    tokens.finish()
    return found


def _joined(tokens: Tokens) -> Group:
    found = _product(tokens)
    while tokens.accept("|"):
        found = found | _product(tokens)
    return found


def _product(tokens: Tokens) -> Group:
    found = _placed(tokens)
    while tokens.accept("*"):
        found = found * _placed(tokens)
    return found


def _placed(tokens: Tokens) -> Group:
    found = _atom(tokens)
    while tokens.accept("@"):
        if tokens.peek().isdigit():
            dim = tokens.integer()
            tokens.expect("[")
            found = found.embed(dim, tokens.integers("]"))
        elif tokens.peek() in AXES:
            found = found.about(tokens.take())
        else:
            tokens.fail("expected an axis x, y or z, or coordinates such as 5[0,1], after '@'")
    return found


def _atom(tokens: Tokens) -> Group:
    if tokens.accept("("):
        inner = _joined(tokens)
        tokens.expect(")")
        return inner
    name = tokens.peek()
    if name == "Group":
        return _literal(tokens)
    if name not in CATALOGUE:
        close = difflib.get_close_matches(name, CATALOGUE, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]}?" if close else ""
        tokens.fail(f"unknown group{hint} (known: {', '.join(CATALOGUE)})")
    tokens.take()
    tokens.expect("(")
    numbers = tokens.integers(")")
    wanted = 0 if name in NO_ARGUMENT else 1
    if len(numbers) != wanted:
        example = f"{name}()" if wanted == 0 else f"{name}(3)"
        raise InputError(
            f"group {tokens.text!r}: {name} takes {wanted} argument(s), as in {example}, got {len(numbers)}"
        )
    return CATALOGUE[name](*numbers)


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
    except ValueError:
        tokens.fail("expected Group('name', lie_algebra=[[[...]]], discrete=[[[...]]])")
    return Group.from_generators(fields.get("lie_algebra"), fields.get("discrete"), name=str(name))
