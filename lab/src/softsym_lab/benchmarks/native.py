"""Compiled code against torch operations, one thread against several, and a quiet machine against a busy one.

A training step (forward, backward, Adam) of a SoftMLP with a regularizer of three groups, on as many threads as the training loop
would use, and the proximal step of the same regularizer with a step length that changes. The busy machine has one core that another
process never lets go.
"""

from __future__ import annotations

import contextlib
import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from softsym.native import status, step_threads, torch_only
from softsym.nn import SoftMLP, count_parameters
from softsym.regularize import EquivarianceRegularizer
from softsym_lab.benchmarks.step import AXES, IN, OUT, make_step
from softsym_lab.benchmarks.timing import ratio, time_rounds

SETTINGS = ((64, 250, 40), (128, 250, 30), (384, 500, 8))
MODEL = "soft_per3"
PROX_CALLS = 5  # in one round, since it takes less than a millisecond
SPIN = "while True: pass"
RECORDED = ("compiled", "reason", "flags", "threaded", "threads")
"""What is kept of the status: paths are those of one machine."""


def run() -> dict[str, Any]:
    """All measurements."""
    sizes = {f"width_{width}_batch_{batch}": compare(width, batch, rounds) for width, batch, rounds in SETTINGS}
    how = {name: value for name, value in status().to_dict().items() if name in RECORDED}
    return {"status": how, **sizes}


def compare(width: int, batch: int, rounds: int) -> dict[str, Any]:
    """One width: every way of doing the same step, alternately."""
    step, most = make_step(MODEL, width, batch), torch.get_num_threads()
    net = SoftMLP(IN, OUT, AXES, width, largest="O(3)")
    work, prox = batch * count_parameters(net), _proximal_step(net)
    with step_threads(work) as threads:
        seconds = time_rounds({"compiled": step, "torch_only": _without_compiled_code(step)}, rounds)
        proximal = time_rounds(
            {"prox_compiled": prox, "prox_torch_only": _without_compiled_code(prox)}, rounds, PROX_CALLS
        )
    ways = {"one_thread": _with_threads(step, 1), "all_threads": _with_threads(step, most)}
    by_threads = time_rounds(ways, rounds) if most > 1 else {}
    machine = _quiet_and_busy(step, work, rounds)
    medians = {**seconds, **proximal, **by_threads, **machine}
    return {
        "threads": threads,
        "milliseconds": {name: 1e3 * statistics.median(values) for name, values in medians.items()},
        "ratios": {
            "torch_only_over_compiled": ratio(seconds["torch_only"], seconds["compiled"]),
            "prox_torch_only_over_compiled": ratio(proximal["prox_torch_only"], proximal["prox_compiled"]),
            "one_thread_over_all": ratio(by_threads["one_thread"], by_threads["all_threads"]) if by_threads else 1.0,
            "busy_over_quiet": ratio(machine["busy"], machine["quiet"]),
        },
    }


def _proximal_step(net: SoftMLP) -> Callable[[], None]:
    """The proximal step of three groups, with another length at every call; short ones, so that the weights stay of their size."""
    per = EquivarianceRegularizer(net, AXES)
    lengths = itertools.cycle((1e-6, 2e-6, 3e-6))
    return lambda: per.prox_(next(lengths))


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
    """Seconds of a step with all cores free and with one core busy, a few steps of each alternately."""
    times: dict[str, list[float]] = {"quiet": [], "busy": []}
    for _ in range(max(3, rounds // 5)):
        for name, machine in (("quiet", contextlib.nullcontext()), ("busy", _one_busy_core())):
            with machine, step_threads(work):
                times[name].append(statistics.median(time_rounds({"step": step}, 5)["step"]))
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
