"""Runs target functions: every case is one data set, judged by the product as a person's would be, and kept in a small file.

A stopped run goes on where it was; a case that raises is recorded as such. The same case can be run with its rows in another order, with
another seed, in other units or in another frame: its verdicts should not change.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
import traceback
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

import softsym as ss
from softsym.groups import Group
from softsym.io import put_text
from softsym.metrics import act
from softsym.reps import Rep
from softsym.typing import Array
from softsym_lab.benchmarks.calibration import development, frozen, recorded, second, third
from softsym_lab.benchmarks.calibration.rules import rule_statistics
from softsym_lab.benchmarks.calibration.targets import STRATA, Target, normal
from softsym_lab.benchmarks.calibration.truth import moments, moments_at, strength

PARTS: dict[str, tuple[Target, ...]] = {
    "development": development.TARGETS,
    "second": second.TARGETS,
    "third": third.TARGETS,
    "frozen": frozen.TARGETS,
    "adjusted": recorded.ADJUSTED,
    "recorded": recorded.FRESH,
}
"""Lists of targets: three for changing the rule, one for judging it once, and the two that were recorded with earlier rules."""
FROZEN_AS = "fourth"
"""What records call the frozen list: the name it keeps when it is one for changing the rule, like those before it."""
ROWS, NOISES = (30, 100, 300, 1_000), (0.0, 0.05, 0.2)
FOLDER = Path("runs/calibration")
"""Where records are kept between runs."""
OWN_ROWS = 1_000
"""Rows of a data set at which its own truths are computed."""
CHANGES = ("order", "seed", "unit", "frame")
"""What a verdict must not depend on."""


@dataclass(frozen=True)
class Case:
    """One data set.

    Args:
        part: List of targets.
        target: Name of the target.
        level: Relative violation of its first candidate.
        rows: Number of rows.
        noise: Standard deviation, relative to that of the outputs.
        seed: Of data and, if it is odd, of the frame.
        change: One of :data:`CHANGES`; empty for none.
        whole: Whether the verdicts are those of the estimator, with its models, and not of the evidence alone.
    """

    part: str
    target: str
    level: float
    rows: int
    noise: float
    seed: int = 0
    change: str = ""
    whole: bool = False

    @property
    def file(self) -> str:
        """The name of its file."""
        key = json.dumps(asdict(self), sort_keys=True)
        plain = "".join(letter if letter.isalnum() else "_" for letter in self.target)
        return f"{plain}-{hashlib.sha256(key.encode()).hexdigest()[:10]}.json"

    @property
    def function(self) -> Target:
        """The target function of this name."""
        return next(target for target in PARTS[self.part] if target.name == self.target)


def cases(
    part: str,
    strata: Sequence[str] = (),
    rows: Sequence[int] = (300,),
    noises: Sequence[float] = (0.05,),
    seeds: Sequence[int] = (0,),
    levels: Sequence[float] = (),
    targets: Sequence[str] = (),
    changes: Sequence[str] = ("",),
) -> list[Case]:
    """The cases of a part.

    Args:
        part: One of :data:`PARTS`.
        strata: Which strata; all if empty.
        rows: Numbers of rows, for targets that have none of their own.
        noises: Noises.
        seeds: Seeds.
        levels: Which violations; all of each target if empty.
        targets: Names, or parts of them; all if empty.
        changes: Any of :data:`CHANGES`, and "" for none.
    """
    chosen = [
        target
        for target in PARTS[part]
        if (not strata or target.stratum in strata) and (not targets or any(some in target.name for some in targets))
    ]
    return [
        Case(part, target.name, level, n, noise, seed, change)
        for target in chosen
        for n in (target.rows or rows)
        for noise in noises
        for seed in seeds
        for level in target.levels
        if not levels or level in levels
        for change in changes
    ]


def measure(listed: Iterable[Case], folder: Path, workers: int = 1) -> list[dict[str, Any]]:
    """The records of several cases; those that the folder holds are read.

    Args:
        listed: The cases.
        folder: Where records are kept.
        workers: Processes at once.
    """
    listed = list(listed)
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(case, folder) for case in listed if not (folder / case.file).exists()]
    if workers == 1:
        for job in jobs:
            _keep(job)
    else:
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(_keep, jobs))
    return [json.loads((folder / case.file).read_text()) for case in listed]


def _keep(job: tuple[Case, Path]) -> None:
    case, folder = job
    try:
        record = measure_case(case)
    except Exception as error:  # a case that fails is a result, too, and must not stop the others
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        record = {**describe(case), "error": f"{type(error).__name__}: {error} ({place})", "pairs": []}
    put_text(folder / case.file, json.dumps(record, allow_nan=False, default=float))


@dataclass(frozen=True)
class DataSet:
    """Rows of a case as they are passed to the product, and inputs in the target's own coordinates."""

    plain: Array
    X: Array
    Y: Array
    rep_in: Rep
    rep_out: Rep
    groups: list[Group]


