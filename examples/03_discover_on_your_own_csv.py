"""Discover the symmetries of a table of your own: read a CSV, fit, read the verdicts, keep report and model.

    python examples/03_discover_on_your_own_csv.py [--quick]

The table here is a simulated test bench: a rubber mount is displaced and pushes back, three times as stiff along its z axis as
across, and softer when warm. So the target function is symmetric about z and not about x or y. The library is given only that one
column is a scalar and that the others are vectors.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import softsym as ss
from softsym.data.table import read_table

STIFFNESS = np.array([1.0, 1.0, 3.0])
NOISE = 0.01


def write_measurements(path: Path, rows: int, seed: int = 0) -> None:
    """Displacements in all directions at several temperatures, and the measured forces."""
    rng = np.random.default_rng(seed)
    temperature = rng.uniform(-20, 60, size=rows)
    u = rng.standard_normal((rows, 3))
    hardening = 1 + 0.1 * (u**2).sum(axis=1, keepdims=True)
    force = -(1 - temperature[:, None] / 200) * hardening * STIFFNESS * u
    force += NOISE * rng.standard_normal(force.shape)
    columns = {"temperature": temperature, "ux": u[:, 0], "uy": u[:, 1], "uz": u[:, 2]}
    columns |= {"fx": force[:, 0], "fy": force[:, 1], "fz": force[:, 2]}
    pl.DataFrame(columns).write_csv(path)


def main(quick: bool = False) -> None:
    """From a file to a stored model."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_measurements(folder / "mount.csv", rows=300 if quick else 1500)

        # Columns are chosen by name; mistakes in a file are reported in one line.
        table = read_table(folder / "mount.csv", x_columns="temperature, ux..uz", y_columns="fx..fz")
        print(f"{len(table.X)} rows, inputs {', '.join(table.x_names)}, outputs {', '.join(table.y_names)}")

        # One scalar and one vector in, one vector out, three candidate groups. Closed-form models are fitted first, and a
        # network is trained only where it can add something.
        est = ss.SoftEquivariantRegressor(rep_in="S + V", rep_out="V", groups=["O(2)@x", "O(2)@y", "O(2)@z"])
        est.fit(table.X, table.Y)
        print(est.symmetries_)
        print(f"variance of held-out rows explained: {est.fit_.explained():.1%}\n")

        # Is the symmetry worth it? Baselines, on the same rows.
        print(est.baselines_, "\n")

        # What would it cost to make the model exactly symmetric?
        print(est.project("O(2)@z"))

        # A report to show, a model to keep. Nothing is pickled: safetensors and JSON.
        est.report(folder / "report.html", title="a rubber mount")
        est.save(folder / "model")
        size = (folder / "report.html").stat().st_size
        print(f"report.html: {size / 1e6:.1f} MB in one file, works offline")

        loaded = ss.load(folder / "model")
        mean, std = loaded.predict(table.X[:3], return_std=True)
        assert np.array_equal(mean, est.predict(table.X[:3]))
        print("loaded model predicts\n", mean.round(2), "\nwith a standard deviation of\n", std.round(2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Discover the symmetries of a CSV file.")
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    main(parser.parse_args().quick)
