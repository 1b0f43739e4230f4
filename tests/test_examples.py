"""Every example runs by itself, in a process of its own, as a reader would run it, and needs the product alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from softsym.datasets.golfball import fly

FOLDER = Path(__file__).parent.parent / "examples"
PROMISED = {
    "01_groups_and_representations.py": "rotations by 90 degrees have order 4",
    "02_equivariant_spaces.py": "O(3)                 5 of 180",
    "03_discover_on_your_own_csv.py --quick": "loaded model predicts",
    "04_regularizer_in_your_own_loop.py --quick": "projected onto O(2)@z",
    "05_golf_ball.py --quick": "golfball:wind=y: ",
    "07_propose_groups.py": "reflection normal to (2,-1,0)",
    "08_cnn_on_your_own_images.py --quick": "accuracy with 200 images",
    "09_transformer_on_points.py --quick": "the axis of symmetry: O(2)@z",
    "10_lightning_and_skorch.py": "skorch: accuracy",
}
"""The command line of each example, and something it prints."""
FLIGHTS = "06_recorded_flights.py"


def test_no_example_is_left_out() -> None:
    listed = {command.split()[0] for command in PROMISED} | {FLIGHTS}
    assert {path.name for path in FOLDER.glob("*.py")} == listed


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_example_imports_the_product_alone(path: Path) -> None:
    assert "softsym_lab" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", PROMISED)
def test_example_runs(command: str, tmp_path: Path) -> None:
    name, *options = command.split()
    done = subprocess.run(
        [sys.executable, "-W", "error", FOLDER / name, *options], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert PROMISED[command] in done.stdout
    assert not list(tmp_path.iterdir())  # whatever is written goes to a temporary folder


def write_flights(path: Path, flights: int = 20) -> Path:
    """Simulated flights in all directions, in the layout of the recorded ones."""
    rng = np.random.default_rng(0)
    heading = rng.uniform(0, 2 * np.pi, flights)
    launch = np.stack([3 * np.cos(heading), 3 * np.sin(heading), rng.uniform(1, 3, flights)], axis=1)
    air = {"gravity": torch.tensor([0.0, 0.0, -9.81]), "wind": torch.zeros(3), "drag": 0.1}
    positions = fly(torch.zeros(flights, 3), torch.from_numpy(launch), **air, dt=0.01, points=60).numpy()
    states = np.concatenate([positions, np.gradient(positions, 0.01, axis=1)], axis=2)
    np.savez(path, states=states.reshape(-1, 6), length=np.full(flights, 60))
    return path


def test_example_on_a_file_of_flights(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.npz")
    done = subprocess.run([sys.executable, FOLDER / FLIGHTS, path, "3"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "O(2)@z: strength" in done.stdout


def test_example_without_its_file_says_what_it_needs() -> None:
    done = subprocess.run([sys.executable, FOLDER / FLIGHTS], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("usage: ")
