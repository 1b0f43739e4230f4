"""The text form of representations.

::

    rep     = term { "+" term }                   order of coordinates
    term    = [copies] product
            | count "x" "(" rep ")"               equal particles, columns by quantity: 5x(S + V) has those of 5S + 5V
    product = factor { "*" factor }               tensor product
    factor  = primary { "'" }                     the dual
    primary = "S" | "V" | "V[i]" | "T(p)" | "T(p,q)" | "Grid(h,w)" | "Regular(" group ")" | "Points([[x, ...], ...])" | "(" rep ")"
              | "Sym(k)" | "Alt(k)" | "Sym0(k)"   tensors with a symmetry: see :mod:`softsym.reps.symmetric`
              | "p" primary                       pS, pV, pT(2), pSym(2): times the sign of the determinant; pS[i], pV[i] of a factor
              | "Quotient(" group " / " group ")" cosets of a subgroup
              | "P" | "D"                         a point and a displacement: see :mod:`softsym.reps.affine`
              | "U" | "Size"                      a normalised vector, and its size: see :mod:`softsym.reps.scaling`

Every term such as ``2x(V) + 5x(S + V)`` is a kind of particles of its own: a group O(3) * S(2) * S(5) acts on vectors, on the first and on
the second kind. Irreducible representations of O(3) are also read as e3nn writes them, as terms such as ``4x0e``, ``1o`` and ``2x2e``.
"""

from __future__ import annotations

import difflib
import functools
import re

from softsym.errors import InputError
from softsym.reps.affine import Displacement, Point
from softsym.reps.atoms import Particles, Sign
from softsym.reps.permutation import Grid, Permutation, Quotient, Regular
from softsym.reps.rep import Rep, Scalar, T, Vector, on_part, part_vector, pseudo, single
from softsym.reps.scaling import Size, UnscaledVector
from softsym.reps.symmetric import irrep, symmetry_power
from softsym.tokens import Tokens

NAMED = {"S": Scalar, "P": Point, "D": Displacement, "U": UnscaledVector, "Size": Size}
SYNONYMS = {
    **dict.fromkeys(("s", "scalar", "scalars", "number"), "S"),
    **dict.fromkeys(("v", "vector", "vectors", "force", "velocity"), "V"),
    **dict.fromkeys(("t", "matrix", "tensor", "stress"), "T(2)"),
    **dict.fromkeys(("p", "point", "points"), "P"),
    **dict.fromkeys(("image", "grid"), "Grid(8,8)"),
    **dict.fromkeys(
        ("spin", "axial", "pseudovector", "torque"), "pV, a vector that reflections leave alone along their axis"
    ),
    **dict.fromkeys(("pseudoscalar", "chirality"), "pS"),
    **dict.fromkeys(("symmetric", "strain"), "Sym(2)"),
    "d": "D",
    "position": "P, or V from an origin that matters",
}
"""Names that people use for columns, and how they are written."""
KNOWN = (
    "S, V, V', V[i], T(p), T(p,q), pS, pV, pT(p), Sym(k), Alt(k), Sym0(k), 2x1o, 5x(S + V), P, D, Grid(h,w), Regular(group), "
    "Quotient(group / subgroup), Points([[...]])"
)
PSEUDO = ("S", "V", "T", "D", "U", "Sym", "Alt", "Sym0")  # what can have a p in front
_IRREP = re.compile(r"x([0-9]+)([eo])|([eo])")


