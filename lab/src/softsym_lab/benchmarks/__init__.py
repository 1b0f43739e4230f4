"""Speed and memory as ratios: every suite measures what it compares side by side in one run and returns plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softsym.errors import InputError

LONG = (
    "learning",
    "calibration",
    "calibration-evidence",
    "evidence",
    "models",
    "modules",
    "propose",
    "baselines",
    "scale",
)


def run(suite: str | None = None) -> dict[str, Any]:
    """Runs one suite, or all but those that learn for long."""
    from softsym.native import environment
    from softsym_lab.benchmarks import (
        calibration,
        calibration_evidence,
        evidence,
        learning,
        loop,
        models,
        modules,
        native,
        propose,
        scale,
        spaces,
        step,
    )
    from softsym_lab.benchmarks.planted import baselines

    suites: dict[str, Callable[[], dict[str, Any]]] = {
        "spaces": spaces.run,
        "step": step.run,
        "loop": loop.run,
        "native": native.run,
        "learning": learning.run,
        "evidence": evidence.run,
        "calibration-evidence": calibration_evidence.run,
        "calibration": calibration.run,
        "models": models.run,
        "modules": modules.run,
        "propose": propose.run,
        "baselines": baselines.run,
        "scale": scale.run,
    }
    if suite is not None and suite not in suites:
        raise InputError(f"unknown suite {suite!r}; pass one of {', '.join(suites)}")
    chosen = [suite] if suite else [name for name in suites if name not in LONG]
    return {"schema": 1, "environment": environment(), **{name: suites[name]() for name in chosen}}
