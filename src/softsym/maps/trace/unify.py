r"""Type inference for axes: variables, substitution, unification.

The representation on an axis is a :data:`Term`: a direct sum whose summands are variables (:class:`Variable`, of known size), each
possibly tensored with a known representation such as the pixels of a flattened image. Two axes that meet, in a residual connection say,
carry the same representation: :func:`unify` binds variables so that both terms become equal, and splits the larger variable where sizes
differ. A variable that stays unbound may get any representation of its size.

An axis of a tensor (:class:`TracedAxis`) is *free* (the batch, a sequence: no group acts on it), a *pixel* axis (groups act on all pixel
axes together), a *channel* axis with a term, or *open*: unknown until a use decides. Axes of parameters, and of the outputs of functions
without a rule, start open.

Reference:
    A Machine-Oriented Logic Based on the Resolution Principle (Robinson, 1965), https://doi.org/10.1145/321250.321253
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import Rep, Scalar
from softsym.reps.rep import cut

Sign = Literal["out", "in"]


class TraceError(InputError):
    """Two axes that meet cannot carry the same representation, or the effect of a function on axes is not known."""


@dataclass(eq=False)
class Variable:
    """A representation of known size: known, bound to a term, or unknown."""

    size: int  # number of coordinates
    rep: Rep | None = None  # the representation, if it is known
    substitution: Term | None = None  # the term that replaces it, once it is bound
    # where a function acts on each coordinate by itself, and where coordinates are normalised; only permutations commute with that
    pointwise: list[str] = field(default_factory=list)
    normed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Summand:
    """A variable, tensored with a known representation of size ``repeats`` if ``factor`` is given."""

    variable: Variable
    factor: Rep | None = None
    repeats: int = 1

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.variable.size * self.repeats


Term = tuple[Summand, ...]


def new_variable(size: int, rep: Rep | None = None) -> Term:
    """The term of a new variable."""
    return (Summand(Variable(size, rep)),)


def term_size(term: Term) -> int:
    """Number of coordinates."""
    return sum(summand.size for summand in term)


def substitute(term: Term) -> Term:
    """Replaces bound variables by their substitutions, until none is left."""
    summands: list[Summand] = []
    for summand in term:
        if summand.variable.substitution is None:
            summands.append(summand)
            continue
        for inner in substitute(summand.variable.substitution):
            factor = inner.factor or summand.factor
            if summand.factor is not None and inner.factor is not None:
                factor = inner.factor * summand.factor
            summands.append(Summand(inner.variable, factor, inner.repeats * summand.repeats))
    return tuple(summands)


def tensor_product(term: Term, factor: Rep, repeats: int) -> Term:
    """A term tensored with a known representation of a given size, such as the pixels of an image."""
    return tuple(
        Summand(s.variable, factor if s.factor is None else s.factor * factor, s.repeats * repeats)
        for s in substitute(term)
    )


def split_evenly(term: Term, count: int, group: Group) -> Term:
    """Makes a term ``count`` equal copies, one after the other, and returns one of them."""
    size, rest = divmod(term_size(term), count)
    if rest:
        raise TraceError(f"{term_size(term)} coordinates are not {count} equal parts")
    part = new_variable(size)
    unify(term, part * count, group)
    return substitute(part)


def slice_term(term: Term, start: int, stop: int, group: Group) -> Term:
    """The coordinates from ``start`` to before ``stop``; variables are split there."""
    pieces = [(size, new_variable(size)) for size in (start, stop - start, term_size(term) - stop)]
    unify(term, tuple(summand for size, piece in pieces if size for summand in piece), group)
    return substitute(pieces[1][1])


def unify(first: Term, second: Term, group: Group) -> None:
    """Binds variables so that two terms become equal, or raises :class:`TraceError`; ``group`` gives the sizes."""
    a, b = list(substitute(first)), list(substitute(second))
    if term_size(first) != term_size(second):
        raise TraceError(f"{term_size(first)} coordinates meet {term_size(second)}")
    while a and b:
        if a[0].size == b[0].size:
            _unify_summands(a.pop(0), b.pop(0))
        else:
            larger, smaller = (a, b) if a[0].size > b[0].size else (b, a)
            larger[:1] = _split_summand(larger[0], smaller[0].size, group)
        a, b = list(substitute(tuple(a))), list(substitute(tuple(b)))


def _unify_summands(a: Summand, b: Summand) -> None:
    """Makes two summands of one size equal."""
    if a.variable is b.variable and a.factor == b.factor:
        return
    if a.factor != b.factor:
        bare, other = (a, b) if a.factor is None else (b, a)
        occurs = bare.variable is other.variable
        if bare.factor is not None or (bare.variable.rep is None and occurs):
            raise TraceError(f"{a.size} coordinates that are laid out differently")
        if bare.variable.rep is not None:
            _divide_known(bare.variable.rep, other)
            return
        _bind(bare.variable, (other,))
        return
    known = [variable for variable in (a.variable, b.variable) if variable.rep is not None]
    if len(known) == 2 and known[0].rep != known[1].rep:
        raise TraceError(f"{known[0].rep} meets {known[1].rep}")
    target, bound = (a.variable, b.variable) if a.variable.rep is not None else (b.variable, a.variable)
    _bind(bound, (Summand(target),))


def _divide_known(rep: Rep, other: Summand) -> None:
    """Divides a known representation by a factor: 3 Grid(8,8) is 3 scalars times Grid(8,8)."""
    assert other.factor is not None
    for candidate in (other.variable.rep, Scalar * other.variable.size):
        if candidate is not None and candidate * other.factor == rep:
            if other.variable.rep is None:
                other.variable.rep = candidate
            return
    raise TraceError(f"{rep} is not {other.variable.size} channels times {other.factor}")


def _bind(variable: Variable, term: Term) -> None:
    """Binds an unbound variable to a term."""
    variable.substitution = term
    for target in (summand.variable for summand in term):
        target.pointwise.extend(where for where in variable.pointwise if where not in target.pointwise)
        target.normed.extend(where for where in variable.normed if where not in target.normed)


def _split_summand(summand: Summand, size: int, group: Group) -> list[Summand]:
    """Splits a summand after so many coordinates."""
    variable = summand.variable
    first, rest = divmod(size, summand.repeats)
    if rest or not 0 < first < variable.size:
        raise TraceError(f"{summand.size} coordinates cannot be split after {size}")
    sizes = [first, variable.size - first]
    reps: Sequence[Rep | None] = [None, None] if variable.rep is None else cut(variable.rep, sizes, group)
    pieces = [Variable(n, rep) for n, rep in zip(sizes, reps, strict=True)]
    _bind(variable, tuple(map(Summand, pieces)))
    return [Summand(piece, summand.factor, summand.repeats) for piece in pieces]


@dataclass(eq=False)
class TracedAxis:
    """One axis of a tensor."""

    size: int  # its length
    role: Literal["free", "pixel", "channel", "open"] = "free"  # whether groups act on it, and how
    term: Term | None = None  # its representation, if it is a channel axis
    pixel: int = -1  # which pixel axis it is, if it is one
    sign: Sign = "out"  # whether it is on the side of outputs or, contracted with one, of inputs
    is_constant: bool = False  # whether it is of a constant tensor
    product: str = ""  # the elementwise product that it results from, until its entries are added up or used

    def channels(self) -> Term:
        """Its representation; an open axis becomes a channel axis with a new variable, a free one holds scalars."""
        if self.role == "open":
            self.assign(channel_axis(new_variable(self.size)))
        if self.role == "free":
            return new_variable(self.size, self.size * Scalar)
        if self.term is None:
            raise TraceError(f"an axis of {self.size} without a representation is used as channels")
        return self.term

    def assign(self, other: TracedAxis, sign: Sign = "out") -> None:
        """Gives an open axis the role of another one."""
        self.role, self.term, self.pixel, self.sign = other.role, other.term, other.pixel, sign


Layout = tuple[TracedAxis, ...]


def channel_axis(term: Term) -> TracedAxis:
    """An axis that carries a representation."""
    return TracedAxis(term_size(term), "channel", term)


def free_axis(size: int) -> TracedAxis:
    """An axis on which no group acts."""
    return TracedAxis(size)


def free_axes(shape: Sequence[int]) -> Layout:
    """Axes on which no group acts."""
    return tuple(map(free_axis, shape))


def open_axes(shape: Sequence[int], *, is_constant: bool = False) -> Layout:
    """Axes of unknown role."""
    return tuple(TracedAxis(size, "open", is_constant=is_constant) for size in shape)


def check_scalar(axis: TracedAxis, group: Group) -> None:
    """Makes the only number along an axis a scalar, or raises :class:`TraceError`."""
    if axis.size == 1 and axis.term is not None:
        unify(axis.term, new_variable(1, Scalar), group)


def pad_left(layout: Layout, length: int) -> Layout:
    """A layout of a given length, with free axes of size one in front, as in broadcasting."""
    return (*(free_axis(1) for _ in range(length - len(layout))), *layout)


def unify_axes(a: TracedAxis, b: TracedAxis, group: Group, sign: Sign = "out") -> TracedAxis:
    """Makes two axes of one length equal, or raises :class:`TraceError`; an open axis gets ``sign``, "in" if both are contracted."""
    if a.role == "open" and b.role == "open":
        a.assign(channel_axis(new_variable(a.size)))
    if a.role == "open":
        a.assign(b, sign)
        return b
    if b.role == "open":
        b.assign(a, sign)
        return a
    if {a.role, b.role} == {"free", "channel"}:  # scalars
        unify(a.channels(), b.channels(), group)
        return free_axis(a.size)
    if a.role != b.role or a.pixel != b.pixel:
        raise TraceError(f"a {a.role} axis meets a {b.role} axis")
    if a.term is not None and b.term is not None:
        unify(a.term, b.term, group)
    return a