def rep(text: str | Rep) -> Rep:
    """Reads a representation from its text form; returns a representation unchanged.

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
        raise InputError(f"a representation is a softsym.Rep or its text such as '5S + 5V', got {type(text).__name__}")
    return _read(text)


@functools.lru_cache(maxsize=256)
def _read(text: str) -> Rep:
    tokens = Tokens(text, "representation")
    parsed = _sum(tokens)
    tokens.finish()
    return on_part(parsed, 0) if tokens.kinds else parsed


def _sum(tokens: Tokens) -> Rep:
    summands = [_term(tokens)]
    while tokens.accept("+"):
        summands.append(_term(tokens))
    # At once: adding one after the other copies all terms before each.
    return Rep(tuple(term for summand in summands for term in summand.terms))


def _term(tokens: Tokens) -> Rep:
    if not tokens.peek().isdigit():
        return _product(tokens)
    copies = tokens.integer()
    irreducible = _IRREP.fullmatch(tokens.peek())
    if irreducible:
        tokens.take()
        degree, parity, alone = irreducible.groups()
        return irrep(copies, alone) if alone else copies * irrep(int(degree), parity)
    if tokens.peek() == "x":
        tokens.take()
        tokens.expect("(")
        kind = tokens.kinds = tokens.kinds + 1
        inner = _sum(tokens)
        tokens.expect(")")
        if tokens.kinds > kind or copies < 1:
            tokens.fail("expected a positive number of particles without particles in them")
        return single(Particles(copies, kind)) * on_part(inner, 0)
    if copies == 0 and tokens.peek() in ("", "+", ")"):
        return Rep(())
    tokens.accept("*")
    return copies * _product(tokens)


def _product(tokens: Tokens) -> Rep:
    product = _factor(tokens)
    while tokens.accept("*"):
        product = product * _factor(tokens)
    return product


def _factor(tokens: Tokens) -> Rep:
    factor = _primary(tokens)
    while tokens.accept("'"):
        factor = factor.dual
    return factor


def _primary(tokens: Tokens) -> Rep:
    name = tokens.peek()
    if name[:1] != "p" or name[1:] not in PSEUDO:
        return _named(tokens, name)
    inner = _named(tokens, name[1:])
    if name == "pS" and tokens.accept("["):
        index = tokens.integer()
        tokens.expect("]")
        return single(Sign(index))
    return pseudo(inner)


def _named(tokens: Tokens, name: str) -> Rep:
    if name in ("Sym", "Alt", "Sym0"):
        tokens.take()
        tokens.expect("(")
        order = tokens.integer()
        inner = _sum(tokens) if tokens.accept(",") else Vector
        tokens.expect(")")
        return symmetry_power(name, order, inner)
    if name in ("Grid", "T"):
        tokens.take()
        tokens.expect("(")
        numbers = tokens.integers(")")
        if len(numbers) not in ((1, 2, 3) if name == "Grid" else (1, 2)):
            usage = "Grid(h,w)" if name == "Grid" else "T(p) or T(p,q)"
            tokens.fail(f"{name} takes {usage}; wrong number of arguments")
        return Grid(*numbers) if name == "Grid" else T(*numbers)
    if name == "Points":
        return _points(tokens)
    if name == "Regular":
        tokens.take()
        return Regular(tokens.bracketed())
    if name == "Quotient":
        tokens.take()
        whole, slash, subgroup = tokens.bracketed().partition("/")
        if not slash:
            tokens.fail("expected Quotient(group / subgroup)")
        return Quotient(whole, subgroup)
    if name in NAMED:
        tokens.take()
        return NAMED[name]
    if name not in ("V", "("):
        suggestion = _suggest(name)
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        tokens.fail(
            f"expected a representation{hint} (known: {KNOWN}; S is a number that no group changes, V a vector, T(2) a matrix, "
            "2S + 3V two numbers and three vectors)"
        )
    tokens.take()
    if name == "(":
        inner = _sum(tokens)
        tokens.expect(")")
        return inner
    if tokens.accept("["):
        index = tokens.integer()
        tokens.expect("]")
        return part_vector(index)
    return Vector


def _suggest(name: str) -> str:
    """The representation that an unknown name may mean, as it is written, or nothing."""
    letter, digits = name[:1].upper(), name[1:]
    if digits.isdigit() and letter in ("S", "V", "P", "T"):
        return f"T({digits})" if letter == "T" else f"{digits}{letter}"
    close = difflib.get_close_matches(name.lower(), SYNONYMS, n=1, cutoff=0.75)
    return SYNONYMS[close[0]] if close else ""


def _points(tokens: Tokens) -> Rep:
    call = tokens.call()
    if call is None:
        tokens.fail("expected Points([[x, ...], ...])")
    try:
        return Permutation(call[0])
    except InputError as error:
        tokens.fail(f"expected Points([[x, ...], ...]) ({error})")
