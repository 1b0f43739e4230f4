"""What the contract is about, as plain data: each function observes one part of the package, and snapshots hold what it was."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import softsym as ss

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
SNAPSHOTS, MODELS = FOLDER / "snapshots", FOLDER / "models"

CALLABLES = [
    "EquivarianceRegularizer",
    "SoftEquivariantClassifier",
    "SoftEquivariantGP",
    "SoftEquivariantRegressor",
    "equivariance_bound",
    "equivariance_error",
    "equivariant_lstsq",
    "equivariant_maps",
    "evidence",
    "group",
    "hidden_rep",
    "infer_reps",
    "invariant_features",
    "invariants",
    "layer_distances",
    "lie_derivative_error",
    "load",
    "propose",
    "rep",
    "task",
    "Grid",
    "Permutation",
    "Regular",
    "T",
    "O",
    "SO",
    "SL",
    "GL",
    "Scaling",
    "Sp",
    "U",
    "SU",
    "Lorentz",
    "SO13",
    "SO13p",
    "O11",
    "SO11p",
    "S",
    "A",
    "Z",
    "C",
    "D",
    "Cube",
    "Octahedral",
    "Icosahedral",
    "RubiksCube",
    "Trivial",
    "E",
    "SE",
    "Translation",
]
"""Public callables whose arguments are part of the contract."""

MOVED = {"EquivariantSpace", "equivariant_lstsq", "invariant_features", "layer_distances", "lie_derivative_error"}
"""Names that may leave the top level: here they go on to work for one release."""

ESTIMATORS = ("SoftEquivariantClassifier", "SoftEquivariantRegressor")
"""Their network parameters may move into one argument; all names are accepted for one release."""

MEMBERS = {
    "Group": [
        "about",
        "conjugated",
        "dim",
        "discrete_generators",
        "elements",
        "embed",
        "from_generators",
        "is_finite",
        "is_orthogonal",
        "lie_algebra",
        "name",
        "order",
        "sample",
        "__or__",
        "__mul__",
    ],
    "Rep": ["drho", "dual", "rho", "size", "__add__", "__mul__"],
    "EquivariantSpace": ["basis", "dim", "distance", "project", "residual"],
    "EquivarianceRegularizer": [
        "__call__",
        "describe",
        "load_state_dict",
        "project_",
        "prox_",
        "residuals",
        "state_dict",
        "step_",
        "strengths",
    ],
    "SoftEquivariantGP": ["fit", "predict", "save", "snap"],
    "SoftEquivariantRegressor": ["baselines_", "fit", "look", "module_", "predict", "report", "save", "score", "snap"],
    "SoftEquivariantClassifier": [
        "baselines_",
        "fit",
        "look",
        "module_",
        "predict",
        "predict_proba",
        "report",
        "save",
        "score",
        "snap",
    ],
}
NETWORKS = ["MLP", "EMLP", "RPP", "MixedEMLP", "SoftMLP", "FrameAveraged"]
OBJECTS = [
    "Group",
    "Rep",
    "EquivariantSpace",
    "Scalar",
    "Vector",
    "groups",
    "maps",
    "nn",
    "regularize",
    "reps",
    "spaces",
    "strengths",
]

COMMANDS = ["discover", "propose", "predict", "inspect", "check", "train", "reproduce", "bench", "doctor"]
REFUSALS = {
    "no such command": ["nonsense"],
    "no such option": ["discover", "--nonsense"],
    "no such file": ["discover", "missing.csv", "--in", "V", "--out", "V", "--groups", "SO(3)"],
    "no such group": ["inspect", "--in", "V", "--out", "V", "--groups", "Nonsense(3)"],
    "no such representation": ["inspect", "--in", "Q?", "--out", "V", "--groups", "SO(3)"],
    "no such model": ["predict", "missing-model", "missing.csv", "-o", "out.csv"],
    "no such table": ["reproduce", "nonsense"],
}


def run_command(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs ``softsym`` in a process of its own, in a folder, wide enough for help pages."""
    source = str(Path(ss.__file__).parent.parent)
    path = os.pathsep.join([source, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    settings = os.environ | {
        "COLUMNS": "240",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PYTHONPATH": path,
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", "softsym", *arguments],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def observe_names() -> dict[str, Any]:
    """Arguments of public callables in order, and members of public classes."""
    return {
        "objects": OBJECTS,
        "networks": NETWORKS,
        "members": MEMBERS,
        "arguments": {name: list(inspect.signature(_function(name)).parameters) for name in CALLABLES},
    }


def public(name: str) -> Any:
    """A public name; one that has left the top level may warn."""
    with warnings.catch_warnings():
        if name in MOVED:
            warnings.simplefilter("ignore", DeprecationWarning)
        return getattr(ss, name)


def _function(name: str) -> Callable[..., Any]:
    if name == "evidence" and not inspect.isfunction(ss.evidence):  # a module that can be called
        return ss.evidence.evidence
    return public(name)


def observe_help(folder: Path) -> dict[str, Any]:
    """Options and arguments of every command, whether its help has an example, and its exit code."""
    commands = {}
    for name in COMMANDS:
        done = run_command([name, "--help"], folder)
        rows = [line.strip("│| ").strip() for line in done.stdout.splitlines()]
        options = [match.group() for row in rows if (match := re.match(r"(\*\s+)?--[a-z][\w-]*", row))]
        usage = next(row for row in rows if row.startswith("Usage:"))
        commands[name] = {
            "exit": done.returncode,
            "options": sorted(option.lstrip("* ") for option in options),
            "arguments": re.findall(r"\w+", usage.partition("[OPTIONS]")[2].upper()),
            "example": f"Example: softsym {name}" in " ".join(rows),
        }
    return commands


def observe_refusals(folder: Path) -> dict[str, Any]:
    """Exit code of bad input, and whether the error takes one line without a traceback."""
    refused = {}
    for name, arguments in REFUSALS.items():
        done = run_command(arguments, folder)
        errors = [line for line in done.stderr.splitlines() if line.startswith("softsym: ")]
        refused[name] = {"exit": done.returncode, "lines": len(errors), "traceback": "Traceback" in done.stderr}
    return refused


def small_data(rows: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """Cross products with a little noise: SO(3) holds exactly, O(3) does not."""
    generator = np.random.default_rng(20)
    X = generator.standard_normal((rows, 6))
    return X, np.cross(X[:, :3], X[:, 3:]) + 0.05 * generator.standard_normal((rows, 3))


def observe_summary(folder: Path) -> dict[str, Any]:
    """The ``symmetries.json`` of a small discovery with closed forms alone."""
    X, Y = small_data()
    np.savez(folder / "small.npz", X=X, Y=Y)
    groups = ["SO(3)", "O(3)", "SO(2)@z"]
    arguments = ["discover", "small.npz", "--in", "2V", "--out", "V", "--groups", *groups, "--model", "gp"]
    done = run_command([*arguments, "--out-dir", "out", "--jobs", "1", "--quiet"], folder)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "out" / "symmetries.json").read_text(encoding="utf-8"))


def _estimators() -> dict[str, Any]:
    small = ss.discovery.NetworkConfig(width=8, layers=2, epochs=60, seeds=1)
    network: dict[str, Any] = {"model": "network", "network": small, "n_jobs": 1}
    X, Y = small_data(70)
    return {
        "regressor_gp": ss.SoftEquivariantRegressor("2V", "V", ["SO(3)", "O(3)"], model="gp", n_jobs=1).fit(X, Y),
        "regressor_network": ss.SoftEquivariantRegressor("2V", "V", ["SO(3)", "O(3)"], **network).fit(X, Y),
        "classifier": ss.SoftEquivariantClassifier("2V", groups=["SO(3)"], **network).fit(
            X, np.where((X[:, :3] * X[:, 3:]).sum(axis=1) > 0, "near", "far")
        ),
    }


def save_models() -> None:
    """Trains and stores the small models that later versions must be able to load."""
    for name, estimator in _estimators().items():
        shutil.rmtree(MODELS / name, ignore_errors=True)
        estimator.save(MODELS / name)


def observe_models() -> dict[str, Any]:
    """Predictions, probabilities and verdicts of the stored models."""
    X, _ = small_data(70)
    observed = {}
    for name in ("regressor_gp", "regressor_network", "classifier"):
        estimator = ss.load(MODELS / name)
        observed[name] = {
            "class": type(estimator).__name__,
            "predictions": np.asarray(estimator.predict(X[:5])).tolist(),
            "verdicts": {row.name: row.verdict for row in estimator.symmetries_},
        }
        if hasattr(estimator, "predict_proba"):
            observed[name]["probabilities"] = estimator.predict_proba(X[:5]).tolist()
    return observed


GROUP_TEXTS = [
    text
    for line in (
        "O(1); O(3); SO(3); SL(2); GL(2); Scaling(3); Sp(1); U(2); SU(2); Lorentz(); SO13(); SO13p(); O11()",
        "SO11p(); S(5); A(4); Z(8); C(4); D(3); Cube(); Octahedral(); Icosahedral(); RubiksCube(); Trivial(3)",
        "E(2); SE(3); Translation(3); O(2)@x; SO(2)@z; O(2)@(1,2,0); SO(2)@(0.1,0.7,0.7); S(2)@4[3,1]",
        "O(2)@z@4[1,2,3]; SO(2)@[[2,0],[0,1]]; SO(3) | Scaling(3); (SO(2) | C(4))@z",
        "SO(3)|Octahedral()|Scaling(3); SO(2) * S(3); SO(2) * (Z(2) * C(3)); (SO(2) | Scaling(2)) * S(2)",
        " O( 2 )@z ",
    )
    for text in line.split("; ")
]
REP_TEXTS = [
    text
    for line in (
        "S; V; V'; 0; 5S + 5V; V + V; S + V + S; T(2); T(1,1); T(0,2); V*V'; V'*V; V*(S + V'); 2V + S + V",
        "3T(2); V[0]*V[1]; V[0] + V[1]'; Grid(2,2); Grid(3,3) + V; V*Grid(1,1)",
        "Points([[1.0, 1.0], [-1.0, 1.0]])*V;  2 V+S ",
    )
    for text in line.split("; ")
]


def observe_texts() -> dict[str, Any]:
    """Text forms as they come back from parsing."""
    return {
        "groups": {text: str(ss.group(text)) for text in GROUP_TEXTS},
        "reps": {text: str(ss.rep(text)) for text in REP_TEXTS},
    }
