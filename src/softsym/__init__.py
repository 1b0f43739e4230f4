"""softsym: which symmetries data have, how exactly, and models that use each as much as it holds.

Names are loaded when they are first used; ``__init__.pyi`` lists them for type checkers and for this file.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import lazy_loader

__version__ = "0.1.0"
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_MOVED = {
    "EquivariantSpace": "spaces.EquivariantSpace",
    "data_error": "metrics.data_error",
    "equivariant_lstsq": "inference.equivariant_lstsq",
    "invariant_features": "discovery.invariant_features",
    "layer_distances": "metrics.layer_distances",
    "lie_derivative_error": "metrics.lie_derivative_error",
    "measure": "metrics",
    "native": "native",
    "part_vector": "reps.part_vector",
    "tasks": "datasets",
}
"""Names that left the top level after 0.1: they are found in their subpackage, and here with a warning for one release."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _load(name)
    if name not in _MOVED:
        raise AttributeError(f"module 'softsym' has no attribute {name!r}")
    place, _, attribute = _MOVED[name].partition(".")
    module = importlib.import_module(f"softsym.{place}")
    warnings.warn(f"softsym.{name} is now softsym.{_MOVED[name]}", DeprecationWarning, stacklevel=2)
    return getattr(module, attribute) if attribute else module
