"""The public names of softsym, by room: type checkers read this file, and the package loads each name from where it says.

A new public name is one more ``name as name`` here, and one in ``docs/api`` (a test tells).
"""
# ruff: noqa: I001
# fmt: off

from softsym import (
    discovery as discovery, evidence as evidence, groups as groups, maps as maps, measure as measure, native as native, nn as nn,
    regularize as regularize, reps as reps, spaces as spaces, tasks as tasks,
)
from softsym.groups import (
    Group as Group, group as group,
    O as O, SO as SO, SL as SL, GL as GL, Scaling as Scaling, Sp as Sp, U as U, SU as SU,
    Lorentz as Lorentz, SO13 as SO13, SO13p as SO13p, O11 as O11, SO11p as SO11p,
    S as S, A as A, Z as Z, C as C, D as D, Cube as Cube, Octahedral as Octahedral, Icosahedral as Icosahedral,
    RubiksCube as RubiksCube, Trivial as Trivial,
    E as E, SE as SE, Translation as Translation,
)
from softsym.reps import (
    Grid as Grid, Permutation as Permutation, Regular as Regular, Rep as Rep, Scalar as Scalar, T as T, Vector as Vector,
    hidden_rep as hidden_rep, part_vector as part_vector, rep as rep,
)
from softsym.spaces import (
    EquivariantSpace as EquivariantSpace, equivariant_maps as equivariant_maps, invariants as invariants,
)
from softsym.maps import infer_reps as infer_reps
from softsym.regularize import EquivarianceRegularizer as EquivarianceRegularizer, strengths as strengths
from softsym.measure import (
    correlation as correlation, data_error as data_error, equivariance_bound as equivariance_bound,
    equivariance_error as equivariance_error, layer_distances as layer_distances, lie_derivative_error as lie_derivative_error,
)
from softsym.evidence import SoftEquivariantGP as SoftEquivariantGP, equivariant_lstsq as equivariant_lstsq
from softsym.evidence.propose import propose as propose
from softsym.tasks import task as task
from softsym.discovery import (
    SoftEquivariantClassifier as SoftEquivariantClassifier, SoftEquivariantRegressor as SoftEquivariantRegressor,
    invariant_features as invariant_features, load as load,
)

__version__: str
__all__: list[str]
