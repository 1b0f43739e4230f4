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
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import IO, Any

from softsym.errors import BusyError, InputError

CHECKSUM_FIELD = "checksum"  # the field of a JSON object that holds the checksum of all others
LOCK, OWNER = ".lock", ".owner.json"
MANIFEST = "manifest.json"
"""The list of files, with checksums, in a folder that :func:`put_folder` wrote."""
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}(\.[a-z0-9]+)??(?P<aside>\.old)?")
"""Names of files and folders while they are written, and of folders that are being replaced."""


def put_text(target: Path, text: str) -> None:
    """Writes a UTF-8 text file, whole or not at all."""
    put_bytes(target, text.encode())


def put_bytes(target: Path, data: bytes, *, to_disk: bool = True) -> None:
    """Writes a file, whole or not at all; see :func:`put_file`."""
    put_file(target, lambda path: path.write_bytes(data), to_disk=to_disk)


def put_file(target: Path, write: Callable[[Path], object], *, to_disk: bool = True) -> None:
    """Lets ``write`` fill a file of a temporary name with the same ending, then puts it in place."""
    if target.is_symlink():
        target = target.resolve()
    if target.exists() and not target.is_file():
        raise InputError(f"{target} is no file but a folder, a pipe or a device; pass the name of a file")
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(6)}{target.suffix.lower()}")
    held = temporary.open("xb")  # locked while it is written, unlike what killed processes left
    try:
        if _lock(held):
            for path in target.parent.glob(f".{escape(target.stem)}.*"):
                if _TEMPORARY.fullmatch(path.name) and path.suffix == temporary.suffix and path.is_file():
                    _remove_left(path)
        else:
            held.close()  # a system without such locks would not rename an open file
        write(temporary)
        if to_disk:
            _to_disk(temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        held.close()


def _lock(file: IO[bytes]) -> bool:
    """Locks an open file until it is closed, if no other process has."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _remove_left(path: Path) -> None:
    """Removes a temporary file that no process is writing."""
    with suppress(OSError), path.open("rb") as file:
        if _lock(file):
            path.unlink(missing_ok=True)


def put_folder(target: Path, write: Callable[[Path], object]) -> None:
    """Lets ``write`` fill a folder of a temporary name, then puts it in place with a manifest of its files.

    What was there goes only after that, and only if :func:`check_replaceable` says that all of it was written here.
    """
    target = target.resolve()
    check_replaceable(target)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    temporary.mkdir()
    try:
        write(temporary)
        files = {name: digest((temporary / name).read_bytes()) for name in sorted(_files_in(temporary) - {MANIFEST})}
        (temporary / MANIFEST).write_text(dump_with_checksum({"format": 1, "files": files}, indent=1), "utf-8")
        for path in temporary.rglob("*"):
            if path.is_file():
                _to_disk(path)
        check_replaceable(target)
        _exchange(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def check_replaceable(folder: Path) -> None:
    """Refuses to replace a folder unless it is empty or its manifest, which :func:`put_folder` wrote, lists every file in it."""
    folder = folder.resolve()
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; it is left alone, pass another name")
    there = _files_in(folder)
    listed = read_manifest(folder)
    if there and listed is None:
        raise InputError(
            f"{folder} was not written by softsym, or its {MANIFEST} was changed; it is left alone, pass another folder"
        )
    others = sorted(there - {*(listed or ()), MANIFEST, LOCK, OWNER})
    if others:
        raise InputError(
            f"{folder} holds {others[0]!r}, which softsym did not write; it is left alone, pass another folder"
        )


def read_manifest(folder: Path) -> dict[str, str] | None:
    """Names and checksums of the files that softsym wrote into a folder; None without a manifest that is whole."""
    try:
        files = load_with_checksum(read_regular(folder / MANIFEST, 10**8).decode())["files"]
        return {str(name): str(checksum) for name, checksum in files.items()}
    except (OSError, ValueError, KeyError, AttributeError):
        return None


def _files_in(folder: Path) -> set[str]:
    """Relative names of all files, and of links, pipes and empty folders, which count as files."""
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir() or not any(path.iterdir())]
    return {path.relative_to(folder).as_posix() for path in paths}


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a file of at most so many; an :class:`InputError` for a larger one, a pipe, a device or a folder."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path} is no file but a folder, a pipe or a device")
    if status.st_size > most:
        raise InputError(f"{path} has {status.st_size:,} bytes; at most {most:,} are read")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:  # it has grown
        raise InputError(f"{path} has more than {most:,} bytes; at most so many are read")
    return data


def private_folder(folder: Path) -> Path:
    """Makes a folder that only this user can write to; a ``PermissionError`` if others can exchange what is in it.

    Its parents must belong to this user or to the system, too, and nobody else may rename in them (a sticky bit forbids that).
    """
    folder = folder.resolve()
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)
        if not hasattr(os, "getuid"):
            continue
        status = path.stat()
        mine = status.st_uid in ((os.getuid(),) if path == folder else (os.getuid(), 0))
        # A group of the user's own, as many systems give to everybody, is no other person.
        others = stat.S_IWOTH if status.st_gid == status.st_uid else stat.S_IWOTH | stat.S_IWGRP
        is_open = status.st_mode & others and (path == folder or not status.st_mode & stat.S_ISVTX)
        if not mine or is_open:
            raise PermissionError(f"{path} can be written to by others")
    return folder


def sweep(folder: Path, name: str | None = None) -> None:
    """Removes what killed processes left half-written; a folder that was put aside and never replaced comes back."""
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
    """A checksum of bytes: 64 hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def dump_with_checksum(fields: Mapping[str, Any], indent: int | None = None) -> str:
    """A JSON object with a checksum of its fields among them."""
    values = json.loads(json.dumps(dict(fields)))
    return json.dumps({**values, CHECKSUM_FIELD: _checksum(values)}, indent=indent)


def load_json(text: str | bytes) -> Any:
    """Values of a JSON text; a ``ValueError`` for everything that is none, also for brackets nested too deeply.

    Example:
        >>> load_json("[" * 100_000)
        Traceback (most recent call last):
        ...
        ValueError: its brackets are nested too deeply
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None


def load_with_checksum(text: str) -> dict[str, Any]:
    """The fields of a JSON object; a ``ValueError`` if there is no checksum or they do not match it."""
    fields = load_json(text)
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
    """Locks a folder, which must exist, and sweeps it; repeatedly in one process, but a :class:`BusyError` if another has locked it."""
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
            since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            note = {"process": os.getpid(), "host": socket.gethostname(), "since": since}
            put_text(folder / OWNER, json.dumps(note))
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


def _read_owner(folder: Path) -> str:
    try:
        note = json.loads((folder / OWNER).read_text(encoding="utf-8"))
        return f"process {note['process']} on {note['host']}, since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
