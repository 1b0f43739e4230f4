from .detail import EvidenceDetail as EvidenceDetail
from .evidence import evidence as evidence
from .evidence_table import EvidenceRow as EvidenceRow
from .evidence_table import EvidenceTable as EvidenceTable
from .gp import SoftEquivariantGP as SoftEquivariantGP
from .gp import load as load
from .kernels import GRID as GRID
from .kernels import Kernel as Kernel
from .kernels import soft_kernel_ridge as soft_kernel_ridge
from .least_squares import EquivariantLinear as EquivariantLinear
from .least_squares import equivariant_lstsq as equivariant_lstsq
from .verdict import ABSENT_ABOVE as ABSENT_ABOVE
from .verdict import TOLERANCE as TOLERANCE

__all__: list[str]
