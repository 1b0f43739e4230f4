"""Writing results: JSON to a file or to standard output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from softsym.errors import InputError


def check_target(target: str) -> None:
    """Refuses a place where no file can be written, before any work is done."""
    path = Path(target)
    if target != "-" and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"cannot write {target}: pass a file in a folder that exists, or -")


def write_json(result: Any, target: str) -> None:
    """Writes a result as JSON to a file, or to standard output if the target is ``-``."""
    text = json.dumps(result, indent=2)
    if target == "-":
        typer.echo(text)
        return
    try:
        Path(target).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror}") from error
