"""One member of an estimator's ensemble: what it maps, how it is trained, what it predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.weighted import Weighted
from softsym.groups import Group, Trivial, join_groups
from softsym.metrics.equivariance import Violations
from softsym.nn import MLP, ScaleCanonical, SoftMLP, soft_network
from softsym.regularize import EquivarianceRegularizer
from softsym.reps import Rep
from softsym.training import fit
from softsym.training.loop import Criterion, Fitted
from softsym.training.splits import Splits

SOFTMAX = partial(torch.softmax, dim=-1)


@dataclass(frozen=True)
class Shape:
    """What the members map, and which symmetries they may have.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        groups: Candidate groups; none for an ordinary network.
        largest: Group of gates and bilinear layers.
    """

    rep_in: Rep
    rep_out: Rep
    groups: tuple[Group, ...]
    largest: Group

    @classmethod
    def of(cls, rep_in: Rep, rep_out: Rep, groups: Sequence[Group], largest: Group | None = None) -> Shape:
        """The shape, with the candidates joined as the largest group unless one is given."""
        whole = largest or (join_groups(groups) if groups else Trivial(1))
        return cls(rep_in, rep_out, tuple(groups), whole)

    def without_groups(self) -> Shape:
        """The shape without candidates: that of an unconstrained network."""
        return replace(self, groups=())

    def restrict_to(self, names: Iterable[str]) -> Shape:
        """The shape with the candidates of these names alone."""
        kept = set(names)
        return replace(self, groups=tuple(group for group in self.groups if group.name in kept))

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of inputs and outputs."""
        return self.rep_in.size(self.largest), self.rep_out.size(self.largest)


@dataclass(frozen=True, eq=False)
class Member:
    """One trained network, in double precision, with what is known of its training."""

    seed: int
    model: nn.Module
    strengths: dict[str, float]
    history: list[dict[str, Any]]
    is_finished: bool = True


def make_network(shape: Shape, recipe: Recipe, seed: int) -> nn.Module:
    """The PER network of the candidates, or a plain one if there are none."""
    sizes = (recipe.width, recipe.layers)
    if not shape.groups:
        return MLP(shape.rep_in, shape.rep_out, shape.largest, *sizes, seed=seed)
    make = soft_network if recipe.framing else SoftMLP
    return make(
        shape.rep_in, shape.rep_out, shape.groups, *sizes, largest=shape.largest, init=recipe.init, seed=seed
    )


def make_regularizer(
    model: nn.Module,
    shape: Shape,
    strength: float | Mapping[str, float] = 0.0,
    *,
    dimensionless: bool = False,
) -> EquivarianceRegularizer | None:
    """The penalties of all candidates; in a loss they are dimensionless, so that one strength suits all tasks."""
    if not shape.groups:
        return None
    return EquivarianceRegularizer(model, shape.groups, strength=strength, dimensionless=dimensionless)


@dataclass(frozen=True, eq=False)
class Start:
    """The state that a training continues from.

    Args:
        weights: The network's.
        strengths: Of the penalties, from then on.
    """

    weights: dict[str, Tensor]
    strengths: dict[str, float]


def train_member(
    shape: Shape,
    recipe: Recipe,
    data: Splits,
    seed: int,
    *,
    start: Start | None = None,
    criterion: Criterion = nn.functional.mse_loss,
    device: str = "cpu",
    folder: Path | None = None,
    on_epoch: Callable[[dict[str, Any]], bool | None] | None = None,
) -> Member:
    """Trains one network; with a folder it continues from the newest checkpoint there.

    Args:
        shape: Representations and candidate groups.
        recipe: How to train, with epochs and batch chosen.
        data: Standardised data.
        seed: Seed of weights and batches.
        start: Weights and strengths to continue from; a new network by default.
        criterion: The loss.
        device: What to compute on; the network comes back to the CPU.
        folder: Where checkpoints go.
        on_epoch: Called after every epoch; returns True to stop.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    stopped = False

    def watch(row: dict[str, Any]) -> bool:
        nonlocal stopped
        stopped = bool(on_epoch is not None and on_epoch(row))
        return stopped

    with one_thread():
        model = make_network(shape, recipe, seed)
        if isinstance(model, ScaleCanonical):
            model.fit_size_(data.train[0])
        if start is not None:
            model.load_state_dict(start.weights)
        strength = recipe.strength or 0.0 if start is None else start.strengths
        regularizer = make_regularizer(model, shape, strength, dimensionless=recipe.form == "loss")
        plain = criterion.inner if isinstance(criterion, Weighted) else criterion
        is_classes, outputs = plain is nn.functional.cross_entropy, shape.sizes[1]
        fitted: Fitted = fit(
            model,
            data,
            recipe.settings(seed, has_groups=bool(shape.groups)).model_copy(update={"accelerator": device}),
            regularizer=regularizer,
            controller=recipe.controller() if regularizer is not None else None,
            criterion=criterion,
            violations=Violations(
                shape.rep_in,
                shape.rep_out,
                shape.groups,
                (data.train[0], data.train[1][:, :outputs]),
                (data.val[0], data.val[1][:, :outputs]),
                *([SOFTMAX] if is_classes else []),
            ),
            folder=folder,
            resume=folder is not None,
            on_epoch=watch,
        )
    model = (
        fitted.model.double().eval()
    )  # so that the prediction of a row does not depend on other rows of the batch
    return Member(seed, model, fitted.strengths, fitted.history, is_finished=not stopped)


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs torch with one thread.

    The last bits of initial weights and of a training depend on the number of threads, so members have one wherever they are trained:
    in this process or in several, on two cores or on sixty. At the usual widths a second thread brings nothing.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@torch.no_grad()
def predict_members(members: Sequence[Member], x: Tensor, chunk: int = 16_384) -> Tensor:
    """Predictions of all members, shape (members, n, outputs)."""
    return torch.stack([torch.cat([member.model(part) for part in x.split(chunk)]) for member in members])
