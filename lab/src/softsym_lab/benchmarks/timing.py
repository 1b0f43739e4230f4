"""Timing things against each other on a shared, noisy machine.

What is compared is interleaved round by round and summarised by medians, so that a slow spell hits all sides alike.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def seconds(action: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_seconds(actions: dict[str, Callable[[], object]], rounds: int, calls: int = 1) -> dict[str, float]:
    """Median seconds per call of each action, measured alternately; see :func:`time_rounds`."""
    return {name: statistics.median(values) for name, values in time_rounds(actions, rounds, calls).items()}


def time_rounds(actions: dict[str, Callable[[], object]], rounds: int, calls: int = 1) -> dict[str, list[float]]:
    """Seconds per call of each action in each round.

    Args:
        actions: What to time, by name.
        rounds: How many rounds.
        calls: Calls per round, for actions much shorter than a millisecond.
    """
    for action in actions.values():
        action()
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            start = time.perf_counter()
            for _ in range(calls):
                action()
            times[name].append((time.perf_counter() - start) / calls)
    return times


def cpu_rounds(actions: dict[str, Callable[[], object]], rounds: int, calls: int = 1) -> dict[str, list[float]]:
    """Processor seconds per call of each action in each round, forwards and backwards alternately, so that no action always comes first.

    Args:
        actions: What to time, by name.
        rounds: How many rounds, after one to warm up.
        calls: Calls per round.
    """
    times: dict[str, list[float]] = {name: [] for name in actions}
    for number in range(rounds + 1):
        for name in list(actions)[:: 1 if number % 2 else -1]:
            start = time.process_time()
            for _ in range(calls):
                actions[name]()
            if number:
                times[name].append((time.process_time() - start) / calls)
    return times


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median over rounds of the ratio of two times of the same round.

    Example:
        >>> ratio([2.0, 20.0, 4.0], [1.0, 10.0, 4.0])
        2.0
    """
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def page_faults(action: Callable[[], object]) -> int:
    """How many pages of memory the system has to hand out during one call."""
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    action()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def forget_peak() -> None:
    """Lets the peak of resident memory start anew, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> float:
    """Peak resident memory of this process since :func:`forget_peak`."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
