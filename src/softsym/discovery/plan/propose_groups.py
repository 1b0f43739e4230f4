"""Candidate groups that the data propose, for estimators and commands that were given none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softsym.data.split import HELD_OUT, split_rows
from softsym.discovery.points import agreeing, has_points
from softsym.groups import Group, O, Trivial
from softsym.inference.verdict import LEAST_R2
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array, Index

if TYPE_CHECKING:
    from softsym.inference.propose import Proposal

AUTO = "auto"
"""What stands for candidates that the data propose."""
HANDFUL = 4
"""At most so many are judged and trained with."""
WELL_FITTED = 0.9
"""Share of the variance below which a proposal may have missed turns that evidence, which fits equivariant functions, would see."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What to go on with.

    Args:
        groups: At most a handful, proposed ones first.
        proposal: All that was proposed.
        usual: Those of them that the data did not propose, but that are worth a look.
    """

    groups: tuple[Group, ...]
    proposal: Proposal
    usual: tuple[Group, ...] = ()

    def words(self) -> str:
        """Which they are, in a sentence."""
        if not self.groups:
            reason = self.proposal.note or "no symmetry is sure enough"
            return f"the data propose no group: {reason}"
        proposed = [group.name for group in self.groups if group not in self.usual]
        words = f"the data propose {', '.join(proposed) or 'no group'}"
        if self.usual:
            usual = ", ".join(group.name for group in self.usual)
            words += f"; what they were fitted by explains only {self.proposal.explained:.0%}, so {usual} are judged too"
        return words


def candidates(
    X: Array,
    Y: Array,
    rep_in: Rep | str,
    rep_out: Rep | str,
    seed: int = 0,
    *,
    fraction: float = HELD_OUT,
    duplicates: Index | None = None,
    together: Index | None = None,
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
        together: Labels of rows that belong together.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> candidates(X, np.cross(X[:, :3], X[:, 3:]), "2V", "V").words()
        'the data propose SO(3)'
    """
    from softsym.inference.propose import propose

    parts = split_rows(X, fraction, seed, duplicates=duplicates, row_groups=together)
    seen = np.sort(np.concatenate([parts.train, parts.val]))
    proposal = propose(X[seen], Y[seen], rep_in, rep_out, seed=seed)
    found = agreeing(proposal.groups) if has_points(rep_in, rep_out) else proposal.groups
    usual = _usual(proposal, read_rep(rep_in), X.shape[1]) if not has_points(rep_in, rep_out) else ()
    usual = usual[: max(0, HANDFUL - len(found))]
    return Candidates((*found[:HANDFUL], *usual), proposal, usual)


def _usual(proposal: Proposal, rep_in: Rep, size: int) -> tuple[Group, ...]:
    """Turns and mirrors on coordinates, where the fit that proposes is poor and shows no turns: evidence sees further."""
    if not LEAST_R2 <= proposal.explained < WELL_FITTED or any(G.is_orthogonal for G in proposal.groups):
        return ()
    d = next((d for d in (2, 3) if rep_in.size(Trivial(d)) == size), None)
    if d is None:
        return ()
    return (O(2),) if d == 2 else (O(3), *(O(2).about(axis) for axis in "zyx"))
