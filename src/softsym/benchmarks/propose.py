"""How often proposals are right, on laws whose algebras theory knows.

Every law in its own frame and in three random ones, with 300 and 1,000 rows and three sizes of noise, and the built-in tasks. For every
setting the record holds the dimension found and true, the angle between both algebras, the largest true violation of a claimed generator,
and the seconds. Settings are kept one by one in a folder, so that a run that was stopped goes on. The method was developed on most of the
laws; of :data:`APART`, softened gravity was among the first trials and the interval is like one of them, the other two are fresh.
"""

from __future__ import annotations

import functools
import itertools
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.evidence.propose import propose
from softsym.evidence.propose.action import actions, basis_of
from softsym.evidence.propose.algebra.closure import angle
from softsym.evidence.verdict import TOLERANCE
from softsym.files import put_bytes
from softsym.groups import Trivial
from softsym.reps import rep as read_rep
from softsym.tasks import task as read_task
from softsym.tasks.source import task_table

Array = NDArray[np.float64]
Law = Callable[[Array], Array]
FOLDER = Path("bench-propose")
ROWS, NOISES, FRAMES = (300, 1_000), (0.0, 0.02, 0.1), 4
ETA = np.diag([1.0, -1.0, -1.0, -1.0])
ETA21 = np.diag([1.0, 1.0, -1.0])
J: Array = np.asarray(np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(2)), dtype=np.float64)
WIND = np.array([0.0, 0.0, 0.5])


@dataclass(frozen=True)
class Setting:
    """A law and what theory says of it.

    Args:
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        dim: Dimension of the space.
        law: The law.
        dimension: Of its algebra.
        name: Of its algebra.
    """

    rep_in: str
    rep_out: str
    dim: int
    law: Law
    dimension: int
    name: str


def _dot(a: Array, b: Array, form: Array | None = None) -> Array:
    return np.asarray(np.sum((a if form is None else a @ form) * b, axis=1, keepdims=True))


def _area(X: Array) -> Array:
    return X[:, :1] * X[:, 3:4] - X[:, 1:2] * X[:, 2:3]


def _spinor(X: Array) -> Array:
    """An invariant of SU(2) on two complex pairs, x + iy as (x, y), that no larger algebra leaves alone."""
    a, b = X[:, :2] + 1j * X[:, 2:4], X[:, 4:6] + 1j * X[:, 6:8]
    hermitian = np.sum(a.conj() * b, axis=1, keepdims=True)
    volume = a[:, :1] * b[:, 1:] - a[:, 1:] * b[:, :1]
    return np.asarray(hermitian.real + 0.5 * hermitian.imag**2 + 0.3 * hermitian.imag * volume.real)


def _lopsided(X: Array) -> Array:
    return X[:, :1] * X[:, 4:5] + np.sin(X[:, 1:2]) + X[:, 2:3] ** 2 * X[:, 5:] + 0.5 * X[:, 3:4]


def _drag(X: Array) -> Array:
    return np.asarray(-(X - WIND) * np.sqrt(_dot(X - WIND, X - WIND)))


