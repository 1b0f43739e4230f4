from .bilinear import Bilinear as Bilinear
from .emlp import EMLP as EMLP
from .emlp import RPP as RPP
from .emlp import MixedEMLP as MixedEMLP
from .frame_averaging import FrameAveraged as FrameAveraged
from .gate import Gated as Gated
from .gate import gated_rep as gated_rep
from .linear import EquivariantLinear as EquivariantLinear
from .network import HasPrior as HasPrior
from .network import Network as Network
from .network import count_parameters as count_parameters
from .scale_canonical import ScaleCanonical as ScaleCanonical
from .scale_canonical import soft_network as soft_network
from .soft import MLP as MLP
from .soft import SoftMLP as SoftMLP

__all__: list[str]
