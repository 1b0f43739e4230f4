"""What a symmetry is: matrix groups as immutable values, a catalogue of them, and their text form."""

from softsym.groups.affine import SE, E, Translation
from softsym.groups.classical import GL, O11, SL, SO, SO13, SU, Lorentz, O, Scaling, SO11p, SO13p, Sp, U
from softsym.groups.finite import A, C, Cube, D, Icosahedral, Octahedral, RubiksCube, S, Trivial, Z
from softsym.groups.generators import Generator
from softsym.groups.group import Group
from softsym.groups.parse import CATALOGUE, group
from softsym.groups.sampling import gaussian
from softsym.groups.several import joined, read_groups

__all__ = [
    "CATALOGUE", "GL", "O11", "SE", "SL", "SO", "SO13", "SU", "A", "C", "Cube", "D", "E", "Generator", "Group",
    "Icosahedral", "Lorentz", "O", "Octahedral", "RubiksCube", "S", "SO11p", "SO13p", "Scaling", "Sp",
    "Translation", "Trivial", "U", "Z", "gaussian", "group", "joined",
    "read_groups",
]  # fmt: skip
