"""Files and folders that appear whole or not at all, JSON with checksums, and locks on folders.

Everything that softsym stores is written here. A file has a temporary name while it is written and is renamed when it is complete and on
the disk: a reader, or a process that was killed, finds the old one or the new one, and two processes never write into the same file.

A lock is the operating system's and ends with the process that holds it. A note in the folder says which process that is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from softsym.errors import BusyError

CHECKSUM_FIELD = "checksum"
"""The field of a JSON object that holds the checksum of all others."""
LOCK, OWNER = ".lock", ".owner.json"
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}(\.[a-z0-9]+)??(?P<aside>\.old)?")
"""Names of files and folders while they are written, and of folders that are being replaced."""


def put_text(target: Path, text: str) -> None:
    """Writes a UTF-8 text file, whole or not at all."""
    put_bytes(target, text.encode())


def put_bytes(target: Path, data: bytes, *, to_disk: bool = True) -> None:
    """Writes a file, whole or not at all; see :func:`put_file`."""
    put_file(target, lambda path: path.write_bytes(data), to_disk=to_disk)


def put_file(target: Path, write: Callable[[Path], object], *, to_disk: bool = True) -> None:
    """Lets ``write`` fill a file of a temporary name with the same ending, then puts it in place.

    Args:
        target: Where it goes.
        write: Is given the temporary path.
        to_disk: Wait until it is on the disk; a cache whose entries have a checksum can do without.
    """
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(6)}{target.suffix.lower()}")
    temporary.touch(exist_ok=False)
    try:
        write(temporary)
        if to_disk:
            _to_disk(temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def put_folder(target: Path, write: Callable[[Path], object]) -> None:
    """Lets ``write`` fill a folder of a temporary name, then puts it in place; what was there goes only after that."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    temporary.mkdir()
    try:
        write(temporary)
        for path in temporary.rglob("*"):
            if path.is_file():
                _to_disk(path)
        _exchange(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def sweep(folder: Path, name: str | None = None) -> None:
    """Removes what killed processes left half-written; a folder that was put aside and never replaced comes back.

    Args:
        folder: Where to look; nobody else may be writing there.
        name: Of the only file or folder whose remains are meant.
    """
    for path in sorted(folder.glob(".*")):
        left = _TEMPORARY.fullmatch(path.name)
        if left is None or (name is not None and left["name"] != name):
            continue
        target = path.with_name(left["name"])
        if left["aside"] and path.is_dir() and not target.exists():
            os.replace(path, target)
        elif path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def digest(data: bytes | memoryview) -> str:
    """A checksum of bytes: 64 hexadecimal digits.

    Example:
        >>> digest(b"softsym")[:8]
        '3570692e'
    """
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def dump_with_checksum(fields: Mapping[str, Any], indent: int | None = None) -> str:
    """A JSON object with a checksum of its fields among them.

    Example:
        >>> load_with_checksum(dump_with_checksum({"epoch": 3})) == {"epoch": 3}
        True
    """
    values = json.loads(json.dumps(dict(fields)))
    return json.dumps({**values, CHECKSUM_FIELD: _checksum(values)}, indent=indent)


def load_with_checksum(text: str) -> dict[str, Any]:
    """The fields of a JSON object; a ``ValueError`` if there is no checksum or they do not match it."""
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError(f"a JSON object was expected, not {type(fields).__name__}")
    checksum = fields.pop(CHECKSUM_FIELD, None)
    if checksum is None:
        raise ValueError("it has no checksum")
    if checksum != _checksum(fields):
        raise ValueError("its checksum does not match")
    return fields


def _checksum(fields: Mapping[str, Any]) -> str:
    return digest(json.dumps(fields, sort_keys=True).encode())


def _exchange(new: Path, target: Path) -> None:
    """Puts a folder where another may be, which comes back if that fails."""
    if not target.exists():
        os.replace(new, target)
        return
    aside = new.with_name(f"{new.name}.old")
    os.replace(target, aside)
    try:
        os.replace(new, target)
    except BaseException:
        os.replace(aside, target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Locks a folder, which must exist, and removes what a killed process left half-written; a process may lock it repeatedly.

    Raises:
        BusyError: Another process has locked it.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, is_singleton=True)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise BusyError(
            f"{folder} is being written by {_read_owner(folder)}; wait until it is done, or pass another --out-dir"
        ) from error
    try:
        if lock.lock_counter == 1:
            sweep(folder)
            put_text(folder / OWNER, json.dumps(_describe_process()))
        yield
    finally:
        if lock.lock_counter == 1:  # before the lock is released: afterwards they may be another process's
            (folder / OWNER).unlink(missing_ok=True)
            if sys.platform != "win32":
                (folder / LOCK).unlink(missing_ok=True)
        lock.release()


def lock_owner(folder: Path) -> str | None:
    """A description of the process that has locked a folder; None if there is none."""
    from filelock import FileLock, Timeout

    if not (folder / LOCK).exists():
        return None
    try:
        with FileLock(folder / LOCK, timeout=0):
            return None
    except Timeout:
        return _read_owner(folder)


def _describe_process() -> dict[str, object]:
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return {"process": os.getpid(), "host": socket.gethostname(), "since": since}


def _read_owner(folder: Path) -> str:
    try:
        note = json.loads((folder / OWNER).read_text(encoding="utf-8"))
        return f"process {note['process']} on {note['host']}, since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
