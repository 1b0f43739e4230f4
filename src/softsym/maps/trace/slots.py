r"""Representations that are not known yet.

What an axis carries is a list of parts one after the other, each an unknown (a :class:`Slot` of known size) or an unknown tensored with
something known, such as the pixels of a flattened image. Two axes that meet, in a residual connection say, carry the same: :func:`unify`
makes them so by binding unknowns to each other, cutting the larger one where sizes differ. What stays unknown may be proposed freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import Rep, Scalar
from softsym.reps.rep import cut


@dataclass(eq=False)
class Slot:
    """A representation of known size that is known, bound to others, or free.

    Args:
        size: Number of coordinates.
        rep: The representation, if it is known.
        bound: What it turned out to be made of.
        name: Where it first occurred.
        pointwise: Where each coordinate is changed by itself, which only permutations commute with.
        normed: Where coordinates are normed, which only permutations commute with, too, but breaks less.
    """

    size: int
    rep: Rep | None = None
    bound: Content | None = None
    name: str = ""
    pointwise: list[str] = field(default_factory=list)
    normed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Part:
    """A slot, tensored with something known (pixels, repetitions) if ``trail`` is given."""

    slot: Slot
    trail: Rep | None = None
    repeats: int = 1

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.slot.size * self.repeats


Content = tuple[Part, ...]


class DisagreementError(InputError):
    """Two axes that meet cannot carry the same."""


def fresh(size: int, name: str = "", rep: Rep | None = None) -> Content:
    """An axis of its own."""
    return (Part(Slot(size, rep, name=name)),)


def size_of(content: Content) -> int:
    """Number of coordinates."""
    return sum(part.size for part in content)


def resolved(content: Content) -> Content:
    """What an axis carries by what is known now: no part is bound to others."""
    found: list[Part] = []
    for part in content:
        if part.slot.bound is None:
            found.append(part)
            continue
        for inner in resolved(part.slot.bound):
            if part.trail is not None and inner.trail is not None:
                found.append(Part(inner.slot, inner.trail * part.trail, inner.repeats * part.repeats))
            else:
                found.append(Part(inner.slot, inner.trail or part.trail, inner.repeats * part.repeats))
    return tuple(found)


def tensored(content: Content, trail: Rep, repeats: int) -> Content:
    """Every coordinate repeated over something known, such as the pixels of an image."""
    return tuple(
        Part(p.slot, trail if p.trail is None else p.trail * trail, p.repeats * repeats)
        for p in resolved(content)
    )


def equal_parts(content: Content, count: int, group: Group) -> Content:
    """Makes an axis so many equal copies one after the other, and returns one of them."""
    size, rest = divmod(size_of(content), count)
    if rest:
        raise DisagreementError(f"{size_of(content)} coordinates are not {count} equal parts")
    one = fresh(size, content[0].slot.name)
    unify(content, one * count, group)
    return resolved(one)


def sliced(content: Content, start: int, stop: int, group: Group) -> Content:
    """The coordinates from one place to before another; slots are cut there."""
    whole = size_of(content)
    pieces = [(size, fresh(size)) for size in (start, stop - start, whole - stop)]
    unify(content, tuple(part for size, piece in pieces if size for part in piece), group)
    return resolved(pieces[1][1])


def unify(first: Content, second: Content, group: Group) -> None:
    """Makes two axes carry the same, or raises :class:`DisagreementError`.

    Args:
        first: The one.
        second: The other.
        group: Any of the groups, under which sizes are read.
    """
    a, b = list(resolved(first)), list(resolved(second))
    if size_of(first) != size_of(second):
        raise DisagreementError(f"{size_of(first)} coordinates meet {size_of(second)}")
    while a and b:
        if a[0].size == b[0].size:
            _bind(a.pop(0), b.pop(0), group)
        else:
            larger, smaller = (a, b) if a[0].size > b[0].size else (b, a)
            larger[:1] = _cut(larger[0], smaller[0].size, group)
        a, b = list(resolved(tuple(a))), list(resolved(tuple(b)))


def _bind(a: Part, b: Part, group: Group) -> None:
    """Makes two parts of one size the same."""
    if a.slot is b.slot and a.trail == b.trail:
        return
    if a.trail != b.trail:
        plain, other = (a, b) if a.trail is None else (b, a)
        if plain.trail is not None or (plain.slot.rep is None and _occurs(plain.slot, other)):
            raise DisagreementError(f"{a.size} coordinates that are laid out differently")
        if plain.slot.rep is not None:
            _match_known(plain.slot.rep, other, group)
            return
        _tie(plain.slot, (other,))
        return
    known = [slot for slot in (a.slot, b.slot) if slot.rep is not None]
    if len(known) == 2 and known[0].rep != known[1].rep:
        raise DisagreementError(f"{known[0].rep} meets {known[1].rep}")
    keep, go = (a.slot, b.slot) if a.slot.rep is not None else (b.slot, a.slot)
    _tie(go, (Part(keep),))


def _match_known(rep: Rep, other: Part, group: Group) -> None:
    """Divides something known by a trail: 3 Grid(8,8) is 3 scalars times Grid(8,8)."""
    assert other.trail is not None
    for candidate in (other.slot.rep, Scalar * other.slot.size):
        if candidate is not None and candidate * other.trail == rep:
            if other.slot.rep is None:
                other.slot.rep = candidate
            return
    raise DisagreementError(f"{rep} is not so many channels times {other.trail}")


def _tie(slot: Slot, content: Content) -> None:
    """Binds a free slot."""
    slot.bound = content
    for part in content:
        part.slot.pointwise.extend(where for where in slot.pointwise if where not in part.slot.pointwise)
        part.slot.normed.extend(where for where in slot.normed if where not in part.slot.normed)
        part.slot.name = part.slot.name or slot.name


def _cut(part: Part, size: int, group: Group) -> list[Part]:
    """Cuts a part after so many coordinates."""
    first, rest = divmod(size, part.repeats)
    if rest or not 0 < first < part.slot.size:
        raise DisagreementError(f"{part.size} coordinates cannot be cut after {size}")
    slot = part.slot
    sizes = [first, slot.size - first]
    reps: Sequence[Rep | None] = [None, None] if slot.rep is None else cut(slot.rep, sizes, group)
    pieces = [Slot(n, rep, name=slot.name) for n, rep in zip(sizes, reps, strict=True)]
    _tie(slot, tuple(map(Part, pieces)))
    return [Part(piece, part.trail, part.repeats) for piece in pieces]


def _occurs(slot: Slot, part: Part) -> bool:
    return part.slot is slot
