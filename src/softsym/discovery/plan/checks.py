"""Validation of the parameters of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np

from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.parallel import processes
from softsym.discovery.points import as_vectors, has_points
from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep, Scalar
from softsym.reps import rep as read_rep
from softsym.typing import Array

MODELS = ("auto", "linear", "gp", "network")
"""Values of the parameter ``model``: the best of all models, or one of them."""


def check_numbers(given: dict[str, Any], *, classes: bool) -> None:
    """Refuses invalid parameters.

    Args:
        given: The estimator's parameters.
        classes: Whether outputs are classes.
    """
    model, budget = given["model"], given["budget"]
    if model not in MODELS:
        raise InputError(f"unknown model {model!r}; pass one of {', '.join(MODELS)}")
    if classes and model not in ("auto", "network"):
        raise InputError(f"classes are learned by networks: pass model 'network' or 'auto', not {model!r}")
    if not isinstance(given["seeds"], int | np.integer) or given["seeds"] < 1:
        raise InputError(f"`seeds` must be a whole number of at least 1, got {given['seeds']!r}")
    if not 0 < given["held_out"] < 0.5:
        raise InputError(f"`held_out` must lie between 0 and 0.5, got {given['held_out']!r}")
    if budget is not None and not budget > 0:
        raise InputError(f"`budget` must be a positive number of seconds, got {budget!r}")
    if budget is not None and given["epochs"] is not None:
        raise InputError("pass `epochs` or `budget`, not both: a budget decides the epochs")
    processes(given["n_jobs"])


def make_shape(
    given: dict[str, Any], X: Array, Y: Array, groups: list[Group], *, classes: bool, free: bool
) -> Shape:
    """Representations and candidate groups of a fit.

    Args:
        given: The estimator's parameters.
        X: Inputs (n, columns).
        Y: Outputs (n, columns).
        groups: The candidates.
        classes: Whether outputs are classes.
        free: Whether every column is a scalar, because no group was proposed.
    """
    needed = ("rep_in",) if classes else ("rep_in", "rep_out")
    missing = [f"`{name}`" for name in needed if given[name] is None]
    if groups and missing:
        raise InputError(
            f"`groups` are given but not how columns transform: pass {' and '.join(missing)}, as in rep_in='5S + 5V', rep_out='T(2)'"
        )
    free = free or (not groups and has_points(given["rep_in"], given["rep_out"]))
    rep_in, rep_out = (
        values.shape[1] * Scalar if free or given[name] is None else _fitted(given[name])
        for name, values in (("rep_in", X), ("rep_out", Y))
    )
    shape = Shape.of(
        rep_in, rep_out, groups, None if given["largest"] is None else read_group(given["largest"])
    )
    for rep, values, name, what in ((rep_in, X, "rep_in", "X"), (rep_out, Y, "rep_out", "y")):
        size = rep.size(shape.largest)
        if size != values.shape[1]:
            raise InputError(
                f"{rep} under {shape.largest.name} has size {size}, {what} has {values.shape[1]} columns; "
                f"pass another `{name}`"
            )
    return shape


def _fitted(rep: Rep | str) -> Rep:
    """The representation of networks and kernels: points become vectors from the centre."""
    return as_vectors(rep) if has_points(rep) else read_rep(rep)
