"""The main job: which symmetries data have, how exactly, and a model that uses each just as much as it holds."""

from softsym.discovery.classifier import SoftEquivariantClassifier
from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.discovery.snapping import Snapped
from softsym.discovery.storage import load
from softsym.discovery.symmetries import Symmetries, Symmetry

__all__ = [
    "Snapped", "SoftEquivariantClassifier", "SoftEquivariantRegressor", "Symmetries", "Symmetry", "load",
]  # fmt: skip
