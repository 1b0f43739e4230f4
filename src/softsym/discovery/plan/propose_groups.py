"""Candidate groups that the data propose (``groups="auto"``)."""

from softsym.propose import Candidates, propose_candidates
from softsym.propose.propose_groups import MAX_CANDIDATES

AUTO = "auto"
"""Value of ``groups`` for candidates that the data propose."""

__all__ = ["AUTO", "MAX_CANDIDATES", "Candidates", "propose_candidates"]
