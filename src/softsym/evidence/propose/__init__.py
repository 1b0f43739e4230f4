"""Groups that data propose: generators from the null space of the Lie derivative, discrete elements, names, and how sure they are."""

from softsym.evidence.propose.proposal import Proposal, ProposalRow, ProposalTable
from softsym.evidence.propose.proposing import propose

__all__ = ["Proposal", "ProposalRow", "ProposalTable", "propose"]
