"""The public names of softsym, by subpackage: type checkers read this file, and the package loads each name from where it says.

A new public name is one more ``name as name`` here, and one in ``docs/api`` (a test tells).
"""
# ruff: noqa: I001
# fmt: off

from . import (
    datasets as datasets, discovery as discovery, gp as gp, groups as groups, inference as inference, maps as maps,
    metrics as metrics, nn as nn, regularize as regularize, reps as reps, spaces as spaces, training as training,
)
from .groups import (
    Group as Group, group as group,
    O as O, SO as SO, SL as SL, GL as GL, Scaling as Scaling, Sp as Sp, U as U, SU as SU,
    Lorentz as Lorentz, SO13 as SO13, SO13p as SO13p, O11 as O11, SO11p as SO11p,
    S as S, A as A, Z as Z, C as C, D as D, Cube as Cube, Octahedral as Octahedral, Icosahedral as Icosahedral,
    RubiksCube as RubiksCube, Trivial as Trivial,
    E as E, SE as SE, Translation as Translation,
)
from .reps import (
    Grid as Grid, Permutation as Permutation, Regular as Regular, Rep as Rep, Scalar as Scalar, T as T, Vector as Vector,
    hidden_rep as hidden_rep, rep as rep,
)
from .spaces import equivariant_maps as equivariant_maps, invariants as invariants
from .maps import infer_reps as infer_reps
from .regularize import EquivarianceRegularizer as EquivarianceRegularizer, strengths as strengths
from .metrics import equivariance_bound as equivariance_bound, equivariance_error as equivariance_error
from .gp import SoftEquivariantGP as SoftEquivariantGP
from .inference import evidence as evidence
from .propose import propose as propose
from .datasets import task as task
from .discovery import (
    SoftEquivariantClassifier as SoftEquivariantClassifier, SoftEquivariantRegressor as SoftEquivariantRegressor, load as load,
)

__version__: str
__all__: list[str]
