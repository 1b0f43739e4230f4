"""Candidate groups that the data propose (``groups="auto"``)."""

from softsym.propose import Candidates, propose_candidates

AUTO = "auto"
"""Value of ``groups`` for candidates that the data propose."""

__all__ = ["AUTO", "Candidates", "propose_candidates"]
