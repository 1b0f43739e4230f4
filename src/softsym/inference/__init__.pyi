from .evidence import evidence as evidence
from .least_squares import EquivariantLinear as EquivariantLinear
from .least_squares import equivariant_lstsq as equivariant_lstsq
from .randomization import RandomizationResult as RandomizationResult
from .randomization import randomization_test as randomization_test
from .verdict import ABSENT_ABOVE as ABSENT_ABOVE
from .verdict import TOLERANCE as TOLERANCE
from .verdict import EvidenceDetail as EvidenceDetail
from .verdict import EvidenceRow as EvidenceRow
from .verdict import EvidenceTable as EvidenceTable
from .verdict import Reason as Reason
from .verdict import Verdict as Verdict

__all__: list[str]
