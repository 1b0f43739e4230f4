"""Writes the snapshots anew: ``python -m tests.contract.record [PART ...]``.

A snapshot is what users may rely on. It is recorded from the commit that defines the contract, with that commit's source first on the
path, and changes only together with the contract.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.contract import observe
from tests.contract.cases import CASES, observe_case

PARTS: dict[str, Callable[[Path], Any]] = {
    "names": lambda folder: observe.observe_names(),
    "help": observe.observe_help,
    "refusals": observe.observe_refusals,
    "summary": observe.observe_summary,
    "texts": lambda folder: observe.observe_texts(),
    "models": lambda folder: observe.save_models() or observe.observe_models(),
    "verdicts": lambda folder: {name: observe_case(name) for name in CASES},
}


def record(parts: list[str]) -> None:
    """Writes the snapshots of some parts."""
    observe.SNAPSHOTS.mkdir(exist_ok=True)
    for part in parts:
        with tempfile.TemporaryDirectory() as folder:
            snapshot = PARTS[part](Path(folder))
        path = observe.SNAPSHOTS / f"{part}.json"
        path.write_text(json.dumps(snapshot, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1:] or list(PARTS))
