"""Base kernels, and the ways to make one equivariant."""

from softsym.evidence.kernels.averaged import Averaged
from softsym.evidence.kernels.base import FAMILIES, GRID, Kernel, squares
from softsym.evidence.kernels.blocks import NEGLIGIBLE, Block, nonzero_blocks, output_blocks
from softsym.evidence.kernels.choice import equivariant_kernel
from softsym.evidence.kernels.equivariant import EquivariantKernel, Plain, repeated
from softsym.evidence.kernels.framed import Framed
from softsym.evidence.kernels.polynomial import Polynomial
from softsym.evidence.kernels.ridge import SoftKernelRidge, soft_kernel_ridge

__all__ = [
    "FAMILIES", "GRID", "NEGLIGIBLE", "Averaged", "Block", "EquivariantKernel", "Framed", "Kernel", "Plain", "Polynomial",
    "SoftKernelRidge", "equivariant_kernel", "nonzero_blocks", "output_blocks", "repeated", "soft_kernel_ridge", "squares",
]  # fmt: skip
