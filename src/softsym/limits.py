"""Settings that users can change around a piece of code, limits on memory and time and the folder of the cache; work that Ctrl-C stops.

They are context variables: they hold in the thread that set them, and in :class:`ContextThreads` that it
starts; a thread of your own has them if it runs in ``contextvars.copy_context()``.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import math
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from softsym.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")
PERIOD, GRACE, PATIENCE = 0.1, 1.0, 0.5
"""Seconds between two looks at interruptible work, in which it may end by itself once interrupted, and then by an exception."""


class ContextThreads(ThreadPoolExecutor):
    """Threads in which the settings hold that held where their work was submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As every executor; :meth:`map` too."""
        run: Callable[..., Any] = contextvars.copy_context().run
        return super().submit(run, fn, *args, **kwargs)


@contextlib.contextmanager
def hold(variable: contextvars.ContextVar[T], value: T) -> Iterator[None]:
    """Gives a context variable a value inside a ``with`` block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def run_interruptible(work: Callable[[Callable[[], bool]], T], grace: float = GRACE) -> T:
    """Does work, which may ask whether to stop, so that Ctrl-C stops it within two seconds, whatever it is doing.

    The work runs in a thread of its own, so that this one can react while a library computes. It is first asked to stop, after ``grace``
    seconds an exception is raised in it, and then it is left behind. Elsewhere than in the main thread, which alone is interrupted, it
    is called directly.
    """
    if threading.current_thread() is not threading.main_thread():
        return work(lambda: False)
    stop, result, context = threading.Event(), Future[T](), contextvars.copy_context()

    def run() -> None:
        try:
            result.set_result(context.run(work, stop.is_set))
        except BaseException as error:  # it is raised again in the main thread
            result.set_exception(error)

    thread = threading.Thread(target=run, name="softsym-fit", daemon=True)
    thread.start()
    try:
        while not result.done():
            wait([result], PERIOD)
    except BaseException:
        stop.set()
        if not wait([result], grace).done and thread.ident is not None:
            number, interrupt = ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(number, interrupt)
            wait([result], PATIENCE)
        raise
    return result.result()


@dataclass(frozen=True)
class Limit:
    """Memory and time that a computation may take."""

    gigabytes: float = 4.0
    minutes: float = 30.0


DEFAULT = Limit()
_limit: contextvars.ContextVar[Limit] = contextvars.ContextVar("limit", default=DEFAULT)


def limit() -> Limit:
    """The current limit."""
    return _limit.get()


def check_memory(what: str, size: float, advice: str) -> None:
    """Refuses to load so many bytes where the machine has less memory free; the message ends with advice."""
    free = free_memory()
    if size > free:
        raise InputError(f"{what} needs about {size / 1e9:,.1f} GB of memory, {free / 1e9:,.1f} GB are free; {advice}")


def free_memory() -> float:
    """Bytes of memory that this process could still take, from the system and its limits; infinite where neither says."""
    free = math.inf
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = 1024.0 * int(next(line.split()[1] for line in lines if line.startswith("MemAvailable")))
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        if soft != resource.RLIM_INFINITY:
            free = min(free, float(soft))
    return free


def at_most(
    gigabytes: float = Limit.gigabytes, minutes: float = Limit.minutes
) -> contextlib.AbstractContextManager[None]:
    """Sets the memory and time that a space or group inside a ``with`` block may take before it is refused.

    Generators of a group may take a twentieth of the memory, because solving with them needs several copies.

    Example:
        >>> import softsym as ss
        >>> with ss.spaces.at_most(gigabytes=1e-6):
        ...     ss.equivariant_maps("T(3)", "T(3)", "SL(3)")
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: ... would take about ... GB...
    """
    if not (gigabytes > 0 and minutes > 0):
        raise InputError(f"limits must be positive, got {gigabytes} gigabytes and {minutes} minutes")
    return hold(_limit, Limit(gigabytes, minutes))


_folder: contextvars.ContextVar[Path | str | None] = contextvars.ContextVar("folder", default="default")


def cache_folder(path: str | os.PathLike[str] | None) -> contextlib.AbstractContextManager[None]:
    """Stores solutions in another folder inside a ``with`` block, or nowhere if it is None.

    Example:
        >>> import softsym as ss
        >>> with ss.spaces.cache_folder(None):
        ...     ss.equivariant_maps("V", "V", "O(3)").dim
        1
    """
    return hold(_folder, None if path is None else Path(path))


def current_folder() -> Path | None:
    """Where solutions are stored at present; None if nowhere."""
    folder = _folder.get()
    return default_folder() if isinstance(folder, str) else folder


def default_folder() -> Path:
    """The platform's cache folder for softsym."""
    from platformdirs import user_cache_path

    return user_cache_path("softsym", appauthor=False) / "spaces"
