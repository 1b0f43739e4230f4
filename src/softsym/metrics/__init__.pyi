from .bound import Bound as Bound
from .bound import WeightParts as WeightParts
from .bound import equivariance_bound as equivariance_bound
from .bound import layer_distances as layer_distances
from .bound import weight_parts as weight_parts
from .equivariance import LieError as LieError
from .equivariance import Violations as Violations
from .equivariance import data_error as data_error
from .equivariance import equivariance_error as equivariance_error
from .equivariance import equivariance_errors as equivariance_errors
from .equivariance import lie_derivative_error as lie_derivative_error
from .equivariance import relative_error as relative_error
from .normalisation import SURVIVING as SURVIVING
from .normalisation import TRAJECTORY as TRAJECTORY
from .normalisation import fit_normalisation as fit_normalisation
from .normalisation import measure_break as measure_break
from .transform import OrbitOverlap as OrbitOverlap
from .transform import act as act
from .transform import orbit_overlap as orbit_overlap
from .transform import transforms as transforms

__all__: list[str]
