"""The result of a fit: models, the selected one, and validation and test rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.fit.baselines import Baseline, Baselines
from softsym.discovery.fit.member import Member, Shape, predict_members
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.scale_frame import ScaleFrame
from softsym.discovery.fit.training_curves import Curves
from softsym.discovery.models.closed_form import ClosedFormModels
from softsym.discovery.models.ensemble import StackedEnsemble
from softsym.discovery.models.protocol import NETWORK, ORDINARY, Model
from softsym.groups import Group
from softsym.training.loop import Criterion
from softsym.typing import Array, Index


class Target(StrEnum):
    """What outputs are; the values are what model files say."""

    NUMBERS = "regressor"
    CLASSES = "classifier"

    @property
    def criterion(self) -> Criterion:
        """The loss that suits them."""
        return nn.functional.cross_entropy if self is Target.CLASSES else nn.functional.mse_loss


@dataclass(frozen=True, eq=False)
class Predictor:
    """The members as functions from rows as they are in the data to outputs as they are there.

    Args:
        target: What the outputs are: numbers, or probabilities of classes.
        members: The trained networks.
        scale_in: Scaling of the inputs.
        scale_out: Scaling of the outputs; the identity for classes.
        frame: Canonicalisation of scale, where a candidate group scales and the outputs do not depend on the size.
    """

    target: Target
    members: tuple[Member, ...]
    scale_in: SymmetricScaler
    scale_out: SymmetricScaler
    frame: ScaleFrame | None = None

    def __call__(self, X: Array) -> Array:
        """Outputs of all members for inputs (n, inputs): shape (members, n, outputs); probabilities for classes."""
        x = torch.from_numpy(self.scale_in.transform(np.asarray(X, dtype=np.float64)))
        raw = torch.stack([self._raw(member, x) for member in self.members])
        if self.target is Target.CLASSES:
            return raw.softmax(-1).numpy()
        flat = raw.numpy().reshape(-1, raw.shape[-1])
        return self.scale_out.inverse(flat).reshape(tuple(raw.shape))

    def _raw(self, member: Member, x: Tensor) -> Tensor:
        """Standardised outputs of one member."""

        def network(rows: Tensor) -> Tensor:
            return predict_members([member], rows)[0]

        return network(x) if self.frame is None else self.frame.apply(network, x)


@dataclass(frozen=True, eq=False)
class Networks:
    """Trained networks as one model: the mean of the members.

    Args:
        name: Which networks they are.
        predictor: The members as one function.
        exact_groups: Names of the groups to which they are exactly equivariant.
    """

    name: str
    predictor: Predictor
    exact_groups: tuple[str, ...] = ()

    def __call__(self, X: Array) -> Array:
        """Mean outputs (n, outputs)."""
        return np.asarray(self.predictor(X).mean(0))

    def std(self, X: Array) -> Array:
        """Standard deviations over members (n, outputs)."""
        return np.asarray(self.predictor(X).std(0))

    def refit(self, X: Array, Y: Array, weights: Array | None = None) -> Networks:
        """The same networks: they are not trained again, which would take too long."""
        return self

    def project(self, groups: Sequence[Group]) -> Networks | None:
        """The same networks if they are equivariant to these groups already, None otherwise."""
        return self if {group.name for group in groups} <= set(self.exact_groups) else None


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that no member was trained on.

    Args:
        X: Inputs, shape (n, inputs).
        Y: Outputs, shape (n, outputs); for a classifier one column per class, 0 or 1.
        is_separate: Whether they were kept from training; False where there are too few rows.
        row_groups: Row groups (n,); None if rows are independent.
        weights: Sample weights (n,), of mean one; None if all are equal.
    """

    X: Array
    Y: Array
    is_separate: bool = True
    row_groups: Index | None = None
    weights: Array | None = None

    def errors(self, predicted: Array) -> Array:
        """Squared errors of predictions (n, outputs), averaged over outputs, for each row (n,), times its weight."""
        squares = np.asarray(np.mean((predicted.reshape(self.Y.shape) - self.Y) ** 2, axis=1))
        return squares if self.weights is None else self.weights * squares

    def explained(self, error: float) -> float:
        """The share of the outputs' variance that a mean squared error leaves; zero if they do not vary."""
        return explained(self.Y, error, self.weights)


@dataclass(frozen=True, eq=False)
class BaselineModels:
    """Models without symmetries that were fitted to the same rows.

    Args:
        baselines: The errors of each.
        errors: Squared errors of the best of them on validation rows, shape (n,).
        ordinary: The unconstrained networks among them; None if the members are such themselves, or for a loaded model.
        models: Those that may be selected.
    """

    baselines: tuple[Baseline, ...]
    errors: Array
    ordinary: Predictor | None = None
    models: tuple[Model, ...] = ()


