"""Closed-form models, fitted to training rows: mean, equivariant least squares, Gaussian processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from softsym.discovery.models.gp_model import GaussianProcess, fit_gp_model
from softsym.discovery.models.protocol import GP, GP_SUPPORTED, GP_UNCONSTRAINED, LINEAR, MEAN, Model
from softsym.discovery.models.simple import fit_linear, fit_mean
from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import Rep, Scalar
from softsym.typing import Array, Index


@dataclass(frozen=True, eq=False)
class ClosedFormModels:
    """Fitted closed-form models.

    Args:
        models: Simplest first.
        refused: By name, why others could not be fitted.
        seconds: How long it took.
    """

    models: tuple[Model, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def get(self, name: str) -> Model | None:
        """The model of a name, if it was fitted."""
        return next((model for model in self.models if model.name == name), None)

    @property
    def gp_model(self) -> GaussianProcess | None:
        """The Gaussian process with all candidates, or the one without if there are none."""
        found = self.get(GP) or self.get(GP_UNCONSTRAINED)
        return found if isinstance(found, GaussianProcess) else None


def fit_closed_form_models(
    X: Array,
    Y: Array,
    rep_in: Rep,
    rep_out: Rep,
    groups: Sequence[Group],
    *,
    model: str = "auto",
    supported: Sequence[Group] = (),
    row_groups: Index | None = None,
    seed: int = 0,
    weights: Array | None = None,
) -> ClosedFormModels:
    """Fits closed-form models.

    Args:
        X: Training inputs (n, inputs).
        Y: Training outputs (n, outputs).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        groups: Candidate groups.
        model: ``auto`` for all, ``linear`` or ``gp`` for that one.
        supported: Candidates that the evidence does not refute; a further Gaussian process has these alone.
        row_groups: Row groups (n,).
        seed: Random seed.
        weights: Sample weights (n,).

    Example:
        >>> import numpy as np, softsym as ss
        >>> X = np.random.default_rng(0).standard_normal((40, 3))
        >>> fitted = fit_closed_form_models(X, X @ X[:1].T, ss.rep("V"), ss.rep("S"), [ss.O(3)])
        >>> [model.name for model in fitted.models]
        ['mean', 'linear', 'gp', 'gp without candidates']
    """
    began = time.perf_counter()
    plain_in, plain_out = X.shape[1] * Scalar, Y.shape[1] * Scalar
    rows: dict[str, Any] = {"row_groups": row_groups, "seed": seed, "weights": weights}
    steps: dict[str, Callable[[], Model]] = {
        MEAN: lambda: fit_mean(X, Y, rep_in, rep_out, groups, weights),
        LINEAR: lambda: fit_linear(X, Y, rep_in, rep_out, groups, weights),
        GP: lambda: fit_gp_model(X, Y, rep_in, rep_out, groups, **rows),
        GP_SUPPORTED: lambda: fit_gp_model(X, Y, rep_in, rep_out, supported, title=GP_SUPPORTED, **rows),
        GP_UNCONSTRAINED: lambda: fit_gp_model(X, Y, plain_in, plain_out, **rows),
    }
    if not groups:
        del steps[GP]
    if not supported or len(supported) == len(groups):
        del steps[GP_SUPPORTED]
    wanted = {"auto": list(steps), "linear": [LINEAR], "gp": [GP if groups else GP_UNCONSTRAINED]}[model]
    models, refused = [], {}
    for name in wanted:
        try:
            models.append(steps[name]())
        except InputError as error:
            refused[name] = str(error)
    return ClosedFormModels(tuple(models), refused, time.perf_counter() - began)
