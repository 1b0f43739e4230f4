"""What a model is to training: how to build it, which groups it takes, and which numbers of a preset are meant for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softsym.errors import InputError

if TYPE_CHECKING:
    from torch import nn

    from softsym.datasets import Task
    from softsym.groups import Group
    from softsym.regularize import EquivarianceRegularizer
    from softsym.reps import Rep
    from softsym.training import BatchHook, LossHook
    from softsym_lab.runs.spec import Preset


@dataclass(frozen=True, eq=False)
class Built:
    """A model, and what else its training needs.

    Args:
        model: The network.
        regularizer: Pulls it towards symmetries.
        on_batch: Changes every batch before the network sees it.
        on_loss: Adds to the loss of every batch.
        balanced: Whether what is added is scaled to the size of the task's loss in every batch.
    """

    model: nn.Module
    regularizer: EquivarianceRegularizer | None = None
    on_batch: BatchHook | None = None
    on_loss: LossHook | None = None
    balanced: bool = False


@dataclass(frozen=True)
class Blueprint:
    """What a model is built from.

    Args:
        task: Gives representations.
        preset: Gives decays, strengths and the like.
        width: Size of the hidden layers.
        seed: Seed of the initial weights, and of what hooks draw.
        given: The one group that was asked for, if any.
        candidates: The candidate groups.
    """

    task: Task
    preset: Preset
    width: int
    seed: int
    given: Group | None
    candidates: tuple[Group, ...]

    @property
    def reps(self) -> tuple[Rep, Rep]:
        """Representations of input and output."""
        return self.task.rep_in, self.task.rep_out

    @property
    def group(self) -> Group:
        """The one group: the given one, or the task's largest."""
        return self.given or self.task.largest


@dataclass(frozen=True)
class Model:
    """A model that can be trained by name.

    Args:
        name: The name.
        build: Makes it.
        takes_group: Whether it can be given one group.
        takes_candidates: Whether it can be given candidate groups.
        is_free: Whether its weights may lie outside of the equivariant spaces and it is worth recording how far.
        is_regularized: Whether penalties pull it towards symmetries.
        is_solved: Whether it is solved in closed form, so that numbers of training do not concern it.
        width: Its width, of a preset.
        batch: Its batch, of a preset.
        epochs: Its greatest number of epochs, of a preset.
    """

    name: str
    build: Callable[[Blueprint], Built]
    takes_group: bool = False
    takes_candidates: bool = False
    is_free: bool = False
    is_regularized: bool = False
    is_solved: bool = False
    width: Callable[[Preset], int] = lambda preset: preset.width
    batch: Callable[[Preset], int] = lambda preset: preset.batch
    epochs: Callable[[Preset], int] = lambda preset: preset.max_epochs

    def check(self, group: str | None, candidates: Sequence[str] | None) -> None:
        """Refuses groups that it does not take."""
        if group is not None and not self.takes_group:
            raise InputError(f"{self.name} takes no group, got {group!r}; leave it out")
        if candidates is not None and not self.takes_candidates:
            raise InputError(f"{self.name} takes no candidate groups, got {', '.join(candidates)}; leave them out")
