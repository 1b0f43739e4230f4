"""Which parameter is which map: the representation on every axis of a weight, given or read off a module."""

from softsym.maps.families.linear import linear_parameters
from softsym.maps.infer import GivenReps, infer_reps, layer_of, parameter_maps
from softsym.maps.tensor_map import (
    Axis,
    KnowsMaps,
    KnowsRepresentations,
    MapValue,
    Proposal,
    TensorMap,
    as_array,
    incoming,
    map_values,
    outgoing,
)

__all__ = [
    "Axis",
    "GivenReps",
    "KnowsMaps",
    "KnowsRepresentations",
    "MapValue",
    "Proposal",
    "TensorMap",
    "as_array",
    "incoming",
    "infer_reps",
    "layer_of",
    "linear_parameters",
    "map_values",
    "outgoing",
    "parameter_maps",
]
