"""The parameters of the estimators, and what a fit with them would do: data and parameters are refused here, before anything is done."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from softsym.data.row_groups import encode_labels, encode_row_groups
from softsym.data.split import HELD_OUT
from softsym.data.table import check_magnitudes
from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.recipe import Recipe, read_recipe
from softsym.discovery.fit.train import FitPlan
from softsym.discovery.fit.trials import Tries
from softsym.discovery.plan.checks import check_numbers, shape_of
from softsym.discovery.plan.propose_groups import AUTO, candidates
from softsym.discovery.points import Points, has_points, read_points
from softsym.errors import InputError
from softsym.groups import Group, read_groups
from softsym.inference.shape import row_weights, seed_of
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.training.config import FAST
from softsym.training.devices import check_device
from softsym.typing import Array, Index

DEFAULT = Recipe()


class PlanningEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """An estimator that knows its parameters and what it would do; not used by itself."""

    def __init__(
        self,
        rep_in: Rep | str | None = None,
        rep_out: Rep | str | None = None,
        groups: Group | str | Sequence[Group | str] = (),
        *,
        model: str = "auto",
        largest: Group | str | None = None,
        width: int | None = None,
        layers: int = DEFAULT.layers,
        epochs: int | None = DEFAULT.epochs,
        budget: float | None = None,
        batch: int | None = DEFAULT.batch,
        lr: float | None = None,
        weight_decay: float = FAST["shrink"],
        strength: float | None = None,
        gamma: float = FAST["gamma"],
        strengths: str = FAST["strengths"],
        seeds: int = 2,
        held_out: float = HELD_OUT,
        random_state: int = 0,
        verbose: bool = False,
        n_jobs: int | None = None,
        warm_start: bool = False,
        device: str = "cpu",
    ) -> None:
        self.rep_in, self.rep_out, self.groups, self.largest = rep_in, rep_out, groups, largest
        self.model = model
        self.width, self.layers, self.epochs, self.budget, self.batch = width, layers, epochs, budget, batch
        self.lr, self.weight_decay = lr, weight_decay
        self.strength, self.gamma, self.strengths = strength, gamma, strengths
        self.seeds, self.held_out, self.random_state, self.verbose = seeds, held_out, random_state, verbose
        self.n_jobs, self.warm_start, self.device = n_jobs, warm_start, device

    @abstractmethod
    def _read(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Checks data; outputs as a matrix."""

    @property
    @abstractmethod
    def _target(self) -> Target:
        """What the outputs are."""

    def plan(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
        x_names: Sequence[str] | None = None,
        y_names: Sequence[str] | None = None,
        duplicates: NDArray[np.int64] | None = None,
        device: str | None = None,
    ) -> FitPlan:
        """What would be trained and how; refuses wrong data and parameters before anything is done.

        Args:
            X: Inputs.
            y: Outputs.
            groups: Labels of rows.
            sample_weight: How much every row counts.
            x_names: Names of the inputs, if ``X`` is an array that cannot carry them.
            y_names: Names of the outputs, likewise.
            duplicates: Labels that rows of equal inputs share, if they are known already.
            device: What networks are trained on, if not what the estimator says; see :data:`softsym.training.devices.DEVICES`.
        """
        device = self.device if device is None else device
        check_device(device)
        earlier: FittedEnsemble | None = getattr(self, "fit_", None) if self.warm_start else None
        inputs, outputs = self._read(X, y)
        check_magnitudes(inputs, "a value of `X`")
        check_magnitudes(outputs, "a value of `y`")
        if x_names is not None:
            self.feature_names_in_ = np.asarray(x_names, dtype=object)
        if y_names is not None:
            self.output_names_ = [str(name) for name in y_names]
        labels = encode_row_groups(groups, len(inputs))
        weights = row_weights(sample_weight, len(inputs))
        if weights is not None and not weights.all():  # rows that do not count take no part
            kept = weights > 0
            inputs, outputs, weights = inputs[kept], outputs[kept], weights[kept]
            labels, duplicates = (None if one is None else one[kept] for one in (labels, duplicates))
            labels = None if labels is None else encode_labels(labels.tolist(), "`groups`")
        acting = self._candidates(inputs, outputs, duplicates, labels)
        inputs, outputs, acting = self._centred(inputs, outputs, acting)
        recipe = read_recipe(
            has_groups=bool(acting), width=self.width, layers=self.layers, epochs=self.epochs, batch=self.batch, lr=self.lr,
            shrink=self.weight_decay, strength=self.strength, gamma=self.gamma, strengths=self.strengths,
        )  # fmt: skip
        check_numbers(self.get_params(deep=False), classes=self._target is Target.CLASSES)
        shape = self._shape(inputs, outputs, acting)
        goes_on = earlier is not None and bool(earlier.members) and earlier.shape == shape
        if goes_on and earlier is not None:
            recipe = recipe.model_copy(
                update=earlier.recipe.model_dump(include={"width", "layers", "strength"})
            )
        return FitPlan(
            target=self._target,
            shape=shape,
            recipe=recipe,
            X=inputs,
            Y=outputs,
            seeds=self.seeds,
            seed=seed_of(self.random_state),
            fraction=self.held_out,
            tries=Tries(width=self.width is None, strength=self.strength is None)
            if acting and not goes_on
            else Tries(),
            budget=self.budget,
            duplicates=duplicates,
            together=labels,
            model=self.model,
            device=device,
            weights=weights,
            earlier=earlier.members if goes_on and earlier is not None else (),
        )

    @property
    def _points(self) -> Points | None:
        """How points are fitted; None if there are none."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return None
        target = None if self.rep_out is None else read_rep(self.rep_out)
        return Points(read_rep(self.rep_in), target, self.space_, self.is_centred_)

    def _centred(self, X: Array, Y: Array, groups: list[Group]) -> tuple[Array, Array, list[Group]]:
        """Rows and candidates as they are fitted: without the origin of points, if that does not matter."""
        if self.rep_in is None or not has_points(self.rep_in, self.rep_out):
            return X, Y, groups
        table, acting = read_points(self.rep_in, self.rep_out, groups, X.shape[1])
        self.space_, self.is_centred_ = table.dim, table.is_centred
        return table.inputs(X), table.outputs(X, Y), acting

    def _candidates(
        self, X: Array, Y: Array, duplicates: Index | None, together: Index | None
    ) -> list[Group]:
        """The candidate groups: those that were given, or those that the data propose."""
        if not isinstance(self.groups, str) or self.groups != AUTO:
            return read_groups(self.groups) if self.groups else []
        if self._target is Target.CLASSES:
            raise InputError(
                "groups='auto' is for regression; pass candidates for classes, such as groups=['O(3)']"
            )
        if self.rep_in is None or self.rep_out is None:
            raise InputError(
                "groups='auto' needs how columns transform: pass `rep_in` and `rep_out`, such as '2V' and 'V'"
            )
        proposed = candidates(
            X, Y, self.rep_in, self.rep_out, seed_of(self.random_state),
            fraction=self.held_out, duplicates=duplicates, together=together,
        )  # fmt: skip
        self.proposal_ = proposed.proposal
        return list(proposed.groups)

    def _shape(self, X: Array, Y: Array, groups: list[Group]) -> Shape:
        free = not groups and hasattr(self, "proposal_")
        given = self.get_params(deep=False)
        return shape_of(given, X, Y, groups, classes=self._target is Target.CLASSES, free=free)
