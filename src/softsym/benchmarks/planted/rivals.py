"""What the regularizer brings, beside the ways that need no representation of weights.

Four tasks: images with planted symmetries, scikit-learn's digits, sets of 3D points with a law that is symmetric about z, and recorded
flights (where ``SOFTSYM_FLIGHTS`` names their file). Plain training, augmentation and the sample-based penalty by all candidates and by
those that hold, and the regularizer with all candidates: test error, on inputs as they are and turned by what holds; equivariance error
under what holds; processor seconds of a step. Every method has the same network, steps, optimiser and seeds. How strong a penalty is at
the start is chosen by a fifth of the training rows, for the sample-based one as for the regularizer; then all rows are learned.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from softsym.benchmarks.planted import images, points
from softsym.benchmarks.timing import forget_peak, peak_megabytes
from softsym.maps import infer_reps
from softsym.measure import equivariance_error
from softsym.regularize import EquivarianceRegularizer, GroupAugmentation, SamplePenalty
from softsym.regularize.strengths import OneShot

METHODS = (
    "plain", "augmented", "augmented by what holds", "sample penalty", "sample penalty by what holds", "per", "per, quarter turns",
)  # fmt: skip
FLIGHTS = "SOFTSYM_FLIGHTS"
SEEDS = 2
BATCH = 50
STRENGTHS = {"per": (0.1, 3.0, 30.0), "sample": (0.03, 0.3, 3.0)}
"""Strengths to choose from."""
GAMMA = 4.0
"""How strongly differences of residuals count when strengths are adjusted."""

QUARTERS = ("D(4)@x", "D(4)@y", "D(4)@z")

Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Case:
    """A task with a network.

    Args:
        name: What it is.
        build: Makes the network.
        draw: Training and test rows of a seed; inputs are flat, (n, size of ``rep_in``).
        shape: The shape in which the network wants one input.
        rep_in: Representation of an input.
        rep_out: Representation of an output; of class scores, scalars.
        groups: All candidates.
        holds: Those that hold exactly.
        epochs: How long to train.
        lr: Step length.
        hidden: As for :func:`softsym.infer_reps`.
        finite: Finite candidates in the place of continuous ones: their hidden representations commute with every nonlinearity.
    """

    name: str
    build: Callable[[], nn.Module]
    draw: Callable[[int], tuple[Pair, Pair]]
    shape: tuple[int, ...]
    rep_in: str
    rep_out: str
    groups: tuple[str, ...]
    holds: tuple[str, ...]
    epochs: int = 120
    lr: float = 2e-3
    hidden: Any = "scalars"
    finite: tuple[str, ...] = ()

    @property
    def methods(self) -> list[str]:
        """Those that make sense for the task."""
        return [m for m in METHODS if (self.holds or "holds" not in m) and (self.finite or "turns" not in m)]

    def network(self, net: nn.Module) -> Callable[[Tensor], Tensor]:
        """The network as a function of flat inputs."""
        return lambda x: net(x.view(-1, *self.shape))


def cases() -> list[Case]:
    """All tasks; flights only where their file is named."""
    made = [
        Case(
            "planted images",
            images.SmallCNN,
            _planted,
            (1, 12, 12),
            "Grid(12,12)",
            "2S",
            images.GROUPS,
            images.GROUPS[:1],
        ),
        Case(
            "digits",
            lambda: images.SmallCNN(8, 10),
            points.digits,
            (1, 8, 8),
            "Grid(8,8)",
            "10S",
            images.GROUPS,
            (),
        ),
        Case(
            "points",
            points.SetTransformer,
            points.sets,
            (6, 3),
            "6V",
            "V",
            points.AXES,
            ("O(2)@z",),
            hidden="mixed",
            finite=QUARTERS,
        ),
    ]
    flights = os.environ.get(FLIGHTS)
    if flights:
        draw = points.flights(flights)
        made.append(
            Case(
                "flights",
                points.Recurrent,
                draw,
                (6, 3),
                "6V",
                "6V",
                points.AXES,
                ("O(2)@z",),
                hidden="mixed",
                finite=QUARTERS,
            )
        )
    return made


def run(seeds: int = SEEDS, epochs: int | None = None) -> dict[str, Any]:
    """All tasks and methods, means over seeds."""
    return {case.name: compare(case, seeds, epochs) for case in cases()}


def compare(case: Case, seeds: int = SEEDS, epochs: int | None = None) -> dict[str, Any]:
    """One task: a row for each method, and where the regularizer is not on the front of error against time."""
    rows = {
        method: _mean([_trained(case, method, seed, epochs) for seed in range(seeds)])
        for method in case.methods
    }
    ours = [method for method in rows if method.startswith("per")]
    better = {
        key: [m for m in rows if m not in ours and rows[m][key] < min(rows[mine][key] for mine in ours)]
        for key in ("test_error", "test_error_turned")
        if key in rows["plain"]
    }
    return {
        "candidates": list(case.groups),
        "holds": list(case.holds),
        "rows": rows,
        "better_than_per": better,
    }


def _trained(case: Case, method: str, seed: int, epochs: int | None) -> dict[str, Any]:
    """One row: the strength is chosen, then all training rows are learned and the test rows predicted."""
    train, test = case.draw(seed)
    strength = _chosen(case, method, train, seed, epochs)
    forget_peak()
    fitted = fit(case, method, train, seed, strength, epochs or case.epochs)
    numbers = {"cpu_milliseconds_a_step": 1e3 * fitted.seconds, "peak_megabytes": peak_megabytes()}
    numbers |= _measured(case, fitted.net, test, seed)
    if strength is not None:
        numbers["strength_at_start"] = strength
    return numbers | ({"strengths": fitted.strengths} if fitted.strengths else {})


def _chosen(case: Case, method: str, train: Pair, seed: int, epochs: int | None) -> float | None:
    """The strength whose error on a fifth of the training rows is least, learning the others for half as long."""
    candidates = STRENGTHS.get(method.split()[0].rstrip(","))
    if candidates is None:
        return None
    x, y = train
    kept, rows = (x[len(x) // 5 :], y[len(y) // 5 :]), (x[: len(x) // 5], y[: len(y) // 5])

    def error(strength: float) -> float:
        net = fit(case, method, kept, seed, strength, max(1, (epochs or case.epochs) // 2)).net
        with torch.no_grad():
            return float(_loss(case, case.network(net)(rows[0]), rows[1]))

    return min(candidates, key=error)


@dataclass(frozen=True)
class Fitted:
    """A trained network, the strengths at the end and processor seconds of a step."""

    net: nn.Module
    strengths: dict[str, float]
    seconds: float


def fit(case: Case, method: str, train: Pair, seed: int, strength: float | None, epochs: int) -> Fitted:
    """Trains one network by one method."""
    x, y = train
    torch.manual_seed(seed)
    net = case.build()
    f, optimizer = case.network(net), torch.optim.Adam(net.parameters(), lr=case.lr)
    groups = case.holds if "holds" in method else case.groups
    per = None
    if method.startswith("per"):
        per = _regularizer(case, net, case.finite if "turns" in method else case.groups, strength or 0.0)
    rule = OneShot(max(1, epochs // 3), GAMMA, max(1, epochs // 6))
    rule.begin({} if per is None else per.strengths)
    turns = [GroupAugmentation(case.rep_in, case.rep_out, group, seed) for group in groups]
    penalties = [SamplePenalty(case.rep_in, case.rep_out, group, seed) for group in groups]
    order, step, start = torch.Generator().manual_seed(seed), 0, time.process_time()
    for epoch in range(1, epochs + 1):
        for rows in torch.randperm(len(x), generator=order).split(BATCH):
            a, b = x[rows], y[rows]
            if method.startswith("augmented"):
                a, b = turns[step % len(turns)](a, b, step)
            prediction = f(a)
            loss = _loss(case, prediction, b)
            if method.startswith("sample"):
                loss = loss + (strength or 0.0) * penalties[step % len(penalties)](f, a, prediction, step)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if per is not None:
                per.prox_(case.lr)
            step += 1
        if per is not None and rule.wants_residuals(epoch):
            per.strengths = rule.on_epoch_end(per.residuals(), epoch)
    seconds = (time.process_time() - start) / step
    return Fitted(net.eval(), {} if per is None else dict(per.strengths), seconds)


def _regularizer(
    case: Case, net: nn.Module, groups: tuple[str, ...], strength: float
) -> EquivarianceRegularizer:
    example = torch.zeros(2, *case.shape)
    reps = infer_reps(net, case.rep_in, case.rep_out, groups, example=example, hidden=case.hidden)
    return EquivarianceRegularizer(net, groups, reps=reps, strength=strength)


def _loss(case: Case, prediction: Tensor, target: Tensor) -> Tensor:
    """Cross entropy of classes, the mean squared error of numbers."""
    if _has_classes(case):
        return nn.functional.cross_entropy(prediction, target)
    return nn.functional.mse_loss(prediction.flatten(1), target)


def _has_classes(case: Case) -> bool:
    return case.rep_out.endswith("S")


@torch.no_grad()
def _measured(case: Case, net: nn.Module, test: Pair, seed: int) -> dict[str, float]:
    """Errors on test rows as they are and turned by what holds, and the equivariance error."""
    f, (x, y) = case.network(net), test

    def error(x: Tensor, y: Tensor) -> float:
        prediction = f(x).flatten(1)
        if _has_classes(case):
            return float((prediction.argmax(1) != y.argmax(1)).float().mean())
        return float(nn.functional.mse_loss(prediction, y) / y.var())

    numbers = {"test_error": error(x, y)}
    for group in case.holds:
        turned = GroupAugmentation(case.rep_in, case.rep_out, group, seed + 1)(x, y, 0)
        numbers["test_error_turned"] = error(*turned)
        numbers["equivariance_error"] = equivariance_error(
            lambda rows: f(rows).flatten(1),
            x[:200],
            case.rep_in,
            case.rep_out,
            group,
            n_transforms=4,
            seed=seed,
        )
    return numbers


def _mean(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over seeds; strengths one by one."""
    numbers = {key: statistics.mean(row[key] for row in rows) for key in rows[0] if key != "strengths"}
    if "strengths" in rows[0]:
        names = rows[0]["strengths"]
        numbers["strengths"] = {name: [row["strengths"][name] for row in rows] for name in names}
    return numbers


def _planted(seed: int) -> tuple[Pair, Pair]:
    pairs = (images.planted(200, seed), images.planted(2_000, 1_000 + seed))
    train, test = ((x.flatten(1), nn.functional.one_hot(label, 2).float()) for x, label in pairs)
    return train, test
