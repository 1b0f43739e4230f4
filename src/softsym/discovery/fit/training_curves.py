"""Learning curves of a training as arrays, for the report and stored models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softsym.discovery.fit.member import Member
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class Curves:
    """Learning curves of the network of one seed.

    Args:
        seed: The seed.
        epochs: Epochs at which residuals were read, shape (n,).
        residuals: By group, the unweighted squared distance of all weights, shape (n,).
        strengths: By group, the strength of the penalty, shape (n,).
        loss_epochs: Epochs at which losses were read, shape (m,).
        loss: Training loss, shape (m,).
        validation: Validation loss, NaN where it was not measured, shape (m,).
    """

    seed: int
    epochs: Array
    residuals: Mapping[str, Array]
    strengths: Mapping[str, Array]
    loss_epochs: Array
    loss: Array
    validation: Array

    @classmethod
    def of(cls, member: Member) -> Curves:
        """The history of a member."""
        rows = member.history
        with_residuals = [row for row in rows if "residuals" in row]

        def by_group(what: str) -> dict[str, Array]:
            return {name: np.array([row[what][name] for row in with_residuals]) for name in member.strengths}

        return cls(
            seed=member.seed,
            epochs=np.array([row["epoch"] for row in with_residuals], dtype=np.float64),
            residuals=by_group("residuals"),
            strengths=by_group("strengths"),
            loss_epochs=np.array([row["epoch"] for row in rows], dtype=np.float64),
            loss=np.array([row["loss"] for row in rows]),
            validation=np.array([row.get("validation", np.nan) for row in rows], dtype=np.float64),
        )
