"""The text form of representations.

::

    rep     = term { "+" term }                   order of coordinates
    term    = [copies] product
    product = factor { "*" factor }               tensor product
    factor  = primary { "'" }                     the dual
    primary = "S" | "V" | "V[i]" | "T(p)" | "T(p,q)" | "Grid(h,w)" | "Regular(" group ")" | "Points([[x, ...], ...])" | "(" rep ")"
              | "P" | "D"                         a point and a displacement: see :mod:`softsym.reps.points`
              | "U" | "Size"                      a vector at one size, and its size: see :mod:`softsym.reps.scaling`
"""

from __future__ import annotations

import ast
import difflib
import functools

from softsym.errors import InputError
from softsym.reps.permutation import Grid, Permutation, Regular
from softsym.reps.points import Arrow, Point
from softsym.reps.rep import Rep, Scalar, T, Vector, part_vector
from softsym.reps.scaling import Size, UnscaledVector
from softsym.text import Tokens

NAMED = {"S": Scalar, "P": Point, "D": Arrow, "U": UnscaledVector, "Size": Size}
MEANT = {
    "s": "S", "v": "V", "t": "T(2)", "p": "P", "d": "D", "scalar": "S", "scalars": "S", "number": "S", "vector": "V", "vectors": "V",
    "matrix": "T(2)", "tensor": "T(2)", "stress": "T(2)", "point": "P", "points": "P", "position": "P, or V from an origin that matters",
    "force": "V", "velocity": "V", "image": "Grid(8,8)", "grid": "Grid(8,8)", "spin": "V, which it is under turns",
    "axial": "V, which it is under turns", "pseudovector": "V, which it is under turns",
}  # fmt: skip
"""What people call columns, and how they are written."""
KNOWN = "S, V, V', V[i], T(p), T(p,q), P, D, Grid(h,w), Regular(group), Points([[...]])"


def rep(text: str | Rep) -> Rep:
    """Reads a representation from its text form; a representation is returned as it is.

    Example:
        >>> import softsym as ss
        >>> ss.rep("5S + 5V") == 5 * ss.Scalar + 5 * ss.Vector
        True
        >>> ss.rep("V*V'") == ss.T(1, 1)
        True
    """
    if isinstance(text, Rep):
        return text
    if not isinstance(text, str):
        raise InputError(
            f"a representation is a softsym.Rep or its text such as '5S + 5V', got {type(text).__name__}"
        )
    return _read(text)


@functools.lru_cache(maxsize=256)
def _read(text: str) -> Rep:
    tokens = Tokens(text, "representation")
    found = _sum(tokens)
    tokens.finish()
    return found


def _sum(tokens: Tokens) -> Rep:
    summands = [_term(tokens)]
    while tokens.accept("+"):
        summands.append(_term(tokens))
    return Rep(
        tuple(term for one in summands for term in one.terms)
    )  # at once: adding one by one copies all before it


def _term(tokens: Tokens) -> Rep:
    if not tokens.peek().isdigit():
        return _product(tokens)
    copies = tokens.integer()
    if copies == 0 and tokens.peek() in ("", "+", ")"):
        return Rep(())
    tokens.accept("*")
    return copies * _product(tokens)


def _product(tokens: Tokens) -> Rep:
    found = _factor(tokens)
    while tokens.accept("*"):
        found = found * _factor(tokens)
    return found


def _factor(tokens: Tokens) -> Rep:
    found = _primary(tokens)
    while tokens.accept("'"):
        found = found.dual
    return found


def _primary(tokens: Tokens) -> Rep:
    name = tokens.peek()
    if name in ("Grid", "T"):
        tokens.take()
        tokens.expect("(")
        numbers = tokens.integers(")")
        if len(numbers) not in ((1, 2, 3) if name == "Grid" else (1, 2)):
            tokens.fail(
                f"{name} takes {'Grid(h,w)' if name == 'Grid' else 'T(p) or T(p,q)'}; wrong number of arguments"
            )
        return Grid(*numbers) if name == "Grid" else T(*numbers)
    if name == "Points":
        return _points(tokens)
    if name == "Regular":
        tokens.take()
        return Regular(tokens.bracketed())
    if name in NAMED:
        tokens.take()
        return NAMED[name]
    if name not in ("V", "("):
        meant = _meant(name)
        hint = f"; did you mean {meant}?" if meant else ""
        tokens.fail(
            f"expected a representation{hint} (known: {KNOWN}; S is a number that no group moves, V a vector, T(2) a matrix, "
            "2S + 3V two numbers and three vectors)"
        )
    tokens.take()
    if name == "(":
        inner = _sum(tokens)
        tokens.expect(")")
        return inner
    if name == "V" and tokens.accept("["):
        index = tokens.integer()
        tokens.expect("]")
        return part_vector(index)
    return Vector


def _meant(name: str) -> str:
    """The representation that somebody may have meant, as it is written, or nothing.

    Example:
        >>> _meant("vector"), _meant("T2"), _meant("v3"), _meant("tensr"), _meant("Q")
        ('V', 'T(2)', '3V', 'T(2)', '')
    """
    letter, digits = name[:1].upper(), name[1:]
    if digits.isdigit() and letter in ("S", "V", "P", "T"):
        return f"T({digits})" if letter == "T" else f"{digits}{letter}"
    close = difflib.get_close_matches(name.lower(), MEANT, n=1, cutoff=0.75)
    return MEANT[close[0]] if close else ""


def _points(tokens: Tokens) -> Rep:
    call = tokens.call()
    try:
        if call is None or len(call.args) != 1 or call.keywords:
            raise ValueError
        return Permutation(ast.literal_eval(call.args[0]))
    except (ValueError, TypeError, MemoryError, RecursionError) as error:
        reason = f" ({error})" if isinstance(error, InputError) else ""
        tokens.fail(f"expected Points([[x, ...], ...]){reason}")