@dataclass(frozen=True, eq=False)
class FittedEnsemble:
    """The result of a fit.

    Args:
        shape: Representations and candidate groups.
        recipe: How members were trained, or would have been.
        predictor: The members, regularised towards the symmetries, as one function; without members if no network was trained.
        curves: Learning curves of each training.
        held: Test rows.
        n_train: Number of training rows.
        seconds: How long it took.
        checked: Validation rows, on which models are selected and verdicts rest; None if they were not kept.
        exact_groups: Names of the groups to which the members are exactly equivariant, by construction.
        baselines: The table of all models on the same rows.
        baseline_models: Models without symmetries; None before they are fitted.
        ordinary: Unconstrained networks that predict instead of the members or together with them, selected on validation rows.
        compiled: Whether compiled code ran, on which last bits and speed depend; None if unknown.
        seed: Random seed.
        closed_form: Closed-form models fitted to the training rows, without exact constraints.
        ensemble: The stacked ensemble that predicts; None if the networks predict alone.
        why: Why a network was trained or not, and why this model was selected, one sentence each.
    """

    shape: Shape
    recipe: Recipe
    predictor: Predictor
    curves: tuple[Curves, ...]
    held: HeldOut
    n_train: int
    seconds: float
    checked: HeldOut | None = None
    exact_groups: tuple[str, ...] = ()
    baselines: Baselines = field(default_factory=Baselines)
    baseline_models: BaselineModels | None = None
    ordinary: Predictor | None = None
    compiled: str | None = None
    seed: int = 0
    closed_form: ClosedFormModels = field(default_factory=ClosedFormModels)
    ensemble: StackedEnsemble | None = None
    why: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[Member, ...]:
        """The trained networks."""
        return self.predictor.members

    @property
    def model(self) -> str:
        """Name of the selected model; of a stacked ensemble, that of its largest weight."""
        if self.ensemble is not None:
            return self.ensemble.name
        return NETWORK if self.ordinary is None else ORDINARY

    @property
    def built_in(self) -> tuple[str, ...]:
        """The former name of :attr:`exact_groups`."""
        warnings.warn("fit_.built_in is now fit_.exact_groups", DeprecationWarning, stacklevel=2)
        return self.exact_groups

    @property
    def selected_exact_groups(self) -> list[str]:
        """Names of the groups to which the selected model is exactly equivariant."""
        if self.ensemble is None:
            return list(self.exact_groups) if self.ordinary is None else []
        return list(self.ensemble.exact_groups)

    @property
    def _networks(self) -> Predictor | None:
        """The networks that predict, if nothing else does."""
        if self.ensemble is None:
            return self.ordinary or self.predictor
        model = self.ensemble.parts[0].train_fit
        return model.predictor if len(self.ensemble.parts) == 1 and isinstance(model, Networks) else None

    def outputs(self, X: Array) -> Array:
        """Outputs in the units of the data, of all members if networks predict, (members, n, outputs); probabilities for a classifier."""
        networks = self._networks
        if networks is not None:
            return networks(X)
        assert self.ensemble is not None
        return self.ensemble(X)[None]

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean, and standard deviation over members or of the model itself, each (n, outputs)."""
        networks = self._networks
        if networks is not None:
            return _mean_and_std(networks(X))
        assert self.ensemble is not None
        return self.ensemble(X), self.ensemble.std(X)

    def unconstrained_outputs(self, X: Array) -> Array:
        """Outputs, likewise, of the model without exact constraints that was fitted to training rows; verdicts rest on it."""
        if not self.closed_form.models or self.members:
            return self.predictor(X)
        model = self.closed_form.gp_model or self.closed_form.models[-1]
        return model(X)[None]

    @property
    def is_finished(self) -> bool:
        """Whether all members were trained to the end."""
        return all(member.is_finished for member in self.members)

    def mark_interrupted(self) -> FittedEnsemble:
        """The fit, marked as unfinished."""
        members = (*self.members[:-1], replace(self.members[-1], is_finished=False))
        return replace(self, predictor=replace(self.predictor, members=members))

    @property
    def judged(self) -> HeldOut:
        """The rows by which verdicts are made: validation rows, so that test rows decide nothing."""
        return self.held if self.checked is None else self.checked

    @cached_property
    def judged_outputs(self) -> Array:
        """Outputs for them of the model without exact constraints."""
        return self.unconstrained_outputs(self.judged.X)

    @cached_property
    def held_outputs(self) -> Array:
        """Outputs for the test rows of the model that was fitted to training rows alone; computed once, for errors and report."""
        networks = self._networks
        if networks is not None:
            return networks(self.held.X)
        assert self.ensemble is not None
        return self.ensemble.predict_from_train(self.held.X)[None]

    @cached_property
    def held_predictions(self) -> tuple[Array, Array]:
        """Mean and standard deviation for the held-out rows, each (n, outputs)."""
        if self._networks is None and self.ensemble is not None:
            return self.held_outputs[0], self.ensemble.std(self.held.X, from_train=True)
        return _mean_and_std(self.held_outputs)

    def test_error(self) -> float:
        """Mean squared error of the ensemble on the held-out rows, in the units of the data."""
        return float(self.held.errors(self.held_outputs.mean(0)).mean())

    def explained(self) -> float:
        """Share of the held-out outputs' variance that the ensemble explains; at most one, negative if worse than the mean."""
        return self.held.explained(self.test_error())


def explained(Y: Array, error: float, weights: Array | None = None) -> float:
    """The share of the variance of outputs (n, outputs) that a mean squared error leaves; zero if they do not vary."""
    total = float(
        np.average((Y - np.average(Y, axis=0, weights=weights)) ** 2, axis=0, weights=weights).mean()
    )
    return 1.0 - error / total if total else 0.0


def _mean_and_std(outputs: Array) -> tuple[Array, Array]:
    return outputs.mean(0), outputs.std(0)
