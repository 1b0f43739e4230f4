"""The long attack: ``python -m tests.fuzz --cases 100000``.

Fails on a crash, a case of over ten seconds of the processor or a minute, or 2 GB of memory.
"""

import argparse
import contextlib
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.fuzz.targets import TARGETS, attack

LONGEST, WAIT, LARGEST = 10.0, 60.0, 2.0


def main() -> int:
    """Attacks every target by its share of the cases; returns how many failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--only", choices=[target.__name__ for target in TARGETS])
    parser.add_argument("--json", type=Path, help="a file for the numbers")
    given = parser.parse_args()
    chosen = {t: share for t, share in TARGETS.items() if given.only in (None, t.__name__)}
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, _too_long)
    failed, began, numbers = 0, time.monotonic(), {}
    for target, share in chosen.items():
        cases = given.cases * share // sum(chosen.values())
        ends, start, slowest = Counter(), time.monotonic(), 0.0
        with tempfile.TemporaryDirectory(prefix="softsym-fuzz-") as folder:
            with contextlib.suppress(Exception):  # what a target computes once is no case's time
                attack(target, given.seed, Path(folder))
            for seed in range(given.seed, given.seed + cases):
                signal.setitimer(signal.ITIMER_PROF, LONGEST)
                signal.setitimer(signal.ITIMER_REAL, WAIT)
                at = time.process_time()
                try:
                    ends[attack(target, seed, Path(folder))] += 1
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    failed += 1
                    print(f"{target.__name__}, seed {seed}:", file=sys.stderr)
                    traceback.print_exc(limit=-4)
                finally:
                    signal.setitimer(signal.ITIMER_PROF, 0)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                slowest = max(slowest, time.process_time() - at)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        failed += peak > LARGEST
        numbers[target.__name__] = {"cases": cases, **ends, "slowest": round(slowest, 2), "peak_gb": round(peak, 2)}
        print(
            f"{target.__name__}: {cases} cases, {ends['used']} used, {ends['refused']} refused, {time.monotonic() - start:.0f} s "
            f"(slowest {slowest:.1f} s), peak {peak:.2f} GB",
            flush=True,
        )
    seconds = round(time.monotonic() - began)
    print(f"{failed} failed in {seconds} s")
    if given.json:
        record = {"seed": given.seed, "failed": failed, "seconds": seconds, "targets": numbers}
        given.json.write_text(json.dumps(record, indent=1) + "\n")
    return failed


class TooLong(BaseException):
    """A case took too long; no error that the code under test could catch, as it may a ``TimeoutError``."""


def _too_long(number: int, frame: object) -> None:
    raise TooLong(f"over {LONGEST:g} s of the processor, or {WAIT:g} s")


if __name__ == "__main__":
    sys.exit(min(main(), 100))
