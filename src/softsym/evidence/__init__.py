"""What data say about their symmetries without a network.

The room itself is callable: ``softsym.evidence(X, Y, rep_in, rep_out, groups)`` is :func:`softsym.evidence.evidence.evidence`.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from softsym.evidence.detail import EvidenceDetail
from softsym.evidence.evidence import evidence
from softsym.evidence.kernels import Kernel
from softsym.evidence.least_squares import EquivariantLinear, equivariant_lstsq
from softsym.evidence.table import EvidenceRow, EvidenceTable
from softsym.lazy import lazy

if TYPE_CHECKING:
    from softsym.evidence.gp import SoftEquivariantGP, load

__all__ = [
    "EquivariantLinear", "EvidenceDetail", "EvidenceRow", "EvidenceTable", "Kernel", "SoftEquivariantGP", "equivariant_lstsq",
    "evidence", "load",
]  # fmt: skip
# A look at data takes no estimator, and so neither scikit-learn nor torch.
__getattr__, __dir__ = lazy(__name__, {"gp": "SoftEquivariantGP load"})


class _Room(ModuleType):
    """The package, which is also the function of its name: the contract has both ``ss.evidence(...)`` and the room."""

    __call__ = staticmethod(evidence)


sys.modules[__name__].__class__ = _Room
