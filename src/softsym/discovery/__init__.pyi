from .classifier import SoftEquivariantClassifier as SoftEquivariantClassifier
from .invariants import InvariantFeatures as InvariantFeatures
from .invariants import invariant_features as invariant_features
from .judge.snap import Snapped as Snapped
from .judge.symmetries import Symmetries as Symmetries
from .judge.symmetries import Symmetry as Symmetry
from .ladder.boosting import boosted as boosted
from .registry import load as load
from .regressor import SoftEquivariantRegressor as SoftEquivariantRegressor

__all__: list[str]