LAWS = {
    "cross product": Setting("2V", "V", 3, lambda X: np.cross(X[:, :3], X[:, 3:]), 3, "so(3)"),
    "charge in fields": Setting("3V", "V", 3, lambda X: X[:, :3] + np.cross(X[:, 3:6], X[:, 6:]), 3, "so(3)"),
    "drag in a wind": Setting("V", "V", 3, _drag, 1, "so(2)"),
    "so(4) invariant": Setting("2V", "S", 4, lambda X: _dot(X[:, :4], X[:, 4:]) + 0.1 * _dot(X[:, :4], X[:, :4]) ** 2, 6, "so(4)"),
    "four-vectors": Setting("2V", "S", 4, lambda X: _dot(X[:, :4], X[:, 4:], ETA) + 0.1 * _dot(X[:, :4], X[:, :4], ETA) ** 2, 6, "so(1,3)"),
    "so(2,1) invariant": Setting("2V", "S", 3, lambda X: np.tanh(_dot(X[:, :3], X[:, 3:], ETA21)), 3, "so(2,1)"),
    "signed area": Setting("2V", "S", 2, lambda X: np.sin(_area(X)), 3, "sl(2)"),
    "phase space": Setting("2V", "S", 4, lambda X: _dot(X[:, :4], X[:, 4:], J) + 0.1 * _dot(X[:, :4], X[:, 4:], J) ** 2, 10, "sp(4,R)"),
    "spinors": Setting("2V", "S", 4, _spinor, 3, "su(2)"),
    "scaling": Setting("V", "V", 3, lambda X: X * [1.0, 2.0, 3.0] + np.sqrt(_dot(X, X)) * [0.3, 0.0, 0.6], 1, "scaling"),
    "none": Setting("2V", "S", 3, _lopsided, 0, "none"),
    "pure noise": Setting("2V", "V", 3, lambda X: 0.0 * X[:, :3], 0, "none"),
}  # fmt: skip
APART = {
    "softened gravity": Setting("V", "V", 3, lambda X: X / (1.0 + _dot(X, X)) ** 1.5, 3, "so(3)"),
    "spring along an axis": Setting("2V", "S", 3, lambda X: _dot(X[:, :3], X[:, 3:]) + X[:, 2:3], 1, "so(2)"),
    "interval": Setting("2V", "S", 4, lambda X: np.cos(0.5 * _dot(X[:, :4] - X[:, 4:], X[:, :4] - X[:, 4:], ETA)), 6, "so(1,3)"),
    "triple product": Setting("3V", "S", 3, lambda X: np.linalg.det(X.reshape(-1, 3, 3))[:, None], 8, "sl(3)"),
}  # fmt: skip
BROKEN = {
    "stretched cross": Setting("2V", "V", 3, lambda X: np.cross(X[:, :3], X[:, 3:]) + 0.15 * X[:, :1] * [1.0, 0, 0], 1, "so(2)"),
    "softened gravity and a push": Setting("V", "V", 3, lambda X: X / (1.0 + _dot(X, X)) ** 1.5 + [0.0, 0.0, 0.04], 1, "so(2)"),
    "saturation and a ripple": Setting("2V", "S", 3, lambda X: np.tanh(_dot(X[:, :3], X[:, 3:])) + 0.1 * np.sin(2 * X[:, :1]), 1, "so(2)"),
}  # fmt: skip
"""Laws with a larger symmetry that a small term breaks: it must not be claimed."""
TASKS = {
    "golfball:wind=none": 1, "golfball:wind=y,gravity=0.0": 1, "golfball:wind=none,gravity=0.0": 3, "golfball:wind=x": 0,
    "golfball:wind=z": 1,
}  # fmt: skip
"""Built-in tasks and the dimensions of their algebras of turns."""


def run(folder: Path = FOLDER, rows: tuple[int, ...] = ROWS, frames: int = FRAMES) -> dict[str, Any]:
    """Runs every setting that the folder does not hold yet; some minutes of one core."""
    folder.mkdir(parents=True, exist_ok=True)
    records = []
    for group, laws in (("laws", LAWS), ("apart", APART), ("broken", BROKEN)):
        for name, frame, n, noise in itertools.product(laws, range(frames), rows, NOISES):
            if name == "pure noise" and noise != NOISES[0]:
                continue
            key = f"{group}-{name}-{frame}-{n}-{noise}".replace(" ", "_").replace("(", "").replace(")", "")
            make = functools.partial(_record, group, name, laws[name], frame, n, noise)
            records.append(_kept(folder / f"{key}.json", make))
    tasks = [
        _kept(folder / f"task-{k}.json", functools.partial(_task_record, name, dimension))
        for k, (name, dimension) in enumerate(TASKS.items())
    ]
    return {
        "laws": score([one for one in records if one["part"] == "laws"]),
        "apart": score([one for one in records if one["part"] == "apart"]),
        "broken": score([one for one in records if one["part"] == "broken"]),
        "tasks": tasks,
        "records": records,
    }


