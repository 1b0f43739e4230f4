"""Checkpoints: everything that training needs to continue exactly where it stopped.

A checkpoint is a folder with the tensors (safetensors) and everything else (JSON, with checksums of both). It appears whole,
and the previous one is kept until then, so a run may be killed at any moment. A damaged checkpoint is skipped for the
one before, with a warning. Nothing is ever unpickled.
"""

from __future__ import annotations

import shutil
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from softsym.errors import CheckpointWarning, in_one_line
from softsym.io import digest, dump_with_checksum, load_with_checksum, put_folder, sweep
from softsym.regularize import EquivarianceRegularizer
from softsym.regularize.strengths import Controller
from softsym.training.history import EarlyStopping
from softsym.training.optim import WeightAverage

FORMAT = 1
KEEP = 2


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint."""

    epoch: int  # how many epochs are done
    tensors: dict[str, Tensor]  # model, best model and optimizer state by name
    state: dict[str, Any]  # plain numbers and strings: strengths, controller, early stopping, history length


@dataclass(eq=False)
class TrainingState:
    """Everything that changes during training, to be captured and restored."""

    model: nn.Module  # the model
    optimizer: Any  # its optimizer
    regularizer: EquivarianceRegularizer | None  # its regularizer, if any
    controller: Controller  # changes the strengths
    stopping: EarlyStopping  # early stopping
    average: WeightAverage  # the average of its weights
    best: dict[str, Tensor] = field(default_factory=dict)
    """The parameters of the best model so far; empty before validation counts."""

    def note_best(self) -> None:
        """Remembers the current parameters as the best so far."""
        self.best = {name: p.detach().clone() for name, p in self.model.state_dict().items()}

    def capture(self, epoch: int, seconds: float) -> Checkpoint:
        """A checkpoint of the current state."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self.best.items()}
        tensors |= {f"average.{name}": value for name, value in self.average.tensors().items()}
        for k, values in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{k}.{name}": torch.as_tensor(value) for name, value in values.items()}
        state = {
            "seconds": seconds,
            "controller": self.controller.state_dict(),
            "stopping": self.stopping.state_dict(),
            "strengths": None if self.regularizer is None else self.regularizer.state_dict(),
        }
        return Checkpoint(epoch, tensors, state)

    def restore(self, saved: Checkpoint) -> None:
        """Restores a checkpoint."""
        self.model.load_state_dict(_with_prefix(saved.tensors, "model."))
        described = self.optimizer.state_dict()
        described["state"] = {}
        for name, value in _with_prefix(saved.tensors, "optimizer.").items():
            k, key = name.split(".", 1)
            described["state"].setdefault(int(k), {})[key] = value
        self.optimizer.load_state_dict(described)
        self.controller.load_state_dict(saved.state["controller"])
        self.stopping.load_state_dict(saved.state["stopping"])
        if self.regularizer is not None:
            self.regularizer.load_state_dict(saved.state["strengths"])
        self.best = _with_prefix(saved.tensors, "best.")
        self.average.restore(_with_prefix(saved.tensors, "average."))


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Writes a checkpoint into a folder of checkpoints; older ones but the previous are removed."""
    from safetensors.torch import save as encode

    folder.mkdir(parents=True, exist_ok=True)
    data = encode({key: value.detach().cpu().contiguous() for key, value in checkpoint.tensors.items()})
    described = {"format": FORMAT, "epoch": checkpoint.epoch, "tensors": digest(data), "state": checkpoint.state}
    text = dump_with_checksum(described)

    def write(target: Path) -> None:
        (target / "tensors.safetensors").write_bytes(data)
        (target / "state.json").write_text(text, encoding="utf-8")

    put_folder(folder / f"epoch-{checkpoint.epoch:07d}", write)
    for old in _checkpoints(folder)[KEEP:]:
        shutil.rmtree(old, ignore_errors=True)
    sweep(folder)


def latest(folder: Path, last_epoch: int | None = None) -> Checkpoint | None:
    """The newest checkpoint that is whole; None if there is none."""
    for path in _checkpoints(folder):
        try:
            saved = _load(path)
            if last_epoch is not None and saved.epoch > last_epoch:
                raise ValueError(f"its history ends at epoch {last_epoch}")
            return saved
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = f"checkpoint {path} is damaged ({in_one_line(error)}); using the one before"
            warnings.warn(message, CheckpointWarning, stacklevel=2)
    return None


def _load(path: Path) -> Checkpoint:
    from safetensors.torch import load as decode

    described = load_with_checksum((path / "state.json").read_text(encoding="utf-8"))
    if described["format"] != FORMAT:
        raise ValueError(f"format {described['format']}, this version reads {FORMAT}")
    data = (path / "tensors.safetensors").read_bytes()
    if digest(data) != described["tensors"]:
        raise ValueError("the checksum of its tensors does not match")
    return Checkpoint(described["epoch"], decode(data), described["state"])


def _checkpoints(folder: Path) -> list[Path]:
    return sorted(folder.glob("epoch-*"), reverse=True)


def _with_prefix(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
