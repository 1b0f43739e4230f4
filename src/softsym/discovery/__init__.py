"""The main job: which symmetries data have, how exactly, and a model that uses each just as much as it holds."""

from typing import TYPE_CHECKING

from softsym.lazy import lazy

if TYPE_CHECKING:
    from softsym.discovery.classifier import SoftEquivariantClassifier
    from softsym.discovery.invariants import InvariantFeatures, invariant_features
    from softsym.discovery.judge.snap import Snapped
    from softsym.discovery.judge.symmetries import Symmetries, Symmetry
    from softsym.discovery.registry import load
    from softsym.discovery.regressor import SoftEquivariantRegressor

__all__ = [
    "InvariantFeatures", "Snapped", "SoftEquivariantClassifier", "SoftEquivariantRegressor", "Symmetries", "Symmetry",
    "invariant_features", "load",
]  # fmt: skip
__getattr__, __dir__ = lazy(
    __name__,
    {
        "classifier": "SoftEquivariantClassifier",
        "invariants": "InvariantFeatures invariant_features",
        "judge.snap": "Snapped",
        "judge.symmetries": "Symmetries Symmetry",
        "registry": "load",
        "regressor": "SoftEquivariantRegressor",
    },
)
