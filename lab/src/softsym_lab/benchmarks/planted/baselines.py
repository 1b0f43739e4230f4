"""What the regularizer brings, compared with methods that need no representation of weights.

Four tasks (:mod:`softsym_lab.benchmarks.planted.cases`) and nine methods (:mod:`softsym_lab.benchmarks.planted.methods`): test error,
on inputs as they are and transformed by the groups that hold, the equivariance error under them, and processor seconds with all that
choosing takes, with standard errors over seeds and the difference to plain training seed by seed.
The regularizer's strengths are :func:`softsym.strengths.from_evidence`
of the training rows, and baselines are given the same evidence. By held-out rows, :func:`softsym.strengths.choose` tries strengths: each of
three parts of the training rows is held out once while the others are learned; then all are. Test rows decide nothing, except where a
row of the table says that it shows one candidate at one strength.

Every training is written to a folder, if one is named, as soon as it is done, and not repeated.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from softsym.inference import evidence
from softsym.io import put_text
from softsym.regularize.strengths import choose, from_evidence
from softsym_lab.benchmarks.planted.cases import Case, Pair, cases
from softsym_lab.benchmarks.planted.methods import Method, Training, methods

FIRST = 10
"""The first seed; no number of any method was chosen by it or by those after it."""
Records = dict[int, dict[str, Any]]
"""What was measured, by seed."""
PARTS = 3
OURS = "per"
ERRORS = ("test_error", "test_error_transformed", "equivariance_error")


def run(
    folder: Path | None = None, flights: str | None = None, seeds: int | None = None, epochs: int | None = None
) -> dict[str, Any]:
    """All tasks and methods, method by method.

    Args:
        folder: Where each training is kept as soon as it is done, so that a stopped run goes on; None to keep none.
        flights: File of recorded flights (``table_tennis``).
        seeds: How many seeds; those of each method by default.
        epochs: How long to train; as each task says by default.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    every = cases(flights)
    names = list(dict.fromkeys(name for case in every for name in methods(case)))
    records: dict[str, dict[str, Records]] = {case.name: {} for case in every}
    for name in names:
        for case in every:
            if name in methods(case):
                count = seeds or methods(case)[name].seeds
                records[case.name][name] = {
                    seed: read_or_train(case, name, seed, epochs, folder) for seed in range(FIRST, FIRST + count)
                }
    return {case.name: table(case, records[case.name]) for case in every}


def read_tables(folder: Path, flights: str | None = None) -> dict[str, Any]:
    """The table of what is in the folder so far."""
    tables = {}
    for case in cases(flights):
        records: dict[str, Records] = {}
        for name, method in methods(case).items():
            files = {seed: _file(folder, case, name, seed, None) for seed in range(FIRST, FIRST + method.seeds)}
            records[name] = {seed: _read(file) for seed, file in files.items() if file.exists()}
        if records["plain"] and records[OURS]:
            tables[case.name] = table(case, {name: rows for name, rows in records.items() if rows})
    return tables


def table(case: Case, records: Mapping[str, Records]) -> dict[str, Any]:
    """One task: a row for each method, and what is better than the regularizer by more than noise.

    Args:
        case: The task.
        records: Numbers of each method and seed.
    """
    rows = {name: summary(each, records["plain"]) for name, each in records.items()}
    return {
        "candidates": list(case.groups),
        "finite_candidates": list(case.finite),
        "holds": list(case.holds),
        "planted_order": list(case.order),
        "rows": rows,
        "better_than_per": {
            key: [name for name in rows if _is_better(records[name], records[OURS], key)]
            for key in ERRORS[:2]
            if key in rows["plain"]
        },
        "better_and_faster_than_per": [name for name, each in records.items() if _is_in_front(each, records[OURS])],
    }


def summary(records: Records, plain: Records) -> dict[str, Any]:
    """Means over seeds with their standard errors, and differences to plain training; strengths one by one.

    Example:
        >>> row = summary({0: {"test_error": 1.0}, 1: {"test_error": 2.0}}, {0: {"test_error": 2.0}, 1: {"test_error": 4.0}})
        >>> row["test_error"], row["test_error_less_plain"]
        ([1.5, 0.5], [-1.5, 0.5])
    """
    row: dict[str, Any] = {"seeds": len(records)}
    first = next(iter(records.values()))
    for key in ERRORS:
        if key in first:
            row[key] = list(_mean([record[key] for record in records.values()]))
            row[f"{key}_less_plain"] = list(_differences(records, plain, key))
    if "cpu_seconds" in first:
        row["cpu_seconds"] = list(_mean([record["cpu_seconds"] for record in records.values()]))
    for key in ("strengths", "order"):
        if key in first:
            row[key] = [record[key] for record in records.values()]
    return row


