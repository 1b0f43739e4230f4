from .classifier import SoftEquivariantClassifier as SoftEquivariantClassifier
from .config import NetworkConfig as NetworkConfig
from .exact import Projected as Projected
from .invariants import InvariantFeatures as InvariantFeatures
from .invariants import invariant_features as invariant_features
from .models.baselines import boosted as boosted
from .regressor import SoftEquivariantRegressor as SoftEquivariantRegressor
from .state import load as load
from .symmetries import Symmetries as Symmetries
from .symmetries import Symmetry as Symmetry

__all__: list[str]
