"""Base kernels, and the ways to make one equivariant."""

from softsym.inference.kernels.averaged import Averaged
from softsym.inference.kernels.base import FAMILIES, GRID, Kernel, squares
from softsym.inference.kernels.canonicalised import Canonicalised
from softsym.inference.kernels.choice import equivariant_kernel
from softsym.inference.kernels.equivariant import EquivariantKernel, UnconstrainedKernel, repeated
from softsym.inference.kernels.kernel_blocks import NEGLIGIBLE, Block, nonzero_blocks, output_blocks
from softsym.inference.kernels.polynomial import Polynomial
from softsym.inference.kernels.ridge import SoftKernelRidge, soft_kernel_ridge

__all__ = [
    "FAMILIES",
    "GRID",
    "NEGLIGIBLE",
    "Averaged",
    "Block",
    "Canonicalised",
    "EquivariantKernel",
    "Kernel",
    "Polynomial",
    "SoftKernelRidge",
    "UnconstrainedKernel",
    "equivariant_kernel",
    "nonzero_blocks",
    "output_blocks",
    "repeated",
    "soft_kernel_ridge",
    "squares",
]  # fmt: skip
