"""What is equivariant: subspaces of linear maps, exact, block-structured and cached."""

from softsym.spaces.cache import cache_folder
from softsym.spaces.invariants import invariants_of_type
from softsym.spaces.layout import positions
from softsym.spaces.packed import Packed, PackedBlock
from softsym.spaces.solution import DenseBasis, Evidence, OrbitBasis, Solution
from softsym.spaces.space import EquivariantSpace, equivariant_maps, invariant_tensors, invariants

__all__ = [
    "DenseBasis", "EquivariantSpace", "Evidence", "OrbitBasis", "Packed", "PackedBlock", "Solution", "cache_folder",
    "equivariant_maps", "invariant_tensors", "invariants", "invariants_of_type", "positions",
]  # fmt: skip
