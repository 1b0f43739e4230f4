"""Models that are solved, not trained: what a person would take instead of a network, and the kernels that know symmetries.

Where they have settings, validation rows choose; :class:`~softsym.gp.SoftEquivariantGP` chooses by its likelihood. Test rows are
seen by none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor, nn

from softsym.discovery import boosted
from softsym.errors import InputError
from softsym.gp import SoftEquivariantGP, fit_kernel_ridge
from softsym.inference import evidence
from softsym.propose import propose
from softsym.training import Pair, Splits
from softsym.typing import Array
from softsym_lab.zoo.model import Blueprint, Built, Model

Predict = Callable[[Array], Array]
ALPHAS = np.logspace(-6, 4, 11)
EVIDENCE_ROWS = 3_000
"""Most rows on which evidence is computed."""


class ClosedForm(nn.Module):
    """A model without trainable weights.

    Args:
        solve: From rows to a function of inputs (n, inputs), and a line about what was chosen.
        examine: Asks the data about symmetries.
    """

    def __init__(
        self, solve: Callable[[Splits], tuple[Predict, str]], examine: Callable[[], list[dict[str, Any]]] | None = None
    ) -> None:
        super().__init__()
        self._solve, self._examine = solve, examine
        self._predict: Predict | None = None
        self.chosen = ""

    def solve_(self, data: Splits) -> None:
        """Fits itself to the training rows; validation rows may choose between settings."""
        self._predict, self.chosen = self._solve(data)

    def verdicts(self) -> list[dict[str, Any]]:
        """What the data say about each symmetry, if the model examines them; a row for each."""
        return [] if self._examine is None else self._examine()

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to (..., outputs)."""
        if self._predict is None:
            raise RuntimeError("a closed form is solved before it predicts; call solve_")
        flat = x.detach().double().reshape(-1, x.shape[-1]).cpu().numpy()
        return torch.from_numpy(self._predict(flat)).to(x).reshape(*x.shape[:-1], -1)


def arrays(pair: Pair) -> tuple[Array, Array]:
    """Inputs and outputs as float64 arrays."""
    return pair[0].double().numpy(), pair[1].double().numpy()


def _mean(plan: Blueprint) -> Built:
    def solve(data: Splits) -> tuple[Predict, str]:
        center = arrays(data.train)[1].mean(0)
        return lambda X: np.tile(center, (len(X), 1)), ""

    return Built(ClosedForm(solve))


def _velocity(plan: Blueprint) -> Built:
    """Points at equal times go on as between the last two of them: the simplest forecast of a trajectory, in any affine coordinates."""
    if any(kind.rank != 1 for rep in plan.reps for _, kind in rep):
        raise InputError(f"constant velocity goes from points to points, not from {plan.reps[0]} to {plan.reps[1]}")
    d, ahead = plan.group.dim, plan.reps[1].size(plan.group) // plan.group.dim
    if plan.reps[0].size(plan.group) < 2 * d:
        raise InputError("constant velocity needs two points of the past at least")

    def predict(X: Array) -> Array:
        last, before = X[:, -d:], X[:, -2 * d : -d]
        return np.concatenate([last + k * (last - before) for k in range(1, ahead + 1)], axis=1)

    return Built(ClosedForm(lambda data: (predict, "")))


def _boosting(plan: Blueprint) -> Built:
    return Built(ClosedForm(lambda data: (boosted(*arrays(data.train), plan.seed), "")))


def _ridge(plan: Blueprint) -> Built:
    def solve(data: Splits) -> tuple[Predict, str]:
        (X, Y), (U, V) = arrays(data.train), arrays(data.val)
        models = [make_pipeline(StandardScaler(), Ridge(alpha)).fit(X, Y) for alpha in ALPHAS]
        errors = [float(np.mean((np.reshape(model.predict(U), V.shape) - V) ** 2)) for model in models]
        best = int(np.argmin(errors))
        return lambda X: models[best].predict(X).reshape(len(X), -1), f"ridge {ALPHAS[best]:g}"

    return Built(ClosedForm(solve))


def _kernel_ridge(plan: Blueprint, *, symmetric: bool = False) -> Built:
    def solve(data: Splits) -> tuple[Predict, str]:
        X, Y = (np.concatenate(pair) for pair in zip(arrays(data.train), arrays(data.val), strict=True))
        folds = np.repeat([0, 1], [len(data.train[0]), len(data.val[0])])
        groups = plan.candidates if symmetric else ()
        found = fit_kernel_ridge(X, Y, *plan.reps, groups, folds=folds, seed=plan.seed)
        found = found.condition(*arrays(data.train))
        return found.predict, ", ".join(f"{block.group} {block.features.name}".strip() for block in found.blocks)

    return Built(ClosedForm(solve))


def _process(plan: Blueprint) -> Built:
    def solve(data: Splits) -> tuple[Predict, str]:
        gp = SoftEquivariantGP(*plan.reps, list(plan.candidates), random_state=plan.seed)
        gp.fit(*arrays(data.train), groups=data.row_groups)
        shares = ", ".join(f"{name} {share:.3g}" for name, share in gp.weights_.items())
        return gp.predict, f"{shares}, {gp.n_rows_} rows"

    return Built(ClosedForm(solve, lambda: collect_evidence(plan)))


def collect_evidence(plan: Blueprint) -> list[dict[str, Any]]:
    """Evidence about the candidates, the largest group and, where the truth is not known, what the data propose.

    Both are computed on the rows that a user would have in a file.
    """
    task = plan.task
    X, Y = (values[:EVIDENCE_ROWS] for values in arrays(task.evidence_data(plan.seed)))
    row_groups = task.row_groups(plan.seed)
    given = {group.name: group for group in (*plan.candidates, task.largest)}
    proposed = () if task.target is not None else propose(X, Y, *plan.reps, seed=plan.seed).groups
    groups = {group.name: group for group in proposed} | given
    table = evidence(
        X,
        Y,
        *plan.reps,
        list(groups.values()),
        row_groups=None if row_groups is None else row_groups[:EVIDENCE_ROWS],
        seed=plan.seed,
    )
    kept = ("name", "verdict", "asymmetry", "interval", "p_value", "coverage", "note")
    named = {group.name for group in proposed}
    return [
        {key: value for key, value in row.to_dict().items() if key in kept} | {"proposed": row.name in named}
        for row in table
    ]


mean = Model("mean", _mean, is_solved=True)
velocity = Model("velocity", _velocity, is_solved=True)
ridge = Model("ridge", _ridge, is_solved=True)
kernel = Model("kernel", _kernel_ridge, is_solved=True)
soft_kernel = Model(
    "soft-kernel", lambda plan: _kernel_ridge(plan, symmetric=True), takes_candidates=True, is_solved=True
)
boosting = Model("boosting", _boosting, is_solved=True)
gp = Model("gp", _process, takes_candidates=True, is_solved=True)
