from .kernel_ridge import KernelRidge as KernelRidge
from .kernel_ridge import fit_kernel_ridge as fit_kernel_ridge
from .soft_gp import GPSymmetries as GPSymmetries
from .soft_gp import GPSymmetry as GPSymmetry
from .soft_gp import SoftEquivariantGP as SoftEquivariantGP

__all__: list[str]
