"""How often proposals are right, on target functions whose Lie algebras are known.

Every target function in its own frame and in three random ones, with 1,000 rows and two percent of noise; listed and fresh ones with 300
rows, too, listed ones without noise and with ten percent; and the built-in tasks. For every
set a file in a folder holds the dimension found and true, the angle between both algebras, the largest true violation of a claimed
generator, and the seconds, so that a run that was stopped goes on; what is recorded is what they add up to, and one line for each set.
"""

from __future__ import annotations

import functools
import itertools
import json
import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softsym.datasets import task as read_task
from softsym.datasets import task_table
from softsym.groups import Trivial
from softsym.io import put_bytes
from softsym.progress import progress
from softsym.propose import angle, propose
from softsym.reps import rep as read_rep
from softsym.typing import Array
from softsym_lab.benchmarks.propose import golf
from softsym_lab.benchmarks.propose.earlier import EARLIER
from softsym_lab.benchmarks.propose.fresh import FRESH
from softsym_lab.benchmarks.propose.score import score
from softsym_lab.benchmarks.propose.targets import APART, BROKEN, TARGETS, TASKS, UNNAMED, Setting, TargetFunction

FOLDER = Path("bench-propose")
ROWS, NOISES, FRAMES = (1_000, 300), (0.02, 0.1, 0.0), 4
PARTS = {"targets": TARGETS, "apart": APART, "broken": BROKEN, "unnamed": UNNAMED, "earlier": EARLIER, "fresh": FRESH}
SEEDS = {"targets": 0, "apart": 0, "broken": 0, "unnamed": 0, "earlier": 20_000, "fresh": 60_000}
"""Added to the seeds of frames and rows, so that fresh target functions have fresh ones."""
EVERY_NOISE, EVERY_SIZE = ("targets",), ("targets", "fresh")
"""Parts that are run with every noise, and with every number of rows, not with the first alone."""
LINE = ("target", "frame", "rows", "noise", "dimension", "found", "angle", "violation", "seconds")
Job = tuple[str, Callable[[], dict[str, Any]]]


def run(
    folder: Path = FOLDER,
    rows: Sequence[int] = ROWS,
    frames: int = FRAMES,
    parts: Sequence[str] = tuple(PARTS),
    noises: Sequence[float] = NOISES,
) -> dict[str, Any]:
    """Runs every set that the folder does not hold yet; half an hour of one core."""
    folder.mkdir(parents=True, exist_ok=True)
    records: dict[str, list[dict[str, Any]]] = {part: [] for part in (*parts, "tasks", "golf")}
    with progress("propose", total=len(jobs := _jobs(rows, frames, parts, noises))) as show:
        for done, (part, (key, make)) in enumerate(jobs):
            records[part].append(_read_or_make(folder / f"{key}.json", make))
            show(done + 1, key)
    return {
        **{part: score(records[part]) for part in parts},
        "tasks": records["tasks"],
        "golf_ball_in_a_wind": records["golf"],
        "speed": _read_or_make(folder / "speed.json", _speed),
        "columns": list(LINE),
        "sets": {part: [[_short(one[key]) for key in LINE] for one in records[part]] for part in parts},
    }


def _jobs(rows: Sequence[int], frames: int, parts: Sequence[str], noises: Sequence[float]) -> list[tuple[str, Job]]:
    """What is to be run, the sets by which dimensions are judged first."""
    listed: list[tuple[str, Job]] = []
    for noise, n, part in itertools.product(noises, rows, parts):
        for (name, setting), frame in itertools.product(PARTS[part].items(), range(frames)):
            usual = noise == noises[0] and (n == rows[0] or part in EVERY_SIZE)
            if usual or (part in EVERY_NOISE and name != "pure noise"):
                key = f"{part}-{name}-{frame}-{n}-{noise}".replace(" ", "_").replace("(", "").replace(")", "")
                make = functools.partial(record, name, setting, frame, n, noise, SEEDS[part])
                listed.append((part, (key, make)))
    for k, (name, dimension) in enumerate(TASKS.items()):
        listed.append(("tasks", (f"task-{k}", functools.partial(_task_record, name, dimension))))
    listed += [("golf", (f"golf-{gravity}", functools.partial(golf.record, gravity))) for gravity in (0.0, 9.8)]
    return listed


