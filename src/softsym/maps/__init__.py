"""Which parameter is which map: the representation on every axis of a weight, and how that is read off a module."""

from softsym.maps.infer import infer_reps
from softsym.maps.linear import linear_parameters
from softsym.maps.proposal import Proposal
from softsym.maps.read import GivenReps, KnowsRepresentations, layer_of, parameter_maps
from softsym.maps.tensor_map import Axis, TensorMap, incoming, outgoing
from softsym.maps.values import KnowsMaps, MapValue, as_array, map_values

__all__ = [
    "Axis", "GivenReps", "KnowsMaps", "KnowsRepresentations", "MapValue", "Proposal", "TensorMap", "as_array", "incoming",
    "infer_reps", "layer_of", "linear_parameters", "map_values", "outgoing", "parameter_maps",
]  # fmt: skip