def draw(case: Case) -> DataSet:
    """The data set of a case: rows of the target's inputs, outputs with noise, and the frame."""
    target = case.function
    c = strength(target, case.level)
    rng = np.random.default_rng([case.seed, case.rows, round(1000 * case.noise), *case.target.encode()])
    groups, rep_in, rep_out = (
        [ss.group(text) for text in target.candidates],
        ss.rep(target.rep_in),
        ss.rep(target.rep_out),
    )
    X = (target.inputs or normal()).draw(rng, case.rows, rep_in.size(groups[0]))
    plain, (s, b) = X, target.parts(X)
    Y = s + c * b
    Y = Y + case.noise * noise_scale(target, c, Y) * _noise(target.noise, rng, X, Y)
    if target.rotated or case.seed % 2 or case.change == "frame":
        X, Y, groups = _in_frame(case, X, Y, rep_in, rep_out, groups)
    if case.change == "order":
        order = np.random.default_rng(case.seed + 99).permutation(len(X))
        X, Y = X[order], Y[order]
    if case.change == "unit":
        X, Y = X * (1.0 if _has_constant(target) else 1000.0), Y * 0.01
    return DataSet(plain, X, Y, rep_in, rep_out, groups)


def noise_scale(target: Target, c: float, Y: Array) -> Any:
    """The size to which noise is relative: one number, or one for each column where output blocks differ or only a residual counts."""
    rep, group = ss.rep(target.rep_out), ss.group(target.candidates[0])
    table = moments(target, target.candidates[0]) if target.residual or target.stratum == "small-block" else None
    if table is None:
        return np.sqrt(np.mean((Y - Y.mean(axis=0)) ** 2))
    assert rep.size(group) == int(table.sizes.sum())
    return np.repeat(table.scale(c, target.residual), table.sizes.astype(int))


def _noise(kind: str, rng: np.random.Generator, X: Array, Y: Array) -> Array:
    """Noise of about unit size (n, outputs)."""
    if kind == "t2":  # scaled so that the quartiles are those of the normal distribution
        return np.asarray(rng.standard_t(2, Y.shape) * 0.6745 / 0.8165)
    E = rng.standard_normal(Y.shape)
    if kind == "normal":
        return E
    sizes = {
        "inputs": np.linalg.norm(X, axis=1),
        "outputs": np.linalg.norm(Y, axis=1),
        "first column": np.abs(X[:, 0]),
    }[kind]
    deviation = 0.2 + sizes / sizes.mean()
    return np.asarray(E * (deviation / np.sqrt(np.mean(deviation**2)))[:, None])


def _has_constant(target: Target) -> bool:
    """Whether units cannot be changed: homogeneous coordinates."""
    return any(text.startswith(("SE(", "E(", "Translation(")) for text in target.candidates)


def _in_frame(
    case: Case, X: Array, Y: Array, rep_in: Rep, rep_out: Rep, groups: list[Group]
) -> tuple[Array, Array, list[Group]]:
    """The same data and groups in random coordinates; as they are where a rotation means nothing."""
    dims = {(group.dim, len(group.part_dims)) for group in groups}
    if len(dims) > 1 or groups[0].dim < 2 or len(groups[0].part_dims) > 1 or _has_constant(case.function):
        return X, Y, groups
    seed = case.seed + (1000 if case.change == "frame" else 0)
    rng = np.random.default_rng([seed, *case.target.encode()])
    d = groups[0].dim
    R = np.linalg.qr(rng.standard_normal((d, d)))[0]
    X = np.asarray(act(rep_in, groups[0], R[None], X)[0])
    Y = np.asarray(act(rep_out, groups[0], R[None], Y)[0])
    return X, Y, [group.conjugated(R) for group in groups]