def read_or_train(
    case: Case, name: str, seed: int, epochs: int | None = None, folder: Path | None = None
) -> dict[str, Any]:
    """One training, read from the folder if it is there."""
    if folder is None:
        return train_and_measure(case, methods(case)[name], seed, epochs)
    file = _file(folder, case, name, seed, epochs)
    if not file.exists():
        put_text(file, json.dumps(train_and_measure(case, methods(case)[name], seed, epochs)))
    return _read(file)


def _file(folder: Path, case: Case, name: str, seed: int, epochs: int | None) -> Path:
    words = "".join(letter if letter.isalnum() else "_" for letter in f"{case.name} {name}")
    return folder / f"{words}-{seed}-{epochs or case.epochs}.json"


def _read(file: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


def train_and_measure(case: Case, method: Method, seed: int, epochs: int | None = None) -> dict[str, Any]:
    """Strengths are found, then all training rows are learned and the test rows predicted."""
    length, (train, test) = epochs or case.epochs, case.draw(seed)
    start = time.process_time()
    strengths, record = choose_strengths(case, method, train, seed, length)
    training = Training(case, method, strengths, seed, length)
    net = training.run(train)
    record["cpu_seconds"] = time.process_time() - start
    record |= case.measured(net, test, seed)
    if method.way == "per" or method.picks in ("evidence", "held-out rows"):
        record["strengths"] = dict(training.per.strengths if method.picks == "adjusted" and training.per else strengths)
    return record


def choose_strengths(
    case: Case, method: Method, train: Pair, seed: int, epochs: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """The strength of each candidate, and why."""
    groups = method.groups(case)
    if method.picks == "evidence":
        x, y = (values.double().numpy() for values in train)
        support = from_evidence(evidence(x, y, case.rep_in, case.rep_out, groups, n_jobs=1, seed=seed))
        strengths = support.strengths
        if method.levels:
            strengths = {name: method.levels[0] * (strength > 0) for name, strength in strengths.items()}
        return strengths, {"order": support.order(), "violations": support.violations}
    if method.picks == "held-out rows":
        choice = choose(lambda each: held_out(case, method, each, train, seed, epochs), groups, method.levels)
        gains = [[trial.strengths, trial.gain, trial.error] for trial in choice.trials]
        return choice.strengths, {"order": choice.order(), "gains": gains}
    return dict.fromkeys(groups, method.levels[0] if method.levels else 0.0), {}


def held_out(case: Case, method: Method, strengths: Mapping[str, float], train: Pair, seed: int, epochs: int) -> Tensor:
    """The score of every training row by a network that did not learn it."""
    x, y = train
    scores, part = torch.zeros(len(x)), torch.arange(len(x)) % PARTS
    for k in range(PARTS):
        rest = part != k
        net = Training(case, method, strengths, seed, epochs).run((x[rest], y[rest]))
        with torch.no_grad():
            scores[~rest] = case.scores(case.network(net)(x[~rest]), y[~rest])
    return scores


def _mean(values: list[float]) -> tuple[float, float | None]:
    """The mean and its standard error, which one seed cannot tell."""
    if len(values) < 2:
        return values[0], None
    return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))


def _differences(ours: Records, theirs: Records, key: str) -> tuple[float, float | None]:
    """Of the seeds that both have."""
    return _mean([record[key] - theirs[seed][key] for seed, record in ours.items() if seed in theirs])


def _is_better(records: Records, ours: Records, key: str) -> bool:
    """Whether the errors are less by more than a standard error of the difference seed by seed."""
    difference, error = _differences(records, ours, key)
    return -difference > (error or 0.0)


def _is_in_front(records: Records, ours: Records) -> bool:
    """Whether the error is no more and the time less, seed by seed on average."""
    error, seconds = (_differences(records, ours, key)[0] for key in ("test_error", "cpu_seconds"))
    return error <= 0 > seconds
