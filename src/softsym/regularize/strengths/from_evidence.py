r"""Strengths from the evidence of the data, before any training.

:func:`softsym.evidence` estimates the relative violation :math:`a` of each group: the target function is the sum of an equivariant part
with the share :math:`1 - a^2` of its variance and a rest with the share :math:`a^2`. A strength is the precision of a Gaussian prior about
the equivariant space, so it is the ratio of the two,

.. math:: \lambda_k = \frac{1 - a_k^2}{a_k^2} ,

at the upper end of the confidence interval of :math:`a_k`: 99 at a violation of 0.1, 1 where both parts are equal, 0 where no symmetry is
left. A group whose exactness is less likely than its absence (log evidence below zero) is dropped.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softsym.errors import InputError

if TYPE_CHECKING:
    from softsym.inference import EvidenceRow

MAX_STRENGTH = 1e6
"""With this strength one proximal step of usual length ends in the equivariant space; it belongs to a violation of 0.001."""


@dataclass(frozen=True)
class Supported:
    """Strengths supported by the data; prints as a table.

    Args:
        strengths: The strength of each group, 0 for those that are dropped.
        violations: The upper end of the confidence interval of each group's violation.
        log_evidence: The log evidence of each group.
    """

    strengths: dict[str, float]
    violations: dict[str, float]
    log_evidence: dict[str, float]

    @property
    def selected(self) -> dict[str, float]:
        """The strengths of groups that are not dropped; train with these groups alone."""
        return {name: strength for name, strength in self.strengths.items() if strength}

    @property
    def kept(self) -> dict[str, float]:
        """Deprecated name of :attr:`selected`."""
        warnings.warn("kept is now selected", DeprecationWarning, stacklevel=2)
        return self.selected

    def order(self) -> list[str]:
        """All groups by their violations, the smallest first."""
        return sorted(self.violations, key=lambda name: self.violations[name])

    def __str__(self) -> str:
        lines = [f"{'strength':>8}  {'violation':>9}  {'log evidence':>12}  group"]
        for name in self.order():
            numbers = f"{self.strengths[name]:8.3g}  {self.violations[name]:9.2g}  {self.log_evidence[name]:12.1f}"
            lines.append(f"{numbers}  {name}" + ("" if self.strengths[name] else ", dropped"))
        return "\n".join(lines)


def from_evidence(table: Iterable[EvidenceRow]) -> Supported:
    """The strength of each group by the evidence of the training rows.

    Args:
        table: The result of :func:`softsym.evidence` on the training rows.

    Example:
        >>> import numpy as np, softsym as ss
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> Y = np.cross(X[:, :3], X[:, 3:]) + 0.05 * rng.standard_normal((200, 3))
        >>> supported = from_evidence(ss.evidence(X, Y, "2V", "V", ["O(3)", "SO(3)"]))
        >>> supported.order(), list(supported.selected)
        (['SO(3)', 'O(3)'], ['SO(3)'])
    """
    rows = list(table)
    if not rows:
        raise InputError("`table` has no rows: pass what softsym.evidence gives for some groups")
    return Supported(
        {row.name: _strength(row) for row in rows},
        {row.name: row.tolerance for row in rows},
        {row.name: row.log_evidence for row in rows},
    )


def _strength(row: EvidenceRow) -> float:
    if not row.log_evidence > 0 or row.verdict == "absent":  # also if it is not a number
        return 0.0
    return 1 / max(row.tolerance**2, 1 / (1 + MAX_STRENGTH)) - 1
