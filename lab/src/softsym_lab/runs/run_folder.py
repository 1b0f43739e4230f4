"""The folder of a run: claimed by its spec, never overwritten, and done when its result is there.

It holds ``spec.json`` (what was asked), ``history.jsonl``, ``checkpoints/``, ``model.safetensors`` (the best model) and ``result.json``. Of
the processes that share a run, the first writes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch import nn

from softsym.errors import InputError, in_one_line
from softsym.io import digest, dump_with_checksum, load_with_checksum, lock_folder, put_bytes, put_text
from softsym.training import is_first_process
from softsym_lab.runs.record import RunResult
from softsym_lab.runs.spec import RunSpec

MODEL = "model.safetensors"
WEIGHTS = "weights"
"""The field of a result that holds the checksum of the model in the same folder."""


class RunFolder:
    """A folder for one run.

    Args:
        path: Where it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def claim(self, spec: RunSpec, *, resume: bool) -> None:
        """Takes the folder for a run, or makes sure that it belongs to the same one."""
        if not is_first_process():  # which claims it for all
            return
        file = self.path / "spec.json"
        wanted = json.loads(json.dumps(spec.to_dict()))
        if file.exists():
            if not resume:
                raise InputError(
                    f"{self.path} holds a run already; pass --resume to go on with it, or another --out-dir"
                )
            if self._read(file) != wanted:
                raise InputError(f"{self.path} holds another run (see {file}); pass another --out-dir")
            return
        self.check_space(0)
        put_text(file, dump_with_checksum(wanted, indent=2) + "\n")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps other processes than those of this run out of the folder, which is made."""
        if not is_first_process():
            yield
            return
        self.check_space(0)
        with lock_folder(self.path):
            yield

    def check_space(self, needed_bytes: int) -> None:
        """Refuses a folder that cannot be written or has too little space, before any work is done."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            probe = self.path / f".probe-{os.getpid()}"
            probe.write_bytes(b"ok")
            probe.unlink()
        except OSError as error:
            raise InputError(f"cannot write to {self.path}: {error.strerror}; pass another --out-dir") from error
        free = shutil.disk_usage(self.path).free
        if free < needed_bytes:
            raise InputError(
                f"{self.path} has {free / 1e6:.0f} MB free, this run needs about {needed_bytes / 1e6:.0f} MB; pass another --out-dir"
            )

    def result(self) -> RunResult | None:
        """The result, if the run is done."""
        file = self.path / "result.json"
        if not file.exists():
            return None
        fields = self._read(file)
        weights, expected = self.path / MODEL, fields.pop(WEIGHTS, None)
        try:
            if expected is not None and digest(weights.read_bytes()) != expected:
                raise ValueError("the checksum of its weights does not match")
            return RunResult.from_dict(fields)
        except (OSError, ValueError, TypeError) as error:
            raise _damage_error(weights if expected is not None else file, error) from error

    def finish(self, model: nn.Module, result: RunResult) -> None:
        """Writes the model, and then the result, which says that the run is done."""
        from safetensors.torch import save

        if not is_first_process():
            return
        tensors = {name: value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
        put_bytes(self.path / MODEL, save(tensors))
        fields = {**result.to_dict(), WEIGHTS: digest((self.path / MODEL).read_bytes())}
        put_text(self.path / "result.json", dump_with_checksum(fields, indent=2) + "\n")

    @staticmethod
    def _read(file: Path) -> dict[str, Any]:
        try:
            return load_with_checksum(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise _damage_error(file, error) from error


def _damage_error(file: Path, error: Exception) -> InputError:
    return InputError(f"{file} is damaged ({in_one_line(error)}); remove it, or pass another --out-dir")
