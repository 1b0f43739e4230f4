"""A toy solver, to show what a new one takes."""

import numpy as np

import softsym as ss
from softsym.spaces.solution import Solution
from softsym.spaces.solvers.solver import Applies, Cost, Solver


class Lucky(Solver):
    """Knows the dot product, the one invariant of T(2) under rotations of space."""

    name = "lucky"

    def applies(self, group, tensor_type, tol=None):
        if group == ss.O(3) and str(tensor_type) == "T(2)":
            return Applies("well", "it is the dot product")
        return Applies("not", f"knows nothing of {tensor_type} under {group.name}")

    def cost(self, group, tensor_type):
        return Cost(9, 9)

    def solve(self, group, tensor_type, tol=None):
        return Solution(0.0, 0.0, np.inf, self.name, basis=np.eye(3).reshape(9, 1) / np.sqrt(3))


SOLVER = Lucky()