def _read_or_make(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    if not path.exists():
        put_bytes(path, json.dumps(make()).encode())
    return dict(json.loads(path.read_text(encoding="utf-8")))


def sample(
    setting: Setting, frame: int, n: int, noise: float, seed: int = 0
) -> tuple[Array, Array, Callable[[Array], Array]]:
    """Rows (n, D) and (n, q) of a target function in a frame, and the function there; where it is zero, outputs are pure noise."""
    rng = np.random.default_rng([seed + frame, n, int(1000 * noise)])
    rotation = np.eye(setting.dim)
    if frame:
        rotation = np.linalg.qr(np.random.default_rng(seed + frame).standard_normal(rotation.shape))[0]
    source, target = (read_rep(text).rho(Trivial(setting.dim), rotation) for text in (setting.rep_in, setting.rep_out))

    def function(X: Array) -> Array:
        return np.asarray(setting.function(X @ source) @ target.T)

    X = rng.standard_normal((n, len(source)))
    Y = function(X)
    size = float(Y.std())
    return X, Y + (noise * size if size > 0 else 1.0) * rng.standard_normal(Y.shape), function


def record(name: str, setting: Setting, frame: int, n: int, noise: float, seed: int = 0) -> dict[str, Any]:
    """What was found in one set, and what is true."""
    X, Y, function = sample(setting, frame, n, noise, seed)
    start = time.process_time()
    found = propose(X, Y, setting.rep_in, setting.rep_out)
    seconds = time.process_time() - start
    if np.ptp(function(X)) > 0:
        own, violation = truth(function, X, setting, found.generators)
    else:
        own, violation = found.generators[:0], float(len(found.generators))
    return {
        "target": name,
        "frame": frame,
        "rows": n,
        "noise": noise,
        "dimension": setting.dimension,
        "name": setting.name,
        "found": len(found.generators),
        "name_found": found.algebra,
        "violation": violation,
        "seconds": round(seconds, 2),
        "angle": angle(found.generators, own) if len(found.generators) == setting.dimension else None,
        "groups": [group.name for group in found.groups],
    }


def _task_record(name: str, dimension: int) -> dict[str, Any]:
    task = read_task(name)
    table = task_table(task, seed=0)
    assert table.Y is not None
    start = time.process_time()
    found = propose(table.X, table.Y, task.rep_in, task.rep_out)
    return {
        "task": name,
        "dimension": dimension,
        "found": len(found.generators),
        "algebra": found.algebra,
        "groups": [group.name for group in found.groups],
        "nearly": [row.name for row in found.nearly],
        "seconds": round(time.process_time() - start, 2),
    }


def _speed() -> dict[str, Any]:
    """Seconds and memory of 1,000 rows in four dimensions."""
    X, Y, _ = sample(TARGETS["four-vectors"], 1, 1_000, 0.02)
    wall, cpu = [], []
    for _ in range(3):
        start, spent = time.perf_counter(), time.process_time()
        propose(X, Y, "2V", "S")
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - spent)
    tracemalloc.start()
    propose(X, Y, "2V", "S")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "what": "1,000 rows, d = 4",
        "seconds": round(statistics.median(wall), 2),
        "seconds_of_processor": round(statistics.median(cpu), 2),
        "peak_megabytes": round(peak / 1e6),
    }


def _short(value: Any) -> Any:
    return float(f"{value:.3g}") if isinstance(value, float) else value


STEP = 1e-5


def truth(function: TargetFunction, X: Array, setting: Setting, claimed: Array) -> tuple[Array, float]:
    """The algebra (dimension, d, d) of a target function, and the largest relative violation of claimed generators (k, d, d)."""
    space, Y = Trivial(setting.dim), function(X)
    slopes = np.stack(
        [(function(X + STEP * e) - function(X - STEP * e)) / (2 * STEP) for e in np.eye(X.shape[1])], axis=2
    )

    def lie_derivatives(matrices: Array) -> tuple[Array, Array]:
        speeds, outputs = (
            np.einsum("kij,nj->kni", read_rep(text).drho(space, matrices), values)
            for text, values in ((setting.rep_in, X), (setting.rep_out, Y))
        )
        lie = outputs - np.einsum("nqd,knd->knq", slopes, speeds)
        steep = np.sqrt(np.sum(slopes**2, axis=(1, 2)) / X.shape[1])
        sizes = np.sum((speeds * steep[:, None]) ** 2, axis=(1, 2)) + np.sum(outputs**2, axis=(1, 2))
        return lie.reshape(len(matrices), -1), sizes

    basis = np.eye(setting.dim**2).reshape(-1, setting.dim, setting.dim)
    flat, _ = lie_derivatives(basis)
    vectors = np.linalg.eigh(flat @ flat.T)[1]
    own = np.tensordot(vectors[:, : setting.dimension].T, basis, 1)
    if not len(claimed):
        return own, 0.0
    lie, sizes = lie_derivatives(claimed)
    return own, float(np.sqrt(np.sum(lie**2, axis=1) / sizes).max())
