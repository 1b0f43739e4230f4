"""Checkpoints: everything a run needs to go on exactly where it stopped.

A checkpoint is a folder with the tensors (safetensors) and everything else (JSON, with a checksum of the tensors). It is written to
a temporary name and renamed, and the previous one is kept until the new one is whole, so a run may be killed at any moment. A
damaged checkpoint is noticed and passed over for the one before, with a warning. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from softsym.errors import CheckpointWarning, InputError

FORMAT = 1
KEEP = 2


@dataclass(frozen=True)
class Checkpoint:
    """What is saved.

    Args:
        epoch: How many epochs are done.
        tensors: Model, best model and optimizer state by name.
        state: Plain numbers and strings: strengths, controller, early stopping, history length.
    """

    epoch: int
    tensors: dict[str, Tensor]
    state: dict[str, Any]


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Writes a checkpoint into a folder of checkpoints; older ones but the previous are removed."""
    from safetensors.torch import save as encode

    folder.mkdir(parents=True, exist_ok=True)
    name = f"epoch-{checkpoint.epoch:07d}"
    temporary = folder / f".{name}.{os.getpid()}.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    data = encode({key: value.detach().cpu().contiguous() for key, value in checkpoint.tensors.items()})
    text = json.dumps(
        {"format": FORMAT, "epoch": checkpoint.epoch, "tensors": _digest(data), "state": checkpoint.state}
    )
    _write(temporary / "tensors.safetensors", data)
    _write(temporary / "state.json", text.encode())
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    os.replace(temporary, target)
    for old in _listed(folder)[KEEP:]:
        shutil.rmtree(old, ignore_errors=True)


def latest(folder: Path) -> Checkpoint | None:
    """The newest checkpoint that is whole; None if there is none."""
    for path in _listed(folder):
        try:
            return _load(path)
        except (OSError, ValueError, KeyError) as error:
            warnings.warn(
                f"checkpoint {path} is damaged ({error}); using the one before",
                CheckpointWarning,
                stacklevel=2,
            )
    return None


def check_writable(folder: Path, needed_bytes: int) -> None:
    """Refuses a folder that cannot be written or has no room, before any work is done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"ok")
        probe.unlink()
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}; pass another --out-dir") from error
    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        raise InputError(
            f"{folder} has {free / 1e6:.0f} MB free, this run needs about {needed_bytes / 1e6:.0f} MB; pass another --out-dir"
        )


def _load(path: Path) -> Checkpoint:
    from safetensors.torch import load as decode

    described: Mapping[str, Any] = json.loads((path / "state.json").read_text())
    if described["format"] != FORMAT:
        raise ValueError(f"format {described['format']}, this version reads {FORMAT}")
    data = (path / "tensors.safetensors").read_bytes()
    if _digest(data) != described["tensors"]:
        raise ValueError("the checksum of its tensors does not match")
    return Checkpoint(described["epoch"], decode(data), described["state"])


def _listed(folder: Path) -> list[Path]:
    return sorted(folder.glob("epoch-*"), reverse=True)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=32).hexdigest()
