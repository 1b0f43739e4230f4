"""The main job: which symmetries data have, how exactly, and a model that uses each just as much as it holds.

Names are loaded when they are first used: what needs no torch, such as :mod:`softsym.discovery.workspace`, waits for none.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softsym.discovery.classifier import SoftEquivariantClassifier
    from softsym.discovery.judge.snap import Snapped
    from softsym.discovery.judge.symmetries import Symmetries, Symmetry
    from softsym.discovery.registry import load
    from softsym.discovery.regressor import SoftEquivariantRegressor

__all__ = [
    "Snapped", "SoftEquivariantClassifier", "SoftEquivariantRegressor", "Symmetries", "Symmetry", "load",
]  # fmt: skip
_HOME = {
    "Snapped": "judge.snap",
    "SoftEquivariantClassifier": "classifier",
    "SoftEquivariantRegressor": "regressor",
    "Symmetries": "judge.symmetries",
    "Symmetry": "judge.symmetries",
    "load": "registry",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"softsym.discovery.{_HOME[name]}"), name)
    raise AttributeError(f"module 'softsym.discovery' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
