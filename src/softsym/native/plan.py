"""What a hidden layer computes, apart from its weights, in plain numbers.

Nothing here knows a group or a representation: whoever builds a layer (:func:`softsym.nn.bilinear.plan`) has turned them into places,
sizes and numbers of types. The one torch version (:mod:`softsym.nn.functional`) and the compiled one read the same values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Copies:
    """All copies of one type in the layer's representation.

    Args:
        places: (start, stop) of each run of copies.
        count: How many copies.
        size: Coordinates of a copy.
        shape: Size of each tensor index.
    """

    places: tuple[tuple[int, int], ...]
    count: int
    size: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Term:
    """Maps copies of type ``source`` to copies of type ``target`` through the first ``n`` copies of type ``through``.

    Types are numbered. ``axes`` is the order of the axes of ``through`` that makes it a matrix target x source; None if it is one
    as it is. ``weight_first`` says whether a mixed term multiplies by its weight before or after contracting. ``columns`` is n times
    the copies that are not scalars: how many columns a scaled or inner term has in its stacked weight.
    """

    source: int
    target: int
    through: int
    n: int
    axes: tuple[int, ...] | None
    weight_first: bool
    columns: int


@dataclass(frozen=True)
class Plan:
    """What a bilinear layer computes: x + scale W(x) x.

    Args:
        size: Size of the representation.
        types: The copies of each type.
        scalar: Number of the scalar type; None if there are no scalars.
        scaled: Terms from scalars.
        inner: Terms to scalars.
        mixed: All other terms.
        scale: What the terms are multiplied by.

    Example:
        >>> scalars, vectors = Copies(((0, 2),), 2, 1, ()), Copies(((2, 5),), 1, 3, (3,))
        >>> times = Term(source=0, target=1, through=1, n=1, axes=None, weight_first=True, columns=1)
        >>> Plan(5, (scalars, vectors), 0, (times,), (), (), 0.1).terms == (times,)
        True
    """

    size: int
    types: tuple[Copies, ...]
    scalar: int | None
    scaled: tuple[Term, ...]
    inner: tuple[Term, ...]
    mixed: tuple[Term, ...]
    scale: float

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms."""
        return self.scaled + self.inner + self.mixed

    @property
    def scalars(self) -> int:
        """The number of the scalar type, where there are terms from or to scalars."""
        assert self.scalar is not None  # such terms exist only where there are scalars
        return self.scalar


class Run(NamedTuple):
    """Consecutive values from ``start`` to ``stop``: ``copies`` of ``size`` coordinates with a gate each, or none that gate themselves."""

    start: int
    stop: int
    copies: int
    size: int


@dataclass(frozen=True)
class Gates:
    """What the nonlinearity computes: the first ``count`` channels are gates, in the order of the runs that need them.

    Args:
        count: How many gates.
        size: How many values.
        runs: Which values have gates.
    """

    count: int
    size: int
    runs: tuple[Run, ...]

    @property
    def gated(self) -> list[tuple[Run, int]]:
        """The runs that have gates, each with the number of its first gate."""
        pairs, first = [], 0
        for run in self.runs:
            if run.copies:
                pairs.append((run, first))
                first += run.copies
        return pairs
