"""softsym: which symmetries data have, how exactly, and networks that use each just as much as it holds.

Names are loaded when they are first used, so importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softsym import discovery, evidence, groups, maps, measure, nn, regularize, reps, spaces, tasks
    from softsym.discovery import SoftEquivariantClassifier, SoftEquivariantRegressor, load
    from softsym.evidence import SoftEquivariantGP, equivariant_lstsq
    from softsym.groups import (
        GL,
        O11,
        SE,
        SL,
        SO,
        SO13,
        SU,
        A,
        C,
        Cube,
        D,
        E,
        Group,
        Icosahedral,
        Lorentz,
        O,
        Octahedral,
        RubiksCube,
        S,
        Scaling,
        SO11p,
        SO13p,
        Sp,
        Translation,
        Trivial,
        U,
        Z,
        group,
    )
    from softsym.measure import (
        correlation,
        data_error,
        equivariance_bound,
        equivariance_error,
        layer_distances,
        lie_derivative_error,
    )
    from softsym.regularize import EquivarianceRegularizer, strengths
    from softsym.reps import Grid, Permutation, Rep, Scalar, T, Vector, hidden_rep, part_vector, rep
    from softsym.spaces import EquivariantSpace, equivariant_maps, invariants
    from softsym.tasks import task

__version__ = "0.1.0.dev0"

_ROOMS = {
    "groups": (
        "O SO SL GL Scaling Sp U SU Lorentz SO13 SO13p O11 SO11p S A Z C D Cube Octahedral Icosahedral RubiksCube Trivial "
        "E SE Translation Group group"
    ),
    "reps": "Grid Permutation Rep Scalar T Vector hidden_rep part_vector rep",
    "spaces": "EquivariantSpace equivariant_maps invariants",
    "maps": "",
    "nn": "",
    "regularize": "EquivarianceRegularizer strengths",
    "measure": "equivariance_error equivariance_bound lie_derivative_error data_error layer_distances correlation",
    "evidence": "SoftEquivariantGP equivariant_lstsq",
    "tasks": "task",
    "discovery": "SoftEquivariantClassifier SoftEquivariantRegressor load",
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = [
    "GL", "O11", "SE", "SL", "SO", "SO13", "SU", "A", "C", "Cube", "D", "E", "EquivarianceRegularizer", "EquivariantSpace",
    "Grid", "Group", "Icosahedral", "Lorentz", "O", "Octahedral", "Permutation", "Rep", "RubiksCube", "S", "SO11p",
    "SO13p", "Scalar", "Scaling", "SoftEquivariantClassifier", "SoftEquivariantGP",
    "SoftEquivariantRegressor", "Sp", "T", "Translation", "Trivial", "U", "Vector", "Z", "correlation", "data_error",
    "discovery", "equivariance_bound", "equivariance_error", "equivariant_lstsq", "equivariant_maps", "evidence", "group",
    "groups", "hidden_rep", "invariants",
    "layer_distances", "lie_derivative_error", "load", "maps", "measure", "nn", "part_vector", "regularize", "rep", "reps", "spaces",
    "strengths", "task", "tasks",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"softsym.{_HOME[name]}"), name)
    if name in _ROOMS:
        return importlib.import_module(f"softsym.{name}")
    raise AttributeError(f"module 'softsym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
