"""Cutting a representation into pieces of given sizes: the coordinates before and after a place, or several equal parts."""

from __future__ import annotations

from collections.abc import Sequence

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps.rep import Rep


def cut(rep: Rep, sizes: Sequence[int], group: Group) -> list[Rep]:
    """Consecutive pieces of a representation.

    Args:
        rep: The representation.
        sizes: Number of coordinates of each piece; they add up to all.
        group: Any group under which sizes are read.

    Example:
        >>> import softsym as ss
        >>> cut(ss.rep("5S + 5V"), [2, 6, 12], ss.group("O(3)"))
        [2S, 3S + V, 4V]
    """
    if sum(sizes) != rep.size(group):
        raise InputError(
            f"{rep} has {rep.size(group)} coordinates, which are not {' + '.join(map(str, sizes))}"
        )
    rest = [(copies, kind, kind.size(group)) for copies, kind in rep]
    pieces = []
    for size in sizes:
        terms = []
        while size:
            copies, kind, each = rest.pop(0)
            taken = min(copies, size // each) if each else copies
            if not taken:
                raise InputError(f"{rep} cannot be cut there: {kind} has {each} coordinates")
            terms.append((taken, kind))
            size -= taken * each
            if taken < copies:
                rest.insert(0, (copies - taken, kind, each))
        pieces.append(Rep(tuple(terms)))
    return pieces


def equal_part(rep: Rep, parts: int, group: Group) -> Rep:
    """The representation of which a given one is so many equal copies.

    Example:
        >>> import softsym as ss
        >>> equal_part(ss.rep("4S + 2V"), 1, ss.group("O(3)")), equal_part(ss.rep("S + V + S + V"), 2, ss.group("O(3)"))
        (4S + 2V, S + V)
    """
    problem = f"{rep} is not {parts} equal representations one after the other"
    try:
        pieces = cut(rep, [rep.size(group) // parts] * parts, group)
    except InputError as error:
        raise InputError(problem) from error
    if any(piece != pieces[0] for piece in pieces):
        raise InputError(problem)
    return pieces[0]
