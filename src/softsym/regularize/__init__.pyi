from . import strengths as strengths
from .regularizer import EquivarianceRegularizer as EquivarianceRegularizer
from .sample import GroupAugmentation as GroupAugmentation
from .sample import JacobianPenalty as JacobianPenalty
from .sample import SamplePenalty as SamplePenalty

__all__: list[str]
