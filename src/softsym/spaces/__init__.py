"""Equivariant subspaces of linear maps: exact, block-structured and cached."""

from softsym.limits import at_most as at_most
from softsym.limits import cache_folder as cache_folder
from softsym.spaces.block_types import positions as positions
from softsym.spaces.packed import Packed as Packed
from softsym.spaces.packed import PackedBlock as PackedBlock
from softsym.spaces.solution import Evidence as Evidence
from softsym.spaces.solution import OrbitBasis as OrbitBasis
from softsym.spaces.solvers.solver import constraints as constraints
from softsym.spaces.space import EquivariantSpace as EquivariantSpace
from softsym.spaces.space import equivariant_maps as equivariant_maps
from softsym.spaces.space import forget as forget
from softsym.spaces.space import invariant_tensors as invariant_tensors
from softsym.spaces.space import invariants as invariants
