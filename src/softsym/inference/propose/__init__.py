"""Groups that data propose: generators from the null space of the Lie derivative, discrete elements, names, and how sure they are."""

from softsym.inference.propose.algebra.closure import angle
from softsym.inference.propose.matrix_action import actions, basis_of
from softsym.inference.propose.proposal import Proposal, ProposalRow, ProposalTable
from softsym.inference.propose.proposing import propose

__all__ = ["Proposal", "ProposalRow", "ProposalTable", "actions", "angle", "basis_of", "propose"]
