"""What a solver is: it knows which tensor types it can take, which it should, and finds their invariants.

A solver is one object in one file, ``SOLVER``. A new one is such a file and a line in the table of
:mod:`~softsym.spaces.solvers.auto`, where its place says when it is asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from softsym.groups import Group
from softsym.reps import TensorType
from softsym.spaces.limits import Cost
from softsym.spaces.solution import Solution


@dataclass(frozen=True)
class Applies:
    """Whether a solver applies to a tensor type, and why.

    Args:
        how: ``well`` if it is a good choice, ``if asked`` if it works but should be asked for by name, ``not`` if it cannot.
        why: The reason for the one, or against the other.
    """

    how: Literal["well", "if asked", "not"]
    why: str


class Solver(ABC):
    """Finds the invariants of one tensor type."""

    name: str
    """What it is asked for by, and what solutions and stored files say found them."""

    @abstractmethod
    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        """Whether it can take a tensor type under a group, and whether it should; quick against solving.

        Args:
            group: The group.
            tensor_type: The type, with at least one index.
            tol: Singular values up to this are to count as zero; None for exact generators.
        """

    @abstractmethod
    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """What :meth:`solve` takes, to an order of magnitude; asked only where it :meth:`applies`, and itself cheap."""

    @abstractmethod
    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """An orthonormal basis of the invariants, with its evidence; asked only where it :meth:`applies`."""


NO_TOLERANCE = Applies("not", "has no tolerance; pass solver='dense' with `tol`")
"""The answer of solvers that find exact invariants only."""
