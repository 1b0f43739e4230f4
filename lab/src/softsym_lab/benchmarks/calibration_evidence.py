"""How often the verdicts of the evidence alone, and on a part of the cases those of whole discovery, are right: data of known truth.

Every case is a target function or built-in task, a number of rows, a noise and a random frame. For each candidate the record holds the row
of the evidence table, the profile of the likelihood, and the true relative violation, |t - P t| / |t| by quadrature over the group, so that
another rule can be tried on the same records. Cases are kept in a folder, one small file each: a run that was stopped goes on where
it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from softsym.data import SymmetricScaler
from softsym.discovery import SoftEquivariantRegressor
from softsym.errors import InputError
from softsym.groups import Group, finite_subgroup
from softsym.groups import group as read_group
from softsym.inference import evidence
from softsym.io import put_text
from softsym.metrics import act
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.typing import Array
from softsym_lab.benchmarks.calibration_score import score
from softsym_lab.benchmarks.calibration_targets import ADJUSTED, FRESH

ROWS, NOISES = (100, 300, 1_000), (0.0, 0.05, 0.2)
TASKS = {
    "adjusted": (
        "inertia:0",
        "inertia:Oz(2)",
        "inertia:0.3*eps1",
        "inertia:0.6*eps2",
        "inertia:0.9*eps3",
        "inertia:0.3*eps4",
        "cossim:SO(3)+S(3)",
        "cossim:S(3)",
        "golfball:wind=none",
        "golfball:wind=z,gravity=3.0",
        "inertia:Ox(2)",
        "inertia:soft",
        "inertia:0.6*eps1",
        "inertia:0.6*eps3",
        "cossim:SO(3)",
        "cossim:soft",
        "golfball:wind=x",
        "golfball:wind=y,gravity=0.0",
        "golfball:wind=none,gravity=0.0",
    ),
    "fresh": (
        "inertia:Oy(2)",
        "inertia:0.9*eps1",
        "inertia:0.3*eps2",
        "inertia:0.3*eps3",
        "inertia:0.6*eps4",
        "golfball:wind=z",
        "golfball:wind=y,gravity=3.0",
        "golfball:wind=x,gravity=0.0",
    ),
}
"""Built-in tasks, split as the target functions are."""
ELEMENTS, TRUTH_ROWS = 300, 600
"""About so many of the group, and rows, for the true violation."""


FOLDER = Path("runs/calibration-evidence")
"""Where records are kept between runs."""


def run(folder: Path = FOLDER, workers: int = 1) -> dict[str, Any]:
    """The error rates of all fresh cases, and of whole discovery on one size and noise of them.

    The adjusted ones, on which the rule was made, are for changing it: ``measure(cases("adjusted"), folder)``.
    """
    listed = {"fresh": cases("fresh"), "discovery": discoveries()}
    return {part: score(measure(some, folder, workers)) for part, some in listed.items()}


@dataclass(frozen=True)
class Case:
    """One data set.

    Args:
        target: Name of a target function or task.
        rows: Number of rows.
        noise: Relative to the size of the outputs.
        seed: Of data and frame.
        whole: Whether the verdicts are those of discovery, with its models, and not of the evidence alone.
    """

    target: str
    rows: int
    noise: float
    seed: int = 0
    whole: bool = False

    @property
    def file(self) -> str:
        """The name of its file."""
        plain = "".join(letter if letter.isalnum() else "_" for letter in self.target)
        name = f"{plain}-{self.rows}-{round(100 * self.noise)}-{self.seed}"
        return f"whole-{name}.json" if self.whole else f"{name}.json"


def cases(
    part: str, rows: Sequence[int] = ROWS, noises: Sequence[float] = NOISES, seed: int = 0
) -> list[Case]:
    """All cases of a part, ``adjusted`` or ``fresh``."""
    names = [*(target.name for target in (ADJUSTED if part == "adjusted" else FRESH)), *TASKS[part]]
    return [Case(name, n, noise, seed) for n in rows for noise in noises for name in names]


def discoveries(rows: int = 300, noise: float = 0.05) -> list[Case]:
    """The fresh cases on which whole discovery is run, on other rows than the evidence alone."""
    return [replace(case, whole=True) for case in cases("fresh", (rows,), (noise,), seed=1)]


def measure(listed: Iterable[Case], folder: Path, workers: int = 1) -> list[dict[str, Any]]:
    """The records of several cases; those that the folder holds are read.

    Args:
        listed: The cases.
        folder: Where records are kept.
        workers: Processes at once.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting = [case for case in listed if not (folder / case.file).exists()]
    jobs = [(case, folder) for case in waiting]
    if workers == 1:
        for job in jobs:
            _keep(job)
    else:
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(_keep, jobs))
    return [json.loads((folder / case.file).read_text()) for case in listed]


def _keep(job: tuple[Case, Path]) -> None:
    case, folder = job
    put_text(folder / case.file, json.dumps(measure_case(case)))


