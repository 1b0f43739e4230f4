r"""Strengths from what the data say before anything is trained.

:func:`softsym.evidence` measures how large the part of a law is that a group does not leave alone: a violation :math:`a` splits it into
:math:`1 - a^2` with the symmetry and :math:`a^2` without. A strength is the width of a Gaussian prior about the equivariant space, so it is
taken from the ratio of the two,

.. math:: \lambda_k = \frac{1 - a_k^2}{a_k^2} ,

with the largest violation that the data allow: 99 at a violation of 0.1, 1 where both parts are as large, 0 where no symmetry is left. A
group whose exactness is less likely than its absence (log evidence below zero) is let go. Rows decide, not trainings: it takes seconds, and
a symmetry need not help by more than the noise of held-out rows to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from softsym.errors import InputError

MOST = 1e6
"""A strength with which one proximal step of any usual length ends in the equivariant space; a violation below 0.001 asks for no more."""


class Row(Protocol):
    """What is read of a row of :func:`softsym.evidence`."""

    @property
    def name(self) -> str:
        """The group."""

    @property
    def log_evidence(self) -> float:
        """How much more likely exact symmetry is than none."""

    @property
    def interval(self) -> tuple[float, float]:
        """Where its violation lies."""


@dataclass(frozen=True)
class Supported:
    """How strong each group may be, and why; prints as a table.

    Args:
        strengths: The strength of each group, 0 for those that are let go.
        violations: The largest violation of each that the data allow.
        log_evidence: Of each.
    """

    strengths: dict[str, float]
    violations: dict[str, float]
    log_evidence: dict[str, float]

    @property
    def kept(self) -> dict[str, float]:
        """The strengths of groups that are not let go; train with these groups alone."""
        return {name: strength for name, strength in self.strengths.items() if strength}

    def order(self) -> list[str]:
        """All groups by their violations: those that hold come first."""
        return sorted(self.violations, key=lambda name: self.violations[name])

    def __str__(self) -> str:
        lines = [f"{'strength':>8}  {'violation':>9}  {'log evidence':>12}  group"]
        for name in self.order():
            numbers = (
                f"{self.strengths[name]:8.3g}  {self.violations[name]:9.2g}  {self.log_evidence[name]:12.1f}"
            )
            lines.append(f"{numbers}  {name}" + ("" if self.strengths[name] else ", let go"))
        return "\n".join(lines)


def from_evidence(table: Iterable[Row]) -> Supported:
    """The strength of each group by the evidence of rows.

    Args:
        table: What :func:`softsym.evidence` gives for the training rows.

    Example:
        >>> import numpy as np, softsym as ss
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> Y = np.cross(X[:, :3], X[:, 3:]) + 0.05 * rng.standard_normal((200, 3))
        >>> found = from_evidence(ss.evidence(X, Y, "2V", "V", ["O(3)", "SO(3)"]))
        >>> found.order(), list(found.kept)
        (['SO(3)', 'O(3)'], ['SO(3)'])
    """
    rows = list(table)
    if not rows:
        raise InputError("`table` has no rows: pass what softsym.evidence gives for some groups")
    return Supported(
        {row.name: _strength(row) for row in rows},
        {row.name: row.interval[1] for row in rows},
        {row.name: row.log_evidence for row in rows},
    )


def _strength(row: Row) -> float:
    if not row.log_evidence > 0:  # nor if nobody could tell
        return 0.0
    return 1 / max(row.interval[1] ** 2, 1 / (1 + MOST)) - 1
