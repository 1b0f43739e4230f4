"""``python -m softsym_lab.benchmarks.calibration``: runs a part of the calibration and prints its rates.

Example: python -m softsym_lab.benchmarks.calibration --part development --strata smooth,kinked --rows 300 --noise 0.05 --workers 1
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from softsym.io import put_text
from softsym_lab.benchmarks.calibration.runner import FOLDER, FROZEN_AS, PARTS, cases, changed, measure
from softsym_lab.benchmarks.calibration.score import score, score_invariance, summary, summary_of_invariance


def main() -> None:
    """Reads options, runs, prints."""
    parser = argparse.ArgumentParser(prog="softsym_lab.benchmarks.calibration", description=__doc__)
    parser.add_argument("--part", choices=PARTS, default="development")
    parser.add_argument("--strata", default="", help="names, comma between them; all by default")
    parser.add_argument("--targets", default="", help="names or parts of names of targets, comma between them")
    parser.add_argument("--rows", default="300")
    parser.add_argument("--noise", default="0.05")
    parser.add_argument("--seeds", default="0", help="odd seeds are run in random coordinates")
    parser.add_argument("--levels", default="", help="violations; all of each target by default")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="what is there is not run again: another folder for another rule"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--whole", action="store_true", help="verdicts of the estimator instead of the evidence alone")
    parser.add_argument("--changes", action="store_true", help="every case also in another order, seed, unit and frame")
    parser.add_argument("--json", type=Path, help="write the rates here, for the tables of the documentation")
    parser.add_argument("--reveal", action="store_true", help="print the rates of the frozen part")
    options = parser.parse_args()
    listed = cases(
        options.part,
        _words(options.strata),
        [int(word) for word in _words(options.rows)],
        [float(word) for word in _words(options.noise)],
        [int(word) for word in _words(options.seeds)],
        [float(word) for word in _words(options.levels)],
        _words(options.targets),
    )
    if options.whole:
        listed = [replace(case, whole=True) for case in listed]
    if options.changes:
        listed = changed(listed)
    records = measure(listed, options.folder, options.workers)
    failed = sum("error" in record for record in records)
    print(f"{len(records)} cases of {options.part}, {failed} failed, records in {options.folder}")
    if options.part == "frozen" and not options.reveal:
        print("rates of the frozen part are printed with --reveal, once the rule is frozen")
        return
    rates = score([record for record in records if not record["change"]])
    print(summary(rates))
    invariance = score_invariance(records) if options.changes else {}
    if options.changes:
        print(summary_of_invariance(invariance))
    if options.json is not None:
        found = {
            "part": FROZEN_AS if options.part == "frozen" else options.part,
            "rows": options.rows,
            "noise": options.noise,
            "seeds": options.seeds,
        }
        found |= {"strata": rates, "invariance": invariance}
        put_text(options.json, json.dumps({"calibration-evidence": found}, indent=1) + "\n")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


if __name__ == "__main__":
    main()
