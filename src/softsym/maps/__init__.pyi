from .infer import infer_reps as infer_reps
from .parameters import layer_of as layer_of
from .parameters import parameter_maps as parameter_maps
from .tensor_map import Axis as Axis
from .tensor_map import GivenReps as GivenReps
from .tensor_map import KnowsMaps as KnowsMaps
from .tensor_map import KnowsRepresentations as KnowsRepresentations
from .tensor_map import MapValue as MapValue
from .tensor_map import Proposal as Proposal
from .tensor_map import TensorMap as TensorMap
from .tensor_map import as_array as as_array
from .tensor_map import incoming as incoming
from .tensor_map import linear_parameters as linear_parameters
from .tensor_map import map_values as map_values
from .tensor_map import outgoing as outgoing

__all__: list[str]
