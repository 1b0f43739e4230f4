"""How many threads a training step should use: one, unless it is large and other cores are free.

Threads of one step wait for each other many times in it, and they wait spinning. In small steps a second thread brings nothing; beside
other busy processes every wait lasts until the system has given the other thread its turn, and a step takes many times as long as on
one thread. The last bits of a result depend on the number of threads, in torch's own sums too, so it does not change during a run.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import torch

# Rows times weights of a step. What a second thread brought on a quiet machine, compiled, for SoftMLPs with a regularizer (`softsym bench
# native` measures some of it again): 4 million (width 64, 250 rows) nothing, 15 million (128, 250) 1.2 times, 29 million (128, 500) 1.4,
# 67 million (192, 500) 1.6, 290 million (384, 500) 1.7. Below the limit the loss beside busy processes outweighs the gain.
WORTH_THREADS = 50_000_000
SAMPLE = 0.1  # seconds for which the cores are watched
MOSTLY = 0.7  # a core that idles this share of the time is free


def threads_for_step(work: int) -> int:
    """Threads for steps of so many rows times weights: never more than torch may use now, nor than cores are free.

    Example:
        >>> threads_for_step(250 * 17_000)
        1
    """
    allowed = torch.get_num_threads()
    return 1 if work < WORTH_THREADS or allowed == 1 else max(1, min(allowed, free_cores()))


@contextlib.contextmanager
def step_threads(work: int) -> Iterator[int]:
    """Lets torch and compiled code use as many threads as steps of so much work are worth, and afterwards as many as before.

    Example:
        >>> import torch
        >>> before = torch.get_num_threads()
        >>> with step_threads(250 * 17_000):
        ...     torch.get_num_threads()
        1
        >>> torch.get_num_threads() == before
        True
    """
    before = torch.get_num_threads()
    threads = threads_for_step(work)
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
    """How many of them others leave alone: watched for a moment on Linux, elsewhere guessed from the load."""
    mine = cores()
    before = _idle_and_total()
    if before is None:
        busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
        return max(0, len(mine) - round(busy))
    time.sleep(SAMPLE)
    after = _idle_and_total() or before
    shares = (
        (after[core][0] - before[core][0]) / max(1, after[core][1] - before[core][1])
        for core in mine
        if core in before and core in after
    )
    return sum(share >= MOSTLY for share in shares)


def _idle_and_total(path: Path = Path("/proc/stat")) -> dict[int, tuple[int, int]] | None:
    """Ticks that each core has idled, and all it has lived through; None where the system does not tell."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    ticks = {}
    for line in lines:
        name, *values = line.split()
        if name.startswith("cpu") and name[3:].isdigit():
            numbers = [
                int(value) for value in values[:8]
            ]  # those after it are counted in the first ones already
            ticks[int(name[3:])] = (numbers[3] + numbers[4], sum(numbers))
    return ticks or None
