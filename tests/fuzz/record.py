"""The record of the stress tests, from the numbers that they left in a folder: ``python -m tests.fuzz.record FOLDER``.

It reads what ``--json`` of the others wrote: ``fuzz-*.json`` of ``tests.fuzz`` (pieces with seeds of their own), ``interrupts-*.json`` and
``kills-*.json`` of ``tests.fuzz.signals``, ``leaks.json`` of ``tests.fuzz.leaks``, ``load-*.json`` of ``scale.load`` and ``sanitize.json``.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from softsym.native import environment

RECORD = Path(__file__).parents[2] / "lab" / "benchmarks" / "results" / "reliability.json"


def read(folder: Path, pattern: str) -> list[dict]:
    """The numbers in all files of a name."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob(pattern))]


def fuzz(pieces: list[dict]) -> dict:
    """Cases of all pieces by target."""
    targets: dict[str, dict] = {}
    for piece in pieces:
        for name, one in piece["targets"].items():
            whole = targets.setdefault(name, {"cases": 0, "used": 0, "refused": 0, "slowest": 0.0, "peak_gb": 0.0})
            for key in whole:
                whole[key] = (
                    max(whole[key], one[key]) if key in ("slowest", "peak_gb") else whole[key] + one.get(key, 0)
                )
    seconds = sum(piece["seconds"] for piece in pieces)
    seeds = [piece["seed"] for piece in pieces]
    return {"failed": sum(piece["failed"] for piece in pieces), "seconds": seconds, "seeds": seeds, "targets": targets}


def signals(pieces: list[dict], word: str) -> dict:
    """Stops of all pieces together."""
    found = [piece[word] for piece in pieces]
    codes, messages = Counter(), Counter()
    for one in found:
        codes.update(one["exit_codes"])
        messages.update(one["messages"])
    return {
        "count": sum(one["count"] for one in found),
        "continued": sum(one["continued"] for one in found),
        "failed": sum(one["failed"] for one in found),
        "exit_codes": codes,
        "messages": messages,
        "median_seconds": max(one["seconds_to_stop"]["median"] for one in found),
        "longest_seconds": max(one["seconds_to_stop"]["max"] for one in found),
    }


def main() -> None:
    """Writes the record."""
    folder = Path(sys.argv[1])
    record = {
        "fuzz": fuzz(read(folder, "fuzz-*.json")),
        "interrupts": signals(read(folder, "interrupts-*.json"), "interrupts"),
        "kills": signals(read(folder, "kills-*.json"), "kills"),
        "sanitize": read(folder, "sanitize.json")[0],
        "leaks": read(folder, "leaks.json")[0],
        "load": {name: one for piece in read(folder, "load-*.json") for name, one in piece.items()},
    }
    RECORD.write_text(json.dumps({"schema": 1, "environment": environment(), "reliability": record}, indent=2) + "\n")


if __name__ == "__main__":
    main()
