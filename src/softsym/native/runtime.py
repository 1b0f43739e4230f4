"""What runs here: compiled code or not, and why; and how many threads a training step gets.

A step gets one thread, unless it is large and other cores are free: threads wait for each other spinning, next to busy processes until the
system schedules the other one. The last bits of a result depend on the number of threads, so it does not change during a run.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from softsym.errors import SlowTrainingWarning
from softsym.native import blocks, hidden_layer
from softsym.native.build import build, is_torch_only

SOURCES = (blocks.SOURCE, hidden_layer.SOURCE)
_announced: list[str] = []  # once in a process is enough

# Rows times weights of a step. On a quiet machine a second thread brought nothing at 4 million, 1.2 times at 15, 1.4 at 29, 1.6 at 67 and
# 1.7 at 290 (SoftMLPs of widths 64 to 384 with a regularizer); below the limit the loss next to busy processes outweighs the gain.
WORTH_THREADS = 50_000_000
OBSERVED = 0.1  # seconds for which the cores are observed
IDLE_SHARE = 0.7  # a core that idles this share of the time is free


@dataclass(frozen=True)
class Status:
    """What compiled code does in this process.

    Args:
        compiled: Whether all of it runs: hidden layers, projections, penalties and proximal steps, in single precision.
        reason: Why not, in one line; empty if it runs.
        compiler: Path of the compiler; empty if there is none.
        flags: Its flags.
        libraries: The compiled files.
        threaded: Whether it can use more than one thread.
        threads: How many threads torch may use now.
    """

    compiled: bool
    reason: str
    compiler: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    threaded: bool
    threads: int

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def status() -> Status:
    """The state of compiled code, compiling what has not been compiled yet (a few seconds, once on a machine).

    Example:
        >>> from softsym.native import torch_only
        >>> with torch_only():
        ...     status().reason
        'switched off by torch_only'
    """
    threads = torch.get_num_threads()
    if is_torch_only():
        return Status(False, "switched off by torch_only", "", (), (), False, threads)
    builds = [build(source, torch.float32) for source in SOURCES]
    reason = next((built.reason for built in builds if built.library is None), "")
    libraries = tuple(str(built.path) for built in builds if built.path is not None)
    threaded = all(built.threaded for built in builds)
    return Status(not reason, reason, builds[0].compiler, builds[0].flags, libraries, threaded, threads)


def available() -> bool:
    """Whether compiled code runs on this machine, all of it.

    Example:
        >>> available() == (status().reason == "")
        True
    """
    return status().compiled


def announce() -> None:
    """Warns, once in a process, where training is slow for want of compiled code; not where it is switched off on purpose."""
    if _announced or is_torch_only():
        return
    reason = status().reason
    _announced.append(reason)
    if reason:
        message = f"training runs without compiled code, about half as fast: {reason} (see `softsym doctor`)"
        warnings.warn(message, SlowTrainingWarning, stacklevel=2)


def environment() -> dict[str, Any]:
    """What speed and the last bits of a result depend on.

    Example:
        >>> sorted(environment())
        ['compiled', 'machine', 'numpy', 'python', 'softsym', 'threads', 'torch']
    """
    return {
        "softsym": importlib.import_module("softsym").__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "threads": torch.get_num_threads(),
        "machine": platform.machine(),
        "compiled": available(),
    }


@contextlib.contextmanager
def step_threads(work: int) -> Iterator[int]:
    """Lets torch and compiled code use as many threads as steps of so many rows times weights are worth, afterwards as many as before.

    They are never more than torch may use before, nor than cores are free.
    """
    before = torch.get_num_threads()
    threads = 1 if work < WORTH_THREADS or before == 1 else max(1, min(before, free_cores()))
    torch.set_num_threads(threads)
    try:
        yield threads
    finally:
        torch.set_num_threads(before)


def cores() -> set[int]:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def free_cores() -> int:
    """How many of them other processes leave idle: observed for a moment on Linux, elsewhere estimated from the load."""
    mine = cores()
    before = _idle_and_total()
    if not before:
        busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        return max(0, len(mine) - round(busy))
    time.sleep(OBSERVED)
    after = _idle_and_total()
    changes = [np.subtract(after[core], before[core]) for core in mine if core in before and core in after]
    return sum(bool(idle / max(1, total) >= IDLE_SHARE) for idle, total in changes)


def _idle_and_total(path: Path = Path("/proc/stat")) -> dict[int, tuple[int, int]]:
    """Ticks that each core has idled, and ticks in all; none where the system has no such file."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    ticks = {}
    for line in lines:
        name, *values = line.split()
        if name.startswith("cpu") and name[3:].isdigit():
            numbers = [int(value) for value in values[:8]]  # later ones are counted in the first ones already
            ticks[int(name[3:])] = (numbers[3] + numbers[4], sum(numbers))
    return ticks
