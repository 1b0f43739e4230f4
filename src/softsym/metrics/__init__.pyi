from .action import act as act
from .action import transforms as transforms
from .bound import Bound as Bound
from .bound import equivariance_bound as equivariance_bound
from .error import data_error as data_error
from .error import equivariance_error as equivariance_error
from .error import equivariance_errors as equivariance_errors
from .error import relative_error as relative_error
from .layers import WeightParts as WeightParts
from .layers import layer_distances as layer_distances
from .layers import weight_parts as weight_parts
from .lie import LieError as LieError
from .lie import lie_derivative_error as lie_derivative_error
from .violation import Violations as Violations

__all__: list[str]
