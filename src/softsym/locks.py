"""One process at a folder at a time, with a note of who it is.

The lock is the operating system's: it goes with the process that holds it, however that ends. The note beside it only tells others whom
they are waiting for. Whoever holds a folder also sweeps what a killed process left half-written in it.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from softsym.errors import BusyError
from softsym.files import put_text, sweep

LOCK, OWNER = ".lock", ".owner.json"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds a folder, which must exist; who holds it already may do so again.

    Raises:
        BusyError: Another process is at it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, is_singleton=True)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise BusyError(
            f"{folder} is being written by {_owner(folder)}; wait until it is done, or pass another --out-dir"
        ) from error
    try:
        if lock.lock_counter == 1:
            sweep(folder)
            put_text(folder / OWNER, json.dumps(_myself()))
        yield
    finally:
        if lock.lock_counter == 1:  # gone before the lock is, so that nobody's else are removed
            (folder / OWNER).unlink(missing_ok=True)
            if sys.platform != "win32":
                (folder / LOCK).unlink(missing_ok=True)
        lock.release()


def who_holds(folder: Path) -> str | None:
    """Who is at a folder, in words; None if nobody is."""
    from filelock import FileLock, Timeout

    if not (folder / LOCK).exists():
        return None
    try:
        with FileLock(folder / LOCK, timeout=0):
            return None
    except Timeout:
        return _owner(folder)


def _myself() -> dict[str, object]:
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return {"process": os.getpid(), "host": socket.gethostname(), "since": since}


def _owner(folder: Path) -> str:
    try:
        note = json.loads((folder / OWNER).read_text(encoding="utf-8"))
        return f"process {note['process']} on {note['host']}, since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
