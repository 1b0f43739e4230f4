"""Where a discovery works and what it leaves: whole results or none, and a stopped one that can go on.

While it runs, everything is in ``DIR.partial``: what was asked, and checkpoints of every member. When all is done the results are written
under a temporary name and renamed to ``DIR``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softsym.errors import InputError
from softsym.files import put_folder

ASKED = "asked.json"


@dataclass(frozen=True)
class Workspace:
    """The folders of one discovery.

    Args:
        target: Where results go.
        force: Replace what is there.
        resume: Go on with what was stopped.
    """

    target: Path
    force: bool = False
    resume: bool = False

    @property
    def partial(self) -> Path:
        """Where the work is while it is not done."""
        return self.target.with_name(self.target.name + ".partial")

    def check(self) -> None:
        """Refuses to overwrite anything, before any work is done."""
        if not self.target.name:
            raise InputError(f"--out-dir {self.target} is a folder that exists; pass the name of a new one")
        if self.resume and not self.partial.exists():
            raise InputError(f"there is no stopped discovery in {self.partial}; leave out --resume")
        if self.target.exists() and not self.force:
            raise InputError(
                f"{self.target} exists already; pass another --out-dir, or --force to replace it"
            )
        if self.target.exists() and not (self.target / "symmetries.json").exists():
            raise InputError(
                f"{self.target} exists and was not written by softsym discover; it is left alone"
            )
        if self.partial.exists() and not (self.resume or self.force):
            raise InputError(
                f"{self.partial} holds a discovery that was stopped; pass --resume to go on with it, or --force to start again"
            )

    def open(self, asked: dict[str, Any]) -> Path:
        """Makes the working folder, or finds it again if the same was asked; returns it."""
        file = self.partial / ASKED
        if self.partial.exists() and self.resume:
            self._compare(file, asked)
        elif self.partial.exists():
            shutil.rmtree(self.partial)
        try:
            self.partial.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(asked, indent=1), encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"cannot write to {self.partial}: {error.strerror}; pass another --out-dir"
            ) from error
        return self.partial

    def finish(self, write: Callable[[Path], None]) -> Path:
        """Writes results under a temporary name, then puts them in place; the working folder goes."""
        put_folder(self.target, write)
        shutil.rmtree(self.partial, ignore_errors=True)
        return self.target

    def _compare(self, file: Path, asked: dict[str, Any]) -> None:
        try:
            before = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self.partial} cannot be continued ({error}); pass --force to start again"
            ) from error
        changed = sorted(key for key in {*before, *asked} if before.get(key) != asked.get(key))
        if changed:
            raise InputError(
                f"{self.partial} was started with another {', '.join(changed)}; pass the same again, or --force to start anew"
            )
