"""Writing results: JSON to a file or to standard output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from softsym.errors import InputError


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
