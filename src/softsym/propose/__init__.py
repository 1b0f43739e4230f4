"""Groups that data propose: generators from the null space of the Lie derivative, discrete elements, names, and how sure they are."""

import sys
from types import ModuleType
from typing import Any

from softsym.propose.algebra import angle
from softsym.propose.proposal import Proposal, ProposalRow, ProposalTable
from softsym.propose.propose_groups import Candidates, propose, propose_candidates

__all__ = ["Candidates", "Proposal", "ProposalRow", "ProposalTable", "angle", "propose", "propose_candidates"]


class _CallablePackage(ModuleType):
    """``softsym.propose`` is the function, too: importing the package must not hide it."""

    def __call__(self, *args: Any, **options: Any) -> Proposal:
        return propose(*args, **options)


sys.modules[__name__].__class__ = _CallablePackage
