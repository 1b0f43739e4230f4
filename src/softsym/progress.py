"""Progress: a live bar in a terminal, lines at intervals elsewhere, nothing when quiet.

All of it goes to standard error, so that results on standard output stay clean.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, Protocol, TypeVar

Item = TypeVar("Item")
Unit = Literal["steps", "bytes"]
LINES = 20  # about how many lines are printed in all
PATIENCE = 2.0  # seconds before the first line of what is done
AT_WORK = 1.0  # seconds after which a line says what is at work, if nothing is done by then

_silent: ContextVar[bool] = ContextVar("softsym_silent", default=False)


class Show(Protocol):
    """Called with the progress of the work."""

    def __call__(self, done: int, text: str = "") -> None:
        """Shows how much is done, and a short text."""


Reporter = Callable[[Mapping[str, Any]], None]  # takes the history row of every epoch


@contextmanager
def progress(
    what: str, total: int, *, done: int = 0, quiet: bool = False, unit: Unit = "steps", patience: float = PATIENCE
) -> Iterator[Show]:
    """A bar in a terminal, lines elsewhere, or nothing."""
    if quiet or is_silent():
        yield lambda done, text="": None
    elif is_live():
        with _bar(what, total, done, unit) as bar:
            yield bar
    else:
        lines = _Lines(what, total, done, unit, patience)
        with lines.first_line():
            yield lines


def track(items: Sequence[Item], what: str, *, quiet: bool = False) -> Iterator[Item]:
    """Iterates over items and shows progress."""
    with progress(what, len(items), quiet=quiet) as show:
        for k, item in enumerate(items, 1):
            yield item
            show(k, str(item))


@contextmanager
def reporter(total: int, done: int, *, quiet: bool, what: str = "") -> Iterator[Reporter]:
    """Progress over epochs, from their history rows; each line begins with ``what``."""
    with progress(f"{what}epoch", total, done=done, quiet=quiet, patience=0.0) as show:
        yield lambda row: show(row["epoch"], _summary(row))


@contextmanager
def silence() -> Iterator[None]:
    """Shows no progress inside the ``with`` block."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def is_silent() -> bool:
    """Whether this is inside :func:`silence`."""
    return _silent.get()


def is_live() -> bool:
    """Whether standard error is a terminal, which can show a bar."""
    return sys.stderr.isatty()


def say(line: str) -> None:
    """Prints a line of progress at once."""
    print(line, file=sys.stderr, flush=True)


class _Lines:
    """A line whenever another twentieth is done."""

    def __init__(self, what: str, total: int, done: int, unit: Unit, patience: float) -> None:
        self.what, self.total, self.done, self.unit = what, total, done, unit
        self.period = max(1, total // LINES)
        self.wait, self.silent_until = min(AT_WORK, patience), time.monotonic() + patience

    @contextmanager
    def first_line(self) -> Iterator[None]:
        """Says after a while what is at work, if nothing is done by then."""
        begun = self.done
        timer = threading.Timer(self.wait, lambda: say(self._line(begun)) if self.done == begun else None)
        timer.daemon = True
        if self.wait:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def __call__(self, done: int, text: str = "") -> None:
        is_due = done // self.period > self.done // self.period or done >= self.total
        if is_due and time.monotonic() >= self.silent_until:
            self.done = done
            say(f"{self._line(done)}  {text}".rstrip())

    def _line(self, done: int) -> str:
        amount = f"{done / 1e6:.0f}/{self.total / 1e6:.0f} MB" if self.unit == "bytes" else f"{done}/{self.total}"
        return f"{self.what} {amount}"


@contextmanager
def _bar(what: str, total: int, done: int, unit: Unit) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    text = TextColumn("{task.description}", markup=False)
    columns = (TextColumn(what, markup=False), BarColumn(), amount, TimeRemainingColumn(), text)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, completed=done)
        yield lambda done, text="": bar.update(task, completed=done, description=text)


def _summary(row: Mapping[str, Any]) -> str:
    parts = [f"loss {row['loss']:.4g}"]
    if row.get("validation") is not None:
        parts.append(f"validation {row['validation']:.4g}")
    parts += [f"{group} {value:.3g}" for group, value in (row.get("strengths") or {}).items()]
    return "  ".join(parts)