def score(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The shares that the room promises, from records alone."""
    usual = [one for one in records if one["rows"] == max(ROWS) and one["noise"] == 0.02]
    right = [one for one in usual if one["found"] == one["dimension"]]
    angles = [one["angle"] for one in right if one["dimension"]]
    return {
        "settings": len(records),
        "dimension_right_at_1000_rows_2_percent": len(right) / max(1, len(usual)),
        "angle_median_degrees": statistics.median(angles) if angles else None,
        "angle_largest_degrees": max(angles, default=None),
        "names_right": sum(one["name"] == one["name_found"] for one in right) / max(1, len(right)),
        "share_with_a_false_generator": sum(one["violation"] > TOLERANCE for one in records) / max(1, len(records)),
        "right_by_rows_and_noise": {
            f"{n} rows, {noise:.0%} noise": _share([one for one in records if (one["rows"], one["noise"]) == (n, noise)])
            for n in ROWS
            for noise in NOISES
        },
        "seconds_median": statistics.median(one["seconds"] for one in usual) if usual else None,
        "wrong": [f"{one['law']}, frame {one['frame']}: {one['found']} instead of {one['dimension']}" for one in usual if one not in right],
    }  # fmt: skip


def _share(records: list[dict[str, Any]]) -> float | None:
    return sum(one["found"] == one["dimension"] for one in records) / len(records) if records else None


def _kept(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    if not path.exists():
        put_bytes(path, json.dumps(make()).encode())
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _record(part: str, name: str, setting: Setting, frame: int, n: int, noise: float) -> dict[str, Any]:
    rng = np.random.default_rng([frame, n, int(1000 * noise)])
    turn = (
        np.linalg.qr(np.random.default_rng(frame).standard_normal((setting.dim,) * 2))[0]
        if frame
        else np.eye(setting.dim)
    )
    source, target = (
        read_rep(text).rho(Trivial(setting.dim), turn) for text in (setting.rep_in, setting.rep_out)
    )

    def law(X: Array) -> Array:
        return np.asarray(setting.law(X @ source) @ target.T)

    X = rng.standard_normal((n, len(source)))
    Y = law(X)
    size = float(Y.std())
    Y = Y + (noise * size if size > 0 else 1.0) * rng.standard_normal(Y.shape)
    start = time.process_time()
    found = propose(X, Y, setting.rep_in, setting.rep_out)
    seconds = time.process_time() - start
    truth, violation = (
        _truth(law, X, setting, found.generators)
        if size > 0
        else (found.generators[:0], float(len(found.generators)))
    )
    return {
        "part": part, "law": name, "frame": frame, "rows": n, "noise": noise, "dimension": setting.dimension, "name": setting.name,
        "found": len(found.generators), "name_found": found.algebra, "violation": violation, "seconds": round(seconds, 2),
        "angle": angle(found.generators, truth) if len(found.generators) == setting.dimension else None,
        "groups": [group.name for group in found.groups],
    }  # fmt: skip


def _truth(law: Law, X: Array, setting: Setting, claimed: Array) -> tuple[Array, float]:
    """The law's own algebra, and the largest true violation of a claimed generator, by finite differences."""
    source, target = actions(X, law(X), read_rep(setting.rep_in), read_rep(setting.rep_out))
    step = 1e-5
    slopes = np.stack(
        [(law(X + step * e) - law(X - step * e)) / (2 * step) for e in np.eye(X.shape[1])], axis=2
    )

    def moved(matrices: Array) -> tuple[Array, Array]:
        speeds, outputs = source.velocity(matrices, X), target.velocity(matrices, law(X))
        lie = outputs - np.einsum("nqd,knd->knq", slopes, speeds)
        steep = np.sqrt(np.sum(slopes**2, axis=(1, 2)) / X.shape[1])
        sizes = np.sum((speeds * steep[:, None]) ** 2, axis=(1, 2)) + np.sum(outputs**2, axis=(1, 2))
        return lie.reshape(len(matrices), -1), sizes

    basis = basis_of(setting.dim, affine=False)
    flat, _ = moved(basis)
    vectors = np.linalg.eigh(flat @ flat.T)[1]
    truth = np.tensordot(vectors[:, : setting.dimension].T, basis, 1)
    if not len(claimed):
        return truth, 0.0
    lie, sizes = moved(claimed)
    return truth, float(np.sqrt(np.sum(lie**2, axis=1) / sizes).max())


def _task_record(name: str, dimension: int) -> dict[str, Any]:
    task = read_task(name)
    table = task_table(task, seed=0)
    assert table.Y is not None
    start = time.process_time()
    found = propose(table.X, table.Y, task.rep_in, task.rep_out)
    return {
        "task": name, "dimension": dimension, "found": len(found.generators), "algebra": found.algebra,
        "groups": [f"{G.name} ({word})" for G, word in zip(found.groups, found.verdicts, strict=True)],
        "seconds": round(time.process_time() - start, 2),
    }  # fmt: skip
