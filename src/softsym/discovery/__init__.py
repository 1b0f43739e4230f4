"""The main job: which symmetries data have, how exactly, and a model that uses each just as much as it holds."""

from softsym.discovery.classifier import SoftEquivariantClassifier
from softsym.discovery.judge.snap import Snapped
from softsym.discovery.judge.symmetries import Symmetries, Symmetry
from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.discovery.storage import load

__all__ = [
    "Snapped", "SoftEquivariantClassifier", "SoftEquivariantRegressor", "Symmetries", "Symmetry", "load",
]  # fmt: skip
