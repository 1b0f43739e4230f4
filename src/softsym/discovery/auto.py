"""Candidate groups that the data propose, for estimators and commands that were given none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.evidence.propose import Proposal, propose
from softsym.groups import Group
from softsym.reps import Rep

Array = NDArray[np.float64]
AUTO = "auto"
"""What stands for candidates that the data propose."""
HANDFUL = 4
"""At most so many are judged and trained with."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What to go on with.

    Args:
        groups: At most a handful, exact ones first.
        proposal: All that was proposed.
    """

    groups: tuple[Group, ...]
    proposal: Proposal

    def words(self) -> str:
        """Which they are, in a sentence."""
        if not self.groups:
            reason = self.proposal.note or "no symmetry is sure enough"
            return f"the data propose no group: {reason}"
        return f"the data propose {', '.join(group.name for group in self.groups)}"


def candidates(X: Array, Y: Array, rep_in: Rep | str, rep_out: Rep | str, seed: int = 0) -> Candidates:
    """The groups that data propose, largest first, those inside one another included: a part may hold where the whole does not.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 6))
        >>> candidates(X, np.cross(X[:, :3], X[:, 3:]), "2V", "V").words()
        'the data propose SO(3)'
    """
    proposal = propose(X, Y, rep_in, rep_out, seed=seed)
    return Candidates(proposal.groups[:HANDFUL], proposal)
