"""What a fit leaves behind: trained members, how data were scaled, and the rows that were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.fit.ensemble import Member, Shape, predict_members
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.scale_frame import ScaleFrame
from softsym.discovery.report.story import Curves

Array = NDArray[np.float64]
Kind = Literal["regressor", "classifier"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that no member was trained on.

    Args:
        X: Inputs, shape (n, inputs).
        Y: Outputs, shape (n, outputs); for a classifier one column per class, 0 or 1.
        is_separate: Whether they really were kept from training; too few rows cannot be spared.
    """

    X: Array
    Y: Array
    is_separate: bool = True


@dataclass(frozen=True, eq=False)
class Fit:
    """Everything a fit leaves behind.

    Args:
        kind: What the outputs are: numbers, or probabilities of classes.
        shape: Representations and candidate groups.
        recipe: How members were trained.
        scale_in: Scaling of the inputs.
        scale_out: Scaling of the outputs; the identity for a classifier.
        members: The trained networks.
        curves: What happened during each training.
        held: Rows that were held out.
        n_train: Number of training rows.
        seconds: How long it took.
        frame: How inputs are brought to one size, where a candidate group scales and size tells nothing.
    """

    kind: Kind
    shape: Shape
    recipe: Recipe
    scale_in: SymmetricScaler
    scale_out: SymmetricScaler
    members: tuple[Member, ...]
    curves: tuple[Curves, ...]
    held: HeldOut
    n_train: int
    seconds: float
    frame: ScaleFrame | None = None

    def outputs(self, X: Array) -> Array:
        """Outputs of all members in the units of the data, shape (members, n, outputs); probabilities for a classifier."""
        x = torch.from_numpy(self.scale_in.transform(np.asarray(X, dtype=np.float64)))
        raw = torch.stack([self._raw(member, x) for member in self.members])
        if self.kind == "classifier":
            return raw.softmax(-1).numpy()
        flat = raw.numpy().reshape(-1, raw.shape[-1])
        return self.scale_out.inverse(flat).reshape(tuple(raw.shape))

    def _raw(self, member: Member, x: Tensor) -> Tensor:
        """Standardised outputs of one member."""

        def network(rows: Tensor) -> Tensor:
            return predict_members([member], rows)[0]

        return network(x) if self.frame is None else self.frame.apply(network, x)

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation over members, each (n, outputs)."""
        found = self.outputs(X)
        return found.mean(0), found.std(0)

    def test_error(self) -> float:
        """Mean squared error of the ensemble on the held-out rows, in the units of the data."""
        return float(np.mean((self.predict(self.held.X)[0] - self.held.Y) ** 2))

    def explained(self) -> float:
        """Share of the held-out outputs' variance that the ensemble explains; at most one, negative if worse than the mean."""
        total = float(np.mean((self.held.Y - self.held.Y.mean(0)) ** 2))
        return 1.0 - self.test_error() / total if total else 0.0


def curves_of(member: Member) -> Curves:
    """The history of a member as arrays."""
    rows = member.history
    with_residuals = [row for row in rows if "residuals" in row]
    groups = list(member.strengths)
    return Curves(
        seed=member.seed,
        epochs=np.array([row["epoch"] for row in with_residuals], dtype=np.float64),
        residuals={g: np.array([row["residuals"][g] for row in with_residuals]) for g in groups},
        strengths={g: np.array([row["strengths"][g] for row in with_residuals]) for g in groups},
        loss_epochs=np.array([row["epoch"] for row in rows], dtype=np.float64),
        loss=np.array([row["loss"] for row in rows]),
        validation=np.array([row.get("validation", np.nan) for row in rows], dtype=np.float64),
    )
