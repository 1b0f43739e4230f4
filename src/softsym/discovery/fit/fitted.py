"""What a fit leaves behind: members that predict as one, and the rows that were held out."""

from __future__ import annotations

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
from softsym.discovery.models.closed_form import Ladder
from softsym.discovery.models.ensemble import Blend
from softsym.discovery.models.protocol import NETWORK, ORDINARY, Rung
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
        frame: How inputs are brought to one size, where a candidate group scales and size tells nothing.
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
    """Trained networks as a rung of the ladder: the mean of the members.

    Args:
        name: Which networks they are.
        predictor: The members as one function.
        has: Names of the groups that they have exactly.
    """

    name: str
    predictor: Predictor
    has: tuple[str, ...] = ()

    def __call__(self, X: Array) -> Array:
        """Mean outputs (n, outputs)."""
        return np.asarray(self.predictor(X).mean(0))

    def spread(self, X: Array) -> Array:
        """Standard deviations over members (n, outputs)."""
        return np.asarray(self.predictor(X).std(0))

    def on(self, X: Array, Y: Array, weights: Array | None = None) -> Networks:
        """Themselves: training again would take as long as training."""
        return self

    def snapped(self, groups: Sequence[Group]) -> Networks | None:
        """Themselves, if they have these symmetries already."""
        return self if {group.name for group in groups} <= set(self.has) else None


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that no member was trained on.

    Args:
        X: Inputs, shape (n, inputs).
        Y: Outputs, shape (n, outputs); for a classifier one column per class, 0 or 1.
        is_separate: Whether they really were kept from training; too few rows cannot be spared.
        together: Labels of rows that belong together, shape (n,); None if every row stands by itself.
        weights: How much every row counts (n,), of mean one; None if all count the same.
    """

    X: Array
    Y: Array
    is_separate: bool = True
    together: Index | None = None
    weights: Array | None = None

    def errors(self, predicted: Array) -> Array:
        """Squared errors of predictions (n, outputs), averaged over outputs, for each row (n,), times its weight."""
        squares = np.asarray(np.mean((predicted.reshape(self.Y.shape) - self.Y) ** 2, axis=1))
        return squares if self.weights is None else self.weights * squares

    def explained(self, error: float) -> float:
        """The share of the outputs' variance that a mean squared error leaves; zero if they do not vary."""
        return explained(self.Y, error, self.weights)


@dataclass(frozen=True, eq=False)
class Rivals:
    """Models without symmetries that were fitted to the same rows.

    Args:
        baselines: How well each predicts.
        errors: Squared errors of the best of them on validation rows, shape (n,).
        ordinary: The ordinary networks among them; None if the members are such themselves, or for a model that was read.
        rungs: Those that could predict in the place of the ladder's.
    """

    baselines: tuple[Baseline, ...]
    errors: Array
    ordinary: Predictor | None = None
    rungs: tuple[Rung, ...] = ()


@dataclass(frozen=True, eq=False)
class FittedEnsemble:
    """Everything a fit leaves behind.

    Args:
        shape: Representations and candidate groups.
        recipe: How members were trained, or would have been.
        predictor: The members, pulled towards the symmetries, as one function; without members if no network was trained.
        curves: What happened during each training.
        held: Rows that were held out.
        n_train: Number of training rows.
        seconds: How long it took.
        checked: Validation rows, by which training was judged and verdicts are; None if they were not kept.
        built_in: Names of the groups that the members have exactly, by construction.
        baselines: Simpler models on the same rows, with this one among them.
        rivals: What the baselines are beside the members themselves.
        ordinary: Ordinary networks that predict in their place, because they predicted validation rows better, or with them.
        compiled: Whether compiled code ran, on which last bits and speed depend; None if nobody wrote it down.
        seed: Of everything that is drawn.
        ladder: Closed-form models fitted to the training rows, free to break every candidate.
        blend: What predicts; None if that is the network, or ordinary ones in its place.
        why: Why a network was trained or not, and why this model predicts, one sentence each.
    """

    shape: Shape
    recipe: Recipe
    predictor: Predictor
    curves: tuple[Curves, ...]
    held: HeldOut
    n_train: int
    seconds: float
    checked: HeldOut | None = None
    built_in: tuple[str, ...] = ()
    baselines: Baselines = field(default_factory=Baselines)
    rivals: Rivals | None = None
    ordinary: Predictor | None = None
    compiled: str | None = None
    seed: int = 0
    ladder: Ladder = field(default_factory=Ladder)
    blend: Blend | None = None
    why: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[Member, ...]:
        """The trained networks."""
        return self.predictor.members

    @property
    def model(self) -> str:
        """Name of the rung that predicts, or of the heaviest of several."""
        if self.blend is not None:
            return self.blend.name
        return NETWORK if self.ordinary is None else ORDINARY

    @property
    def returned_has(self) -> list[str]:
        """Names of the groups that what predicts has exactly."""
        if self.blend is None:
            return list(self.built_in) if self.ordinary is None else []
        return list(self.blend.has)

    @property
    def _networks(self) -> Predictor | None:
        """The networks that predict, if nothing else does."""
        if self.blend is None:
            return self.ordinary or self.predictor
        rung = self.blend.parts[0].early
        return rung.predictor if len(self.blend.parts) == 1 and isinstance(rung, Networks) else None

    def outputs(self, X: Array) -> Array:
        """Outputs in the units of the data, of all members if networks predict, (members, n, outputs); probabilities for a classifier."""
        networks = self._networks
        if networks is not None:
            return networks(X)
        assert self.blend is not None
        return self.blend(X)[None]

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean, and standard deviation over members or as the model knows it, each (n, outputs)."""
        networks = self._networks
        if networks is not None:
            return _mean_and_std(networks(X))
        assert self.blend is not None
        return self.blend(X), self.blend.spread(X)

    def free_outputs(self, X: Array) -> Array:
        """Outputs, likewise, of the model that is free to break every candidate, fitted to training rows: what is judged."""
        if not self.ladder.rungs or self.members:
            return self.predictor(X)
        rung = self.ladder.process or self.ladder.rungs[-1]
        return rung(X)[None]

    @property
    def is_finished(self) -> bool:
        """Whether nothing interrupted it."""
        return all(member.is_finished for member in self.members)

    def interrupted(self) -> FittedEnsemble:
        """The same, known to be unfinished."""
        members = (*self.members[:-1], replace(self.members[-1], is_finished=False))
        return replace(self, predictor=replace(self.predictor, members=members))

    @property
    def judged(self) -> HeldOut:
        """The rows by which verdicts are made: validation rows, so that test rows decide nothing."""
        return self.held if self.checked is None else self.checked

    @cached_property
    def judged_outputs(self) -> Array:
        """What the model that is free to break every candidate predicts for them."""
        return self.free_outputs(self.judged.X)

    @cached_property
    def held_outputs(self) -> Array:
        """Outputs for the held-out rows by what was fitted to training rows alone, computed once: error and report rest on them."""
        networks = self._networks
        if networks is not None:
            return networks(self.held.X)
        assert self.blend is not None
        return self.blend.early(self.held.X)[None]

    @cached_property
    def held_predictions(self) -> tuple[Array, Array]:
        """Mean and standard deviation for the held-out rows, each (n, outputs)."""
        if self._networks is None and self.blend is not None:
            return self.held_outputs[0], self.blend.spread(self.held.X, early=True)
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
