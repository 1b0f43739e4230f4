from .classifier import SoftEquivariantClassifier as SoftEquivariantClassifier
from .invariants import InvariantFeatures as InvariantFeatures
from .invariants import invariant_features as invariant_features
from .judge.project import Projected as Projected
from .judge.symmetries import Symmetries as Symmetries
from .judge.symmetries import Symmetry as Symmetry
from .load_model import load as load
from .models.boosting import boosted as boosted
from .network_config import NetworkConfig as NetworkConfig
from .regressor import SoftEquivariantRegressor as SoftEquivariantRegressor

__all__: list[str]
