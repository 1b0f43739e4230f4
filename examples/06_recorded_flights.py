"""Recorded table-tennis flights: does gravity leave the symmetry about the vertical axis and break the other two?

    python examples/06_recorded_flights.py path/to/ball_trajectories.npz [epochs]

The file holds recorded 3D ball positions (the data set "Table tennis ball trajectories", BSD-3); the package ships none. Six past
positions are mapped to six future ones. A network free to break any symmetry is trained with a penalty towards each candidate, and the
strengths tell which of them the flights have.
"""

from __future__ import annotations

import sys

import softsym as ss
from softsym.regularize.strengths import OneShot
from softsym.training import fit
from softsym_lab.experiments.presets import preset
from softsym_lab.runs.record import model_errors, probes_of
from softsym_lab.runs.spec import RunSpec
from softsym_lab.tasks.table_tennis import TableTennis


def main(path: str, epochs: int | None = None) -> dict[str, float]:
    """Trains on the flights and prints strength and model error of each group."""
    task = TableTennis(path)
    numbers = preset(task, "quick")
    spec = RunSpec(task.name, "per", numbers)
    settings = spec.settings
    if epochs is not None:
        settings = settings.model_copy(update={"epochs": epochs, "stop_after": 0})
    built = spec.build(task)
    controller = OneShot(min(numbers.adjust_at, settings.epochs), numbers.gamma, numbers.strength_window)
    fitted = fit(
        built.model,
        task.splits(seed=0),
        settings,
        regularizer=built.regularizer,
        controller=controller,
        quiet=False,
    )
    errors = model_errors(fitted.model, task, probes_of(task, seed=1))
    for group, strength in fitted.strengths.items():
        print(f"{group}: strength {strength:.3g}, model error {errors[group]:.4f}")
    return fitted.strengths


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} path/to/ball_trajectories.npz [epochs]   (softsym {ss.__version__})")
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
