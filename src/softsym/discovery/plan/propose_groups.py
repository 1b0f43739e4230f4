"""Candidate groups that the data propose (``groups="auto"``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softsym.data.split import HELD_OUT, split_rows
from softsym.discovery.points import has_points, select_same_translations
from softsym.groups import Group, O, Trivial
from softsym.inference.verdict import LEAST_R2
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from softsym.inference.propose import Proposal

AUTO = "auto"
"""Value of ``groups`` for candidates that the data propose."""
MAX_CANDIDATES = 4
"""Largest number of candidates."""
WELL_FITTED = 0.9
"""Explained variance below which a proposal may lack rotations that the evidence, which fits equivariant functions, detects."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates for a fit.

    Args:
        groups: The candidates, proposed ones first.
        proposal: The whole proposal.
        usual: Those of them that the data did not propose, added because the proposal is uncertain.
    """

    groups: tuple[Group, ...]
    proposal: Proposal
    usual: tuple[Group, ...] = ()

    def describe(self) -> str:
        """The candidates in one sentence."""
        if not self.groups:
            reason = self.proposal.note or "no symmetry is sure enough"
            return f"the data propose no group: {reason}"
        proposed = [group.name for group in self.groups if group not in self.usual]
        words = f"the data propose {', '.join(proposed) or 'no group'}"
        if self.usual:
            usual = ", ".join(group.name for group in self.usual)
            words += f"; the model behind this explains only {self.proposal.explained:.0%}, so {usual} are judged too"
        return words


def propose_candidates(
    X: Array,
    Y: Array,
    rep_in: Rep | str,
    rep_out: Rep | str,
    seed: int = 0,
    *,
    fraction: float = HELD_OUT,
    duplicates: Index | None = None,
    row_groups: Index | None = None,
) -> Candidates:
    """The groups that data propose, largest first, those inside one another included: a part may hold where the whole does not.

    Rows that a fit with the same arguments keeps for the test are not looked at.

    Args:
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        seed: Seed of the fit.
        fraction: Share of the rows that is held out.
        duplicates: Labels that equal rows share.
        row_groups: Row groups (n,).

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> propose_candidates(X, np.cross(X[:, :3], X[:, 3:]), "2V", "V").describe()
        'the data propose SO(3)'
    """
    from softsym.inference.propose import propose

    parts = split_rows(X, fraction, seed, duplicates=duplicates, row_groups=row_groups)
    seen = np.sort(np.concatenate([parts.train, parts.val]))
    proposal = propose(X[seen], Y[seen], rep_in, rep_out, seed=seed)
    found = select_same_translations(proposal.groups) if has_points(rep_in, rep_out) else proposal.groups
    usual = _usual(proposal, read_rep(rep_in), X.shape[1]) if not has_points(rep_in, rep_out) else ()
    usual = usual[: max(0, MAX_CANDIDATES - len(found))]
    return Candidates((*found[:MAX_CANDIDATES], *usual), proposal, usual)


def _usual(proposal: Proposal, rep_in: Rep, size: int) -> tuple[Group, ...]:
    """Rotations and reflections, where the model behind the proposal fits poorly and no orthogonal group was proposed."""
    if not LEAST_R2 <= proposal.explained < WELL_FITTED or any(G.is_orthogonal for G in proposal.groups):
        return ()
    d = next((d for d in (2, 3) if rep_in.size(Trivial(d)) == size), None)
    if d is None:
        return ()
    return (O(2),) if d == 2 else (O(3), *(O(2).about(axis) for axis in "zyx"))