def measure_case(case: Case) -> dict[str, Any]:
    """Draws the data set of a case, computes its verdicts, and the truths."""
    target, data = case.function, draw(case)
    c = strength(target, case.level)
    seed = case.seed + (17 if case.change == "seed" else 0)
    start = time.perf_counter()
    if case.whole:
        est = ss.SoftEquivariantRegressor(data.rep_in, data.rep_out, data.groups, random_state=seed).fit(data.X, data.Y)
        rows = [
            {**plain_row(row), "verdict": word.verdict}
            for row, word in zip(est.evidence_, est.symmetries_, strict=True)
        ]
    else:
        table = ss.evidence(data.X, data.Y, data.rep_in, data.rep_out, data.groups, seed=seed, n_jobs=1)
        rows = [plain_row(row) for row in table]
    seconds = time.perf_counter() - start
    pairs = []
    for text, group, row in zip(target.candidates, data.groups, rows, strict=True):
        known = moments(target, text)
        rules = {} if case.change else rule_statistics(data.X, data.Y, data.rep_in, data.rep_out, group, seed)
        pairs.append(
            {
                "candidate": text,
                "is_compact": known.is_compact,
                "truths": known.truths(c),
                "own": moments_at(data.plain[:OWN_ROWS], target, text).truths(c),
                "row": {**row, "name": text},
                "rules": rules,
            }
        )
    return {**describe(case), "seconds": round(seconds, 2), "spacing": spacing(data.plain), "pairs": pairs}


def describe(case: Case) -> dict[str, Any]:
    """What a record says about its case."""
    target = case.function
    return {
        **asdict(case),
        "stratum": target.stratum,
        "wavelength": None if math.isinf(target.wavelength) else target.wavelength,
        "residual": target.residual,
        "even": target.inputs is None or target.inputs.log_density is None,
    }


def spacing(X: Array) -> float:
    """Median distance to the nearest other input, of up to 2,000 rows among all."""
    distinct = np.unique(X, axis=0)
    if len(distinct) < 2:
        return 0.0
    near = NearestNeighbors(n_neighbors=2).fit(distinct)
    return float(np.median(near.kneighbors(distinct[:2000])[0][:, 1]))


def plain_row(row: Any) -> dict[str, Any]:
    """A row of evidence as plain numbers under the names of the contract, whichever it has."""
    fields: dict[str, Any] = row.to_dict()
    renamed = {"asymmetry": "violation", "coverage": "overlap"}
    plain: dict[str, Any] = {renamed.get(key, key): _plain(value) for key, value in fields.items()}
    return {"cost": [None, None], "certified": None, "reason": "", **plain}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def changed(listed: Iterable[Case]) -> list[Case]:
    """The same cases with each change."""
    return [replace(case, change=change) for case in listed for change in ("", *CHANGES)]


def run(
    folder: Path = FOLDER,
    part: str = "frozen",
    strata: Sequence[str] = (),
    rows: Sequence[int] = ROWS,
    workers: int = 1,
) -> dict[str, Any]:
    """The rates of a part of the list, by stratum, over rows and noises; and of its cases at 300 rows under changes.

    Args:
        folder: Where records are kept.
        part: One of :data:`PARTS`.
        strata: Which strata; all if empty.
        rows: Numbers of rows.
        workers: Processes at once.
    """
    from softsym_lab.benchmarks.calibration.score import score, score_invariance

    records = measure(cases(part, strata, rows, NOISES), folder, workers)
    same = measure(changed(cases(part, strata, levels=(0.0, 0.2, 0.7, 0.9))), folder, workers)
    return {"part": part, "strata": score(records), "invariance": score_invariance(same)}


__all__ = [
    "CHANGES",
    "NOISES",
    "PARTS",
    "ROWS",
    "STRATA",
    "Case",
    "cases",
    "changed",
    "draw",
    "measure",
    "measure_case",
    "run",
]
