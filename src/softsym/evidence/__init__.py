"""What data say about their symmetries without a network.

The room itself is callable: ``softsym.evidence(X, Y, rep_in, rep_out, groups)`` is :func:`softsym.evidence.evidence.evidence`.
"""

import sys
from types import ModuleType

from softsym.evidence.detail import EvidenceDetail
from softsym.evidence.evidence import evidence
from softsym.evidence.gp import SoftEquivariantGP, load
from softsym.evidence.kernels import Kernel
from softsym.evidence.least_squares import EquivariantLinear, equivariant_lstsq
from softsym.evidence.table import EvidenceRow, EvidenceTable

__all__ = [
    "EquivariantLinear", "EvidenceDetail", "EvidenceRow", "EvidenceTable", "Kernel", "SoftEquivariantGP", "equivariant_lstsq",
    "evidence", "load",
]  # fmt: skip


class _Room(ModuleType):
    """The package, which is also the function of its name: the contract has both ``ss.evidence(...)`` and the room."""

    __call__ = staticmethod(evidence)


sys.modules[__name__].__class__ = _Room
