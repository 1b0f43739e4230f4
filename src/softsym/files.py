"""Putting files and folders in place: whole or not at all, with the permissions that people's own files have."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def put_folder(target: Path, write: Callable[[Path], object]) -> None:
    """Writes a folder under a temporary name, then puts it in place; what was there goes only after that."""
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        write(temporary)
        temporary.chmod(0o777 & ~_umask())
        if target.exists():
            aside = temporary.with_name(temporary.name + ".old")
            os.replace(target, aside)
            os.replace(temporary, target)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def put_file(target: Path, write: Callable[[Path], object]) -> None:
    """Writes a file under a temporary name with the same ending, then puts it in place."""
    handle, name = tempfile.mkstemp(
        prefix=f".{target.stem}.", suffix=target.suffix.lower(), dir=target.parent
    )
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
