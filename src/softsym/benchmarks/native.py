"""Compiled code against torch operations, one thread against several, and a quiet machine against a busy one.

A training step (forward, backward, Adam) of a SoftMLP with a regularizer of three groups, on as many threads as the training loop
would use. The busy machine has one core that another process never lets go.
"""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from softsym.benchmarks.step import make_step
from softsym.benchmarks.timing import ratio, turns
from softsym.native import status, step_threads, torch_only
from softsym.nn import SoftMLP, count_parameters

SETTINGS = ((64, 250, 40), (128, 250, 30), (384, 500, 8))
MODEL = "soft_per3"
SPIN = "while True: pass"


def run() -> dict[str, Any]:
    """All measurements."""
    sizes = {
        f"width_{width}_batch_{batch}": compare(width, batch, rounds) for width, batch, rounds in SETTINGS
    }
    now = status().to_dict()
    kept = ("compiled", "reason", "flags", "matrix_product", "threaded")  # not where files lie
    return {"status": {name: now[name] for name in kept}, **sizes}


def compare(width: int, batch: int, rounds: int) -> dict[str, Any]:
    """One width: every way of doing the same step, in turns."""
    step, most = make_step(MODEL, width, batch), torch.get_num_threads()
    work = batch * count_parameters(_network(width))
    with step_threads(work) as threads:
        seconds = turns({"compiled": step, "torch_only": _without_compiled_code(step)}, rounds)
    ways = {"one_thread": _with_threads(step, 1), "all_threads": _with_threads(step, most)}
    by_threads = turns(ways, rounds) if most > 1 else {}
    machine = _quiet_and_busy(step, work, rounds)
    medians = {**seconds, **by_threads, **machine}
    return {
        "threads": threads,
        "milliseconds": {name: 1e3 * statistics.median(values) for name, values in medians.items()},
        "ratios": {
            "torch_only_over_compiled": ratio(seconds["torch_only"], seconds["compiled"]),
            "one_thread_over_all": ratio(by_threads["one_thread"], by_threads["all_threads"])
            if by_threads
            else 1.0,
            "busy_over_quiet": ratio(machine["busy"], machine["quiet"]),
        },
    }


def _network(width: int) -> SoftMLP:
    from softsym.benchmarks.step import AXES, IN, OUT

    return SoftMLP(IN, OUT, AXES, width, largest="O(3)")


def _without_compiled_code(step: Callable[[], object]) -> Callable[[], object]:
    def action() -> None:
        with torch_only():
            step()

    return action


def _with_threads(step: Callable[[], object], threads: int) -> Callable[[], object]:
    def action() -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        step()
        torch.set_num_threads(before)

    return action


def _quiet_and_busy(step: Callable[[], object], work: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of a step with all cores free and beside a busy one, a few steps of each in turns."""
    times: dict[str, list[float]] = {"quiet": [], "busy": []}
    for _ in range(max(3, rounds // 5)):
        for name, machine in (("quiet", contextlib.nullcontext()), ("busy", _one_busy_core())):
            with machine, step_threads(work):
                times[name].append(statistics.median(turns({"step": step}, 5)["step"]))
    return times


@contextlib.contextmanager
def _one_busy_core() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-S", "-c", SPIN])
    try:
        time.sleep(0.2)  # until it is under way
        yield
    finally:
        process.kill()
        process.wait()
