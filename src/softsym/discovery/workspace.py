"""The folders of a discovery: results are written completely or not at all, and a stopped discovery can be continued.

While it runs, ``DIR.partial`` holds its arguments and checkpoints of every member, under a lock that names the process. When it is done the
results are written under a temporary name and renamed to ``DIR``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softsym.errors import InputError, in_one_line
from softsym.io import (
    LOCK,
    OWNER,
    dump_with_checksum,
    load_with_checksum,
    lock_folder,
    lock_owner,
    put_folder,
    put_text,
    sweep,
)

ARGUMENTS = "asked.json"


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
        """The working folder of an unfinished discovery."""
        return self.target.with_name(self.target.name + ".partial")

    def check(self) -> None:
        """Refuses to overwrite anything, before any work is done."""
        if not self.target.name:
            raise InputError(f"--out-dir {self.target} is a folder that exists; pass the name of a new one")
        owner = lock_owner(self.partial)
        if owner is not None:
            raise InputError(
                f"{self.partial} is being written by {owner}; wait until it is done, or pass another --out-dir"
            )
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

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Makes and locks the working folder, and removes what killed processes left next to it."""
        try:
            self.partial.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            with lock_folder(self.partial):
                sweep(self.target.parent, self.target.name)
                yield
        finally:
            if self.partial.exists() and not any(self.partial.iterdir()):
                self.partial.rmdir()  # nothing was begun

    def open(self, arguments: dict[str, Any]) -> Path:
        """Empties the working folder, or checks that a stopped discovery had the same arguments; to be called while it is locked."""
        file = self.partial / ARGUMENTS
        if self.resume and file.exists():
            self._compare(file, arguments)
        try:
            if not self.resume:
                self._clear()
            put_text(file, dump_with_checksum(arguments, indent=1))
        except OSError as error:
            raise self._unwritable(error) from error
        return self.partial

    def finish(self, write: Callable[[Path], None]) -> Path:
        """Writes results under a temporary name, then puts them in place; the working folder goes."""
        put_folder(self.target, write)
        shutil.rmtree(self.partial, ignore_errors=True)
        return self.target

    def _clear(self) -> None:
        for path in self.partial.iterdir():
            if path.name in (LOCK, OWNER):
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cannot write to {self.partial}: {error.strerror}; pass another --out-dir")

    def _compare(self, file: Path, arguments: dict[str, Any]) -> None:
        try:
            before = load_with_checksum(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self.partial} cannot be continued ({in_one_line(error)}); pass --force to start again"
            ) from error
        changed = sorted(key for key in {*before, *arguments} if before.get(key) != arguments.get(key))
        if changed:
            raise InputError(
                f"{self.partial} was started with another {', '.join(changed)}; pass the same again, or --force to start anew"
            )
