"""softsym: which symmetries data have, how exactly, and networks that use each just as much as it holds."""

from softsym import groups, reps, spaces
from softsym.groups import (
    GL,
    O11,
    SE,
    SL,
    SO,
    SO13,
    SU,
    A,
    C,
    Cube,
    D,
    E,
    Group,
    Icosahedral,
    Lorentz,
    O,
    Octahedral,
    RubiksCube,
    S,
    Scaling,
    SO11p,
    SO13p,
    Sp,
    Translation,
    Trivial,
    U,
    Z,
    group,
)
from softsym.reps import Grid, Permutation, Rep, Scalar, T, Vector, hidden_rep, part_vector, rep
from softsym.spaces import EquivariantSpace, equivariant_maps, invariants

__version__ = "0.1.0.dev0"

__all__ = [
    "GL", "O11", "SE", "SL", "SO", "SO13", "SU", "A", "C", "Cube", "D", "E", "EquivariantSpace", "Grid", "Group",
    "Icosahedral", "Lorentz", "O", "Octahedral", "Permutation", "Rep", "RubiksCube", "S", "SO11p", "SO13p", "Scalar",
    "Scaling", "Sp", "T", "Translation", "Trivial", "U", "Vector", "Z", "equivariant_maps", "group", "groups",
    "hidden_rep", "invariants", "part_vector", "rep", "reps", "spaces",
]  # fmt: skip