def measure_case(case: Case) -> dict[str, Any]:
    """Draws a data set, computes its evidence, and the true violations."""
    target = _target(case)
    rng = np.random.default_rng([case.seed, case.rows, round(1000 * case.noise), *case.target.encode()])
    X, Y = target.draw(rng, case.rows)
    Y = Y + case.noise * np.sqrt(np.mean((Y - Y.mean(axis=0)) ** 2)) * rng.standard_normal(Y.shape)
    if case.whole:
        est = SoftEquivariantRegressor(
            target.rep_in, target.rep_out, target.groups, random_state=case.seed
        ).fit(X, Y)
        table, verdicts = est.evidence_, [row.verdict for row in est.symmetries_]
    else:
        table = evidence(X, Y, target.rep_in, target.rep_out, target.groups, seed=case.seed, n_jobs=1)
        verdicts = [row.verdict for row in table]
    scaler = SymmetricScaler.fit(Y, target.rep_out, target.groups)
    X_truth = target.draw(rng, TRUTH_ROWS)[0]
    pairs = []
    for group, row, name, verdict in zip(target.groups, table, target.names, verdicts, strict=True):
        detail = table.details[group.name]
        curve = {"shares": detail.shares.tolist(), "log_likelihoods": detail.log_likelihoods.tolist()}
        truth = violation(target.of, X_truth, target.rep_in, target.rep_out, group, scaler)
        pairs.append({"truth": truth, "row": {**row.to_dict(), "name": name, "verdict": verdict}, **curve})
    return {
        "target": case.target,
        "rows": case.rows,
        "noise": case.noise,
        "seconds": table.seconds,
        "pairs": pairs,
    }


@dataclass(frozen=True)
class _Rotated:
    """A target function in rotated coordinates."""

    rep_in: Rep
    rep_out: Rep
    groups: list[Group]
    names: list[str]
    of: Callable[[Array], Array]
    draw: Callable[[np.random.Generator, int], tuple[Array, Array]]


def _target(case: Case) -> _Rotated:
    from softsym.datasets import task as read_task

    frame = np.random.default_rng([case.seed, *case.target.encode()])
    targets = {target.name: target for target in (*ADJUSTED, *FRESH)}
    if case.target in targets:
        target = targets[case.target]
        groups = [read_group(text) for text in target.groups]
        if all(group.dim == target.dim and len(group.part_dims) == 1 for group in groups):
            R = np.linalg.qr(frame.standard_normal((target.dim, target.dim)))[0]
        else:
            R = np.eye(target.dim)
        rep_in, rep_out = read_rep(target.rep_in), read_rep(target.rep_out)
        of: Callable[[Array], Array] = target
        size = rep_in.size(groups[0])

        def inputs(rng: np.random.Generator, n: int) -> Array:
            return rng.standard_normal((n, size))

    else:
        task = read_task(case.target)
        groups, rep_in, rep_out = list(task.groups), task.rep_in, task.rep_out
        R = np.linalg.qr(frame.standard_normal((3, 3)))[0]

        def of(X: Array) -> Array:
            import torch

            assert task.target is not None
            return np.asarray(task.target(torch.from_numpy(X)).reshape(len(X), -1).numpy(), dtype=np.float64)

        def inputs(rng: np.random.Generator, n: int) -> Array:
            return np.asarray(task.sample(n, int(rng.integers(2**31)))[0].double().numpy())

    whole = groups[0]

    def there(X: Array) -> Array:
        return of(act(rep_in, whole, R.T[None], X)[0])

    def rotated(X: Array) -> Array:
        return np.asarray(act(rep_out, whole, R[None], there(X))[0])

    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        X = np.asarray(act(rep_in, whole, R[None], inputs(rng, n))[0])
        return X, rotated(X)

    return _Rotated(
        rep_in,
        rep_out,
        [group.conjugated(R) for group in groups],
        [group.name for group in groups],
        rotated,
        draw,
    )


def violation(
    of: Callable[[Array], Array], X: Array, rep_in: Rep, rep_out: Rep, group: Group, scaler: SymmetricScaler
) -> float:
    """The true relative violation |t - P t| / |t| of a map over rows, in scaled outputs.

    Args:
        of: The map, rows to rows.
        X: Rows (n, size of ``rep_in``).
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        group: The group; of one that is not compact a bounded set of elements.
        scaler: Of the outputs.
    """
    parts = _elements(group)
    back = [np.asarray(np.linalg.inv(part), dtype=np.float64) for part in parts]
    there = act(rep_in, group, parts, X)
    answers = np.stack([of(rows) for rows in there])
    returned = np.stack(
        [act(rep_out, group, [part[k : k + 1] for part in back], answers[k])[0] for k in range(len(answers))]
    )
    at_rest = of(X)
    rest = (at_rest - returned.mean(axis=0)) / scaler.scale
    whole = (at_rest - scaler.shift) / scaler.scale
    share = float(np.sum(rest**2) / np.sum(whole**2))
    return 0.0 if share < 1e-12 else min(1.0, float(np.sqrt(share)))


def _elements(group: Group) -> list[Array]:
    """Elements to average over: a finite subgroup times a few random elements; random elements alone where there is none."""
    try:
        closed = finite_subgroup.finite_subgroup(group)
    except InputError:
        return list(group.sample_parts(ELEMENTS, 0))
    if group.is_finite:
        return list(closed.parts)
    random = group.sample_parts(max(2, ELEMENTS // len(closed)), 0)
    both: list[Array] = []
    for some, part in zip(random, closed.parts, strict=True):
        products = np.einsum("aij,bjk->abik", some, part)
        both.append(np.asarray(products.reshape(-1, *part.shape[1:]), dtype=np.float64))
    return both
