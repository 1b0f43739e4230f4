"""Which candidates a model is fitted with: those that the data can speak about. Verdicts are given on all of them.

Where moved data lie where there are none, likelihoods say nothing about a symmetry and rows gain nothing by it, but a model may follow it
all the same. What does not hold may still help a closed form with few rows: mixed with what holds it is often nearly a symmetry. So there
are two processes then, with and without it, and validation rows choose. Networks are trained without it, as their last stage would let
go of it anyway. A candidate that does not hold changes nothing then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from softsym.discovery.fit.member import Shape
from softsym.groups import Group, join_groups
from softsym.inference import EvidenceTable
from softsym.metrics.overlap import LOW_OVERLAP


def covered(groups: Sequence[Group], evidence: EvidenceTable | None) -> list[Group]:
    """The candidates without those of which the first look found that data hardly cover them.

    Args:
        groups: All candidates.
        evidence: The first look; all candidates are taken if it is None or empty.

    Example:
        >>> import softsym as ss
        >>> from softsym.inference import EvidenceRow
        >>> table = EvidenceTable([EvidenceRow("O(2)@x", "undecided", coverage=0.1), EvidenceRow("O(2)@z", "exact", coverage=0.9)])
        >>> [group.name for group in covered([ss.group("O(2)@x"), ss.group("O(2)@z")], table)]
        ['O(2)@z']
    """
    known = {row.name: row.coverage for row in evidence or ()}
    return [group for group in groups if not known.get(group.name, math.nan) < LOW_OVERLAP]


def holding(groups: Sequence[Group], evidence: EvidenceTable | None) -> list[Group]:
    """The candidates that are covered and that the first look has not found absent."""
    absent = {row.name for row in evidence or () if row.verdict == "absent"}
    return [group for group in covered(groups, evidence) if group.name not in absent]


def narrowed(shape: Shape, evidence: EvidenceTable | None) -> Shape:
    """The shape of networks: with the candidates that are covered and may hold, or with all if there are none of these.

    Gates and bilinear layers are those of the kept candidates together, unless a person has named another group for them.
    """
    kept = holding(shape.groups, evidence)
    if not kept or len(kept) == len(shape.groups):
        return shape
    largest = join_groups(kept) if shape.largest == join_groups(shape.groups) else shape.largest
    return replace(shape, groups=tuple(kept), largest=largest)
