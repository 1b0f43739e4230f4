"""Speed and memory as ratios: every suite measures what it compares side by side in one run and returns plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from softsym.errors import InputError

LONG = (
    "learning",
    "calibration-evidence",
    "evidence",
    "models",
    "modules",
    "propose",
    "baselines",
    "recordings",
    "many-rows",
    "molecules",
    "scale",
    "load",
)
"""Suites that take long and have to be named."""
WITH_FOLDER = ("learning", "calibration-evidence", "models", "propose", "baselines", "recordings", "many-rows")
"""Suites that keep what is done in a folder."""
WITH_FLIGHTS = ("models", "modules", "baselines")
"""Suites that can also run on recorded flights."""
WITH_PARTS = ("calibration-evidence",)
"""Suites whose list has parts and strata."""
WITH_DATA = ("recordings", "molecules")
"""Suites that run on a folder of recorded data, or can."""


def run(
    suite: str | None = None,
    folder: Path | None = None,
    flights: str | None = None,
    part: str | None = None,
    strata: str | None = None,
    data: Path | None = None,
) -> dict[str, Any]:
    """Runs one suite, or all but those that take long.

    Args:
        suite: Its name; by default all but :data:`LONG`.
        folder: Where a suite of :data:`WITH_FOLDER` keeps what is done, so that a stopped run goes on.
        flights: File of recorded flights, for a suite of :data:`WITH_FLIGHTS`.
        part: Part of the list, for a suite of :data:`WITH_PARTS`.
        strata: Strata of it, comma between them; all by default.
        data: Folder of recorded data, for a suite of :data:`WITH_DATA`.
    """
    from softsym.native import environment
    from softsym_lab.benchmarks import (
        calibration,
        evidence,
        learning,
        loop,
        many_rows,
        models,
        modules,
        molecules,
        native,
        propose,
        recordings,
        scale,
        spaces,
        step,
    )
    from softsym_lab.benchmarks.planted import baselines

    suites: dict[str, Callable[..., dict[str, Any]]] = {
        "spaces": spaces.run,
        "step": step.run,
        "loop": loop.run,
        "native": native.run,
        "learning": learning.run,
        "evidence": evidence.run,
        "calibration-evidence": calibration.run,
        "models": models.run,
        "modules": modules.run,
        "propose": propose.run,
        "baselines": baselines.run,
        "recordings": recordings.run,
        "many-rows": many_rows.run,
        "molecules": molecules.run,
        "scale": scale.run,
        "load": scale.load,
    }
    if suite is not None and suite not in suites:
        raise InputError(f"unknown suite {suite!r}; pass one of {', '.join(suites)}")
    options: dict[str, Any] = {}
    given = (
        ("folder", folder, WITH_FOLDER),
        ("flights", flights, WITH_FLIGHTS),
        ("part", part, WITH_PARTS),
        ("strata", strata and strata.split(","), WITH_PARTS),
        ("data", data, WITH_DATA),
    )
    for option, value, taking in given:
        if value is not None and suite not in taking:
            raise InputError(f"--{option} is for {', '.join(taking)}; leave it out, or name one of these suites")
        if value is not None:
            options[option] = value
    chosen = [suite] if suite else [name for name in suites if name not in LONG]
    results = {name: suites[name](**options) for name in chosen}
    return {"schema": 1, "environment": environment(), **results}
