"""How a symmetry acts: representations as immutable values, their text form, and hidden representations."""

from softsym.reps.hidden import hidden_rep
from softsym.reps.parse import rep
from softsym.reps.permutation import Grid, Permutation, Regular
from softsym.reps.rep import Rep, Scalar, Segment, T, TensorType, Vector, part_vector

__all__ = [
    "Grid", "Permutation", "Regular", "Rep", "Scalar", "Segment", "T", "TensorType", "Vector", "hidden_rep", "part_vector", "rep",
]  # fmt: skip
