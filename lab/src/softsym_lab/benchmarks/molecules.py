"""Energies, dipoles and polarizabilities of molecules from few rows: the Gaussian process of softsym and kernel ridge on the same rows.

Energies of ethanol and benzene (rMD17, split 1), dipoles and polarizabilities of the Zundel cation. Candidates are rotations with
reflections, and exchanges of equal atoms; there are no forces, and positions are about their mean. Errors of energies are mean absolute
ones, of the others root mean squared norms. ``python -m softsym_lab.benchmarks.molecules --data FOLDER`` prints them as JSON.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

import softsym as ss
from softsym.data import voigt_to_mandel
from softsym.errors import InputError
from softsym.typing import Array

ROWS = 200
GRID = {"alpha": [1e-9, 1e-6, 1e-4, 1e-2, 1.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]}
ETHANOL = ("2x(V) + 6x(V) + 1x(V)", "S", ("O(3)", "S(2) * S(6)"))
BENZENE = ("6x(V) + 6x(V)", "S", ("O(3)", "S(6) * S(6)"))
ZUNDEL = "2x(V) + 5x(V)"
SETS = {
    "ethanol": ETHANOL,
    "benzene": BENZENE,
    "dipole": (ZUNDEL, "V", ("O(3)", "S(2) * S(5)")),
    "polarizability": (ZUNDEL, "Sym(2)", ("O(3)", "S(2) * S(5)")),
}
"""Types of inputs and outputs, and candidates."""
UNITS = {"ethanol": "kcal/mol", "benzene": "kcal/mol", "dipole": "a.u.", "polarizability": "a.u."}
ELSEWHERE: dict[str, dict[str, Any]] = {
    "ethanol": {
        "error": 0.15,
        "what": "sGDML, the same rows with forces",
        "source": "measured once: package sgdml 1.0.3, width by 40 of the rows",
    },
    "benzene": {
        "error": 0.0046,
        "what": "sGDML, the same rows with forces",
        "source": "measured once: package sgdml 1.0.3, width by 40 of the rows",
    },
    "dipole": {
        "error": 0.003,
        "what": "SA-GPR, 200 rows",
        "source": "published: example water_zundel of https://github.com/dilkins/TENSOAP",
    },
}
"""Errors of others, typed from their sources."""


@dataclass(frozen=True, eq=False)
class Molecules:
    """Rows to learn from, and rows to predict."""

    X: Array
    Y: Array
    X_test: Array
    Y_test: Array


def read(data: Path, name: str, rows: int = ROWS) -> Molecules:
    """A set, from a folder with rmd17 and zundel: random rows to learn from, the others or those of the published split for the test."""
    if name in ("ethanol", "benzene"):
        train, test = (_load(data / "rmd17" / f"{name}_{part}.npz") for part in ("train", "test"))
        charges = train["charges"]
        kinds = [(np.count_nonzero(charges == one) == 1, int(np.argmax(charges == one)), one) for one in set(charges)]
        atoms = np.concatenate([np.flatnonzero(charges == one) for *_, one in sorted(kinds)])
        positions = np.concatenate([train["positions"], test["positions"]])[:, atoms]
        Y = np.concatenate([train["energies"], test["energies"]]).reshape(-1, 1)
        count = len(train["energies"])
    else:
        file = _load(data / "zundel" / "zundel.npz")
        positions, Y = file["positions"], file[name].reshape(len(file[name]), -1)
        count = len(Y)
        if name == "polarizability":
            Y = voigt_to_mandel(Y[:, [0, 4, 8, 5, 2, 1]])
    X = (positions - positions.mean(axis=1, keepdims=True)).reshape(len(Y), -1)
    order = np.random.default_rng(0).permutation(count)
    learned, tested = order[:rows], order[rows:] if count == len(Y) else np.arange(count, len(Y))
    return Molecules(X[learned], Y[learned], X[tested], Y[tested])


def measure(name: str, found: Molecules) -> dict[str, Any]:
    """Verdicts, errors and seconds of a set."""
    rep_in, rep_out, groups = SETS[name]
    start = time.perf_counter()
    process = ss.SoftEquivariantGP(rep_in, rep_out, list(groups)).fit(found.X, found.Y)
    seconds = time.perf_counter() - start
    ridge = TransformedTargetRegressor(
        GridSearchCV(KernelRidge(kernel="rbf"), GRID, scoring="neg_mean_squared_error"),
        transformer=StandardScaler(with_std=False),
    ).fit(found.X, found.Y)
    return {
        "set": name,
        "inputs": rep_in,
        "outputs": rep_out,
        "rows": len(found.X),
        "test_rows": len(found.X_test),
        "unit": UNITS[name],
        "verdicts": {row.name: row.verdict for row in process.symmetries_},
        "evidence": {row.name: row.verdict for row in ss.evidence(found.X, found.Y, rep_in, rep_out, list(groups))},
        "error": _error(process.predict(found.X_test), found.Y_test),
        "kernel_ridge": _error(ridge.predict(found.X_test), found.Y_test),
        "elsewhere": ELSEWHERE.get(name),
        "seconds": round(seconds, 1),
    }


def run(data: Path | None = None, sets: Sequence[str] = tuple(SETS), rows: int = ROWS) -> dict[str, Any]:
    """All sets.

    Args:
        data: Folder of recorded data, with rmd17 and zundel.
        sets: Names of sets.
        rows: Rows to learn from.
    """
    if data is None:
        raise InputError("molecules runs on recorded data; name their folder (--data)")
    return {"sets": [measure(name, read(data, name, rows)) for name in sets]}


def _load(file: Path) -> dict[str, Array]:
    if not file.exists():
        raise InputError(f"there is no file {file.name} in {file.parent}")
    return dict(np.load(file))


def _error(predicted: Array, Y: Array) -> float:
    """Root mean squared norm of the differences, mean absolute difference of a single output."""
    gaps = predicted.reshape(Y.shape) - Y
    return float(np.abs(gaps).mean() if Y.shape[1] == 1 else np.sqrt((gaps**2).sum(axis=1).mean()))


def main() -> None:
    """Reads options, runs, prints."""
    from softsym.cli import write_json
    from softsym_lab.benchmarks import run as run_suite

    parser = argparse.ArgumentParser(prog="softsym_lab.benchmarks.molecules", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with rmd17 and zundel")
    parser.add_argument("--json", default="-", help="a file, or - (standard output)")
    options = parser.parse_args()
    write_json(run_suite("molecules", data=options.data), options.json)


if __name__ == "__main__":
    main()
