"""Warnings as people should see them at a command line: one line each, without the place in the code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from softsym.errors import printable


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Shows every warning raised inside as one line on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _show
        yield


def _show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
    typer.echo(f"softsym: warning: {printable(str(message))}", err=True)
