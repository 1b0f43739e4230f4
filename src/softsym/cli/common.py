"""What the commands share: texts and targets that are refused at once, warnings in one line, JSON output."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from softsym.errors import InputError, printable


class Interrupted(BaseException):
    """Ctrl-C in a command; not a KeyboardInterrupt, which typer would catch."""


def check_texts(reps: Sequence[str | None] = (), groups: Sequence[str | None] = ()) -> None:
    """Refuses representations and groups that cannot be read, before torch is imported; None stands for one that was not given.

    Example:
        >>> check_texts(["5S + 5V", None], ["Q(9)"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: group 'Q(9)': unknown group (known: O, SO, SL, ...
    """
    from softsym.groups import group as read_group
    from softsym.reps import rep as read_rep

    for rep in reps:
        if rep is not None:
            read_rep(rep)
    for group in groups:
        if group is not None:
            read_group(group)


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


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Shows every warning raised inside as one line on standard error, without its place in the code."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _show_warning
        yield


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
    typer.echo(f"softsym: warning: {printable(str(message))}", err=True)
