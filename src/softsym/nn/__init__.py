"""Networks of the paper and its baselines, one per file, and the layers they are made of."""

from softsym.nn.bilinear import Bilinear
from softsym.nn.emlp import EMLP
from softsym.nn.frame_averaging import FrameAveraged
from softsym.nn.gate import Gated, gated_rep
from softsym.nn.linear import EquivariantLinear
from softsym.nn.mixed import MixedEMLP
from softsym.nn.mlp import MLP
from softsym.nn.network import HasPrior, Network, count_parameters
from softsym.nn.rpp import RPP
from softsym.nn.scale_canonical import ScaleCanonical, soft_network
from softsym.nn.soft import SoftMLP

__all__ = [
    "EMLP",
    "MLP",
    "RPP",
    "Bilinear",
    "EquivariantLinear",
    "FrameAveraged",
    "Gated",
    "HasPrior",
    "MixedEMLP",
    "Network",
    "ScaleCanonical",
    "SoftMLP",
    "count_parameters",
    "gated_rep",
    "soft_network",
]
