"""Memory, open files and threads of many fits in one process: ``python -m tests.fuzz.leaks --fits 500``.

Every fit has data of its own: the evidence, proposals, a Gaussian process, and the estimator with each kind of model, in turn.
"""

import argparse
import gc
import json
import os
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np

import softsym as ss
from softsym.progress import silence

GROUPS = ["SO(3)", "O(2)@z"]
NETWORK = ss.discovery.NetworkConfig(width=8, layers=2, epochs=5, seeds=1)
WARM, GROWTH = 0.2, 64.0
"""Share of the fits after which caches are full, and megabytes by which memory may grow in the others."""


def estimator(model: str):
    return lambda X, Y: (
        ss.SoftEquivariantRegressor("2V", "V", GROUPS, model=model, network=NETWORK).fit(X, Y).predict(X)
    )


FITS = {
    "evidence": lambda X, Y: ss.evidence(X, Y, "2V", "V", GROUPS),
    "propose": lambda X, Y: ss.propose(X, Y, "2V", "V"),
    "gaussian process": lambda X, Y: ss.SoftEquivariantGP("2V", "V", GROUPS).fit(X, Y).predict(X),
    "linear": estimator("linear"),
    "network": estimator("network"),
}


def megabytes() -> float:
    """Memory of this process that is in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure() -> dict:
    """What may leak."""
    gc.collect()
    return {
        "megabytes": round(megabytes(), 1),
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "objects": len(gc.get_objects()),
    }


def run(fits: int, each: int = 25) -> dict:
    """The measurements after every so many fits, and the growth since caches are full."""
    began, series = time.monotonic(), []
    for k in range(fits):
        rng = np.random.default_rng(k)
        X = rng.standard_normal((40 + k % 30, 6))
        Y = np.cross(X[:, :3], X[:, 3:]) + 0.05 * rng.standard_normal((len(X), 3))
        with warnings.catch_warnings(), silence():
            warnings.simplefilter("ignore")
            list(FITS.values())[k % len(FITS)](X, Y)
        if (k + 1) % each == 0:
            series.append({"fits": k + 1, **measure()})
            print(series[-1], file=sys.stderr, flush=True)
    warm = next(one for one in series if one["fits"] >= WARM * fits)
    grown = {key: round(series[-1][key] - warm[key], 1) for key in warm if key != "fits"}
    return {"fits": fits, "warm": warm, "end": series[-1], "grown": grown, "seconds": round(time.monotonic() - began)}


def main() -> int:
    """Returns whether memory, files or threads grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=500)
    parser.add_argument("--json", type=Path, help="a file for the numbers")
    given = parser.parse_args()
    found = run(given.fits)
    print(json.dumps(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    grown = found["grown"]
    return int(grown["megabytes"] > GROWTH or grown["files"] > 2 or grown["threads"] > 2)


if __name__ == "__main__":
    sys.exit(main())
