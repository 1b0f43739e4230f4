"""A progress bar over bytes, shown on standard error if that is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def byte_progress(title: str, total: int, show: bool) -> Iterator[Callable[[int], None]]:
    """Shows how many bytes are done; gives a function to call with how many that is.

    Args:
        title: What is going on.
        total: Bytes in all.
        show: Whether to show it if standard error is a terminal.
    """
    if not (show and sys.stderr.isatty()):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)
