"""How exact a symmetry is: of a function, of data, of a network's layers, and as a certificate."""

from typing import TYPE_CHECKING

from softsym.lazy import lazy
from softsym.measure.correlation import correlation  # at once: it has the name of its module

if TYPE_CHECKING:
    from softsym.measure.action import act
    from softsym.measure.bound import Bound, equivariance_bound
    from softsym.measure.error import data_error, equivariance_error, equivariance_errors, relative_error
    from softsym.measure.layers import WeightParts, layer_distances, weight_parts
    from softsym.measure.lie import LieError, lie_derivative_error

__all__ = [
    "Bound", "LieError", "WeightParts", "act", "correlation", "data_error", "equivariance_bound", "equivariance_error",
    "equivariance_errors", "layer_distances", "lie_derivative_error", "relative_error", "weight_parts",
]  # fmt: skip
__getattr__, __dir__ = lazy(
    __name__,
    {
        "action": "act",
        "bound": "Bound equivariance_bound",
        "error": "data_error equivariance_error equivariance_errors relative_error",
        "layers": "WeightParts layer_distances weight_parts",
        "lie": "LieError lie_derivative_error",
    },
)
