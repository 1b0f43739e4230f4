"""Ways to learn with candidate symmetries, each as one training step: augmentation, the sample-based penalty, the regularizer.

Whatever the way, groups come with strengths, and a strength of zero leaves a group out: with all of them zero every way is plain
training, to the bit. Every way has the same network, steps, optimiser and seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from softsym.maps import infer_reps
from softsym.regularize import EquivarianceRegularizer, GroupAugmentation, SamplePenalty
from softsym.regularize.strengths import Controller, Fixed, OneShot
from softsym_lab.benchmarks.planted.cases import Case, Pair

BATCH = 50
GAMMA = 4.0
"""How strongly differences of residuals count where strengths are adjusted once."""


@dataclass(frozen=True)
class Method:
    """A way with the strengths it may have.

    Args:
        way: How groups are used.
        picks: Where strengths come from: the same for all candidates, for what holds alone (which only an oracle knows), by the evidence of
            the training rows, by held-out rows, or the same at the start and adjusted once by residuals.
        levels: Strengths, one unless there is a choice; none where the evidence says how strong.
        start: Whether weights are made equivariant at the start.
        finite: Whether finite candidates are taken in the place of continuous ones.
        alone: A single candidate, whatever the others are.
        seeds: How many trainings are worth their time.
    """

    way: Literal["plain", "augment", "sample", "per"]
    picks: Literal["all", "what holds", "evidence", "held-out rows", "adjusted"] = "all"
    levels: tuple[float, ...] = ()
    start: bool = False
    finite: bool = False
    alone: str = ""
    seeds: int = 5

    def groups(self, case: Case) -> tuple[str, ...]:
        """The candidates it is given."""
        if self.way == "plain":
            return ()
        if self.alone:
            return (self.alone,)
        if self.picks == "what holds":
            return case.holds
        return case.finite if self.finite and case.finite else case.groups


METHODS = {
    "plain": Method("plain", seeds=10),
    "per": Method("per", "evidence", finite=True, seeds=10),
    "augmented, by evidence": Method("augment", "evidence", (1.0,), seeds=10),
    "sample penalty, by evidence": Method("sample", "evidence", (0.3,)),
    "augmented by what holds": Method("augment", "what holds", (1.0,)),
    "augmented": Method("augment", levels=(1.0,)),
    "sample penalty": Method("sample", levels=(0.3,)),
    "per, adjusted once": Method("per", "adjusted", (30.0,)),
    "per, by held-out rows": Method("per", "held-out rows", (10.0, 100.0), start=True, finite=True, seeds=3),
}
"""By the names of the table."""
ALONE = (1.0, 10.0, 100.0)


def methods(case: Case) -> dict[str, Method]:
    """The methods that make sense for a task; where nothing holds also each candidate alone: is there anything to gain?"""
    named = {name: method for name, method in METHODS.items() if method.picks != "what holds" or case.holds}
    if case.holds:
        return named
    return named | {
        f"per, {group} at {level:g}": Method("per", levels=(level,), alone=group)
        for group in case.groups
        for level in ALONE
    }


class Training:
    """A network that is trained by one method.

    Args:
        case: The task.
        method: How.
        strengths: The strength of each group.
        seed: Seed of weights and batches.
        epochs: How long.
    """

    def __init__(self, case: Case, method: Method, strengths: Mapping[str, float], seed: int, epochs: int) -> None:
        self.case, self.epochs = case, epochs
        torch.manual_seed(seed)
        self.net = case.build()
        self._f = case.network(self.net)
        self._optimizer = torch.optim.Adam(self.net.parameters(), lr=case.lr)
        active = {group: strength for group, strength in strengths.items() if strength}
        self._augmentations: list[GroupAugmentation] = []
        self._penalties: list[tuple[float, SamplePenalty]] = []
        self.per: EquivarianceRegularizer | None = None
        if method.way == "augment":
            self._augmentations = [GroupAugmentation(case.rep_in, case.rep_out, group, seed) for group in active]
        elif method.way == "sample":
            self._penalties = [
                (strength, SamplePenalty(case.rep_in, case.rep_out, group, seed)) for group, strength in active.items()
            ]
        elif method.way == "per" and active:
            self.per = _regularizer(case, self.net, active)
            if method.start:
                self.per.initialize_()
        self._rule: Controller = Fixed()
        if method.picks == "adjusted":
            self._rule = OneShot(max(1, epochs // 3), GAMMA, max(1, epochs // 6))
        self._rule.begin({} if self.per is None else self.per.strengths)
        self._order, self._steps = torch.Generator().manual_seed(seed), 0

    def step(self, x: Tensor, y: Tensor) -> None:
        """One batch."""
        if self._augmentations:
            x, y = self._augmentations[self._steps % len(self._augmentations)](x, y, self._steps)
        prediction = self._f(x)
        loss = self.case.loss(prediction, y)
        if self._penalties:
            strength, penalty = self._penalties[self._steps % len(self._penalties)]
            loss = loss + strength * penalty(self._f, x, prediction, self._steps)
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        if self.per is not None:
            self.per.prox_(self.case.lr)
        self._steps += 1

    def run(self, train: Pair) -> nn.Module:
        """All epochs; the network."""
        x, y = train
        for epoch in range(1, self.epochs + 1):
            for rows in torch.randperm(len(x), generator=self._order).split(BATCH):
                self.step(x[rows], y[rows])
            if self.per is not None and self._rule.wants_residuals(epoch):
                self.per.strengths = self._rule.on_epoch_end(self.per.residuals(), epoch)
        return self.net.eval()


def _regularizer(case: Case, net: nn.Module, strengths: Mapping[str, float]) -> EquivarianceRegularizer:
    example = torch.zeros(2, *case.shape)
    reps = infer_reps(net, case.rep_in, case.rep_out, list(strengths), example=example, hidden="mixed")
    return EquivarianceRegularizer(net, list(strengths), reps=reps, strength=dict(strengths))
