"""``softsym doctor``: what runs here, and why."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import typer

from softsym.cli.common import JSON_FILE, check_target, write_json

PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "polars", "lightning-fabric")
OPTIONAL = {
    "ray": ("ray", "softsym reproduce --engine ray"),
    "tensorboard": ("track", "softsym train --track"),
    "crc32c": ("waymo", "reading Waymo's recorded tracks"),
    "protobuf": ("waymo", "reading Waymo's recorded tracks"),
    "matplotlib": ("paper", "figures of softsym reproduce"),
}


def command(json_file: str | None = JSON_FILE) -> None:
    """Says what runs here: versions, threads, compiled code or not and why, cache folders, optional parts.

    Example: softsym doctor
    """
    check_target(json_file)
    facts = look()
    if json_file is not None:
        write_json(facts, json_file)
    if json_file != "-":
        for line in lines(facts):
            typer.echo(line)


def look() -> dict[str, Any]:
    """Everything there is to say, as plain values."""
    from softsym.limits import default_folder
    from softsym.native import cores, environment, free_cores, status
    from softsym.native.build import cache_folder

    return {
        "schema": 1,
        "environment": environment(),
        "packages": {name: _version(name) for name in PACKAGES},
        "cores": {"usable": len(cores()), "free": free_cores()},
        "compiled_code": status().to_dict(),
        "cache_folders": {"compiled code": str(cache_folder()), "equivariant spaces": str(default_folder())},
        "optional": {
            name: {"version": _version(name), "extra": extra, "for": purpose}
            for name, (extra, purpose) in OPTIONAL.items()
        },
    }


def lines(facts: dict[str, Any]) -> list[str]:
    """The same for people."""
    here, compiled = facts["environment"], facts["compiled_code"]
    shown = [
        f"softsym {here['softsym']}, Python {here['python']}, {here['machine']}",
        "packages       " + ", ".join(f"{name} {version}" for name, version in facts["packages"].items()),
        f"cores          {facts['cores']['usable']} usable, {facts['cores']['free']} free now; "
        f"torch may use {here['threads']} threads, small training steps use one",
    ]
    if compiled["compiled"]:
        threads = "several threads" if compiled["threaded"] else "one thread (no OpenMP)"
        shown += [
            f"compiled code  runs, on {threads}",
            f"               by {compiled['compiler']} {' '.join(compiled['flags'])}",
        ]
        shown += [f"               {path}" for path in compiled["libraries"]]
    else:
        shown.append(f"compiled code  does not run, training takes about twice as long: {compiled['reason']}")
    shown += [f"cache          {folder} ({what})" for what, folder in facts["cache_folders"].items()]
    for name, part in facts["optional"].items():
        there = part["version"] or f"not installed (pip install softsym[{part['extra']}])"
        shown.append(f"optional       {name} {there}: {part['for']}")
    return shown


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
