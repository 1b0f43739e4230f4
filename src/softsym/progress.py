"""Showing how training goes: a live bar in a terminal, plain lines at a period elsewhere, nothing when quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol


class Reporter(Protocol):
    """Is told about every epoch."""

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Takes the history row of an epoch."""


@contextmanager
def reporter(total: int, done: int, *, quiet: bool, what: str = "") -> Iterator[Reporter]:
    """A bar, lines or nothing, as the situation asks for; each begins with what is going on, if told."""
    if quiet:
        yield lambda row: None
    elif sys.stderr.isatty():
        with _bar(total, done, what) as bar:
            yield bar
    else:
        period = max(1, total // 20)
        yield (
            lambda row: (
                _line(row, total, what) if row["epoch"] % period == 0 or row["epoch"] == total else None
            )
        )


@contextmanager
def _bar(total: int, done: int, what: str) -> Iterator[Reporter]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what or "starting", total=total, completed=done)

        def show(row: Mapping[str, Any]) -> None:
            progress.update(task, completed=row["epoch"], description=f"{what}{_summary(row)}")

        yield show


def _line(row: Mapping[str, Any], total: int, what: str) -> None:
    print(f"{what}epoch {row['epoch']}/{total}  {_summary(row)}", file=sys.stderr, flush=True)


def _summary(row: Mapping[str, Any]) -> str:
    parts = [f"loss {row['loss']:.4g}"]
    if row.get("validation") is not None:
        parts.append(f"validation {row['validation']:.4g}")
    parts += [f"{group} {value:.3g}" for group, value in (row.get("strengths") or {}).items()]
    return "  ".join(parts)
