"""What is equivariant: subspaces of linear maps, exact, block-structured and cached."""

from softsym.limits import at_most
from softsym.spaces.cache import cache_folder
from softsym.spaces.layout import positions
from softsym.spaces.packed import Packed, PackedBlock
from softsym.spaces.solution import Evidence, OrbitBasis
from softsym.spaces.solve import equivariant_maps, forget, invariant_tensors, invariants
from softsym.spaces.solvers.constraints import constraints
from softsym.spaces.space import EquivariantSpace

__all__ = [
    "EquivariantSpace", "Evidence", "OrbitBasis", "Packed", "PackedBlock", "at_most", "cache_folder", "constraints",
    "equivariant_maps", "forget",
    "invariant_tensors", "invariants", "positions",
]  # fmt: skip
