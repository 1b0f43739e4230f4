"""Kills and interrupts at random moments of the commands: ``python -m tests.fuzz.signals --kills 40 --interrupts 40``.

An interrupt ends a command within two seconds with exit code 130 and one line. After either, files are whole or absent, no process is left,
and the same command, with ``--resume`` where something was kept, runs to its end (tried after a share of them, ``--again``).
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import softsym as ss
from softsym.training import checkpoint
from tests.discovery.small import rows

LONGEST = 2.0
SMALL = ["--in", "2V", "--out", "V", "--groups", "O(2)@x", "O(2)@z"]
NETWORKS = ["--model", "network", "--width", "16", "--layers", "2", "--epochs", "60", "--seeds", "2"]
ONE = ["--seeds", "1", "--workers", "1"]
COMMANDS = {
    "discover": ["discover", "rows.npz", *SMALL, "--out-dir", "out"],
    "discover networks": ["discover", "rows.npz", *SMALL, *NETWORKS, "--jobs", "2", "--out-dir", "out"],
    "discover linear": ["discover", "rows.npz", *SMALL, "--model", "linear", "--out-dir", "out"],
    "propose": ["propose", "rows.npz", "--in", "2V", "--out", "V", "--json", "out.json", "--picture", "out.html"],
    "predict": ["predict", "model", "rows.npz", "-o", "out.csv"],
    "check": ["check", "rows.npz", "--in", "2V", "--groups", "O(3)", "--json", "out.json"],
    "inspect": ["inspect", "--in", "T(3)", "--out", "T(3)", "--groups", "O(4)", "--json", "out.json"],
    "doctor": ["doctor"],
    "evidence": ["check", "rows.npz", "--in", "2V", "--out", "V", "--groups", "O(2)@x", "O(2)@z", "--json", "out.json"],
    "train": ["train", "inertia:Oz(2)", "--model", "mlp", "--preset", "quick", "--out-dir", "run"],
    "reproduce": [
        "reproduce",
        "table1",
        "--preset",
        "quick",
        "--column",
        "MLP",
        "--row",
        "O(3)",
        *ONE,
        "--out-dir",
        "results",
    ],
    "bench": ["bench", "spaces", "--json", "out.json"],
}
LONG = ("discover", "discover networks", "train", "reproduce", "bench")
ORDER = [name for name in COMMANDS if name not in LONG] * 2 + list(COMMANDS)
"""Short commands come three times as often."""
KEPT = {"out.partial": "--resume", "run/spec.json": "--resume"}
"""What a command keeps, and the word of its line that says how to go on."""
TEMPORARY = re.compile(r"\..+\.[0-9a-f]{12}(\..*)?")


def start(words: list[str], folder: Path) -> subprocess.Popen[str]:
    """A command in a session of its own, which Ctrl-C can stop."""
    return subprocess.Popen(
        [sys.executable, "-m", "softsym", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def prepare(folder: Path, model: Path) -> None:
    """A folder with what the commands read."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    X, Y = rows()
    np.savez(folder / "rows.npz", X=X, Y=Y)
    shutil.copytree(model, folder / "model")


def is_alive(folder: Path) -> bool:
    """Whether a process that was started in the folder, also a worker in a session of its own, runs seconds after the command's end."""
    for _ in range(30):
        places = set()
        for path in Path("/proc").glob("[0-9]*/cwd"):
            with contextlib.suppress(OSError):  # it ended, or is of somebody else
                places.add(os.readlink(path))
        if str(folder.resolve()) not in places:
            return False
        time.sleep(0.1)
    return True


def damage(folder: Path) -> list[str]:
    """What is half-written."""
    wrong = [path.name for path in folder.rglob(".*") if TEMPORARY.fullmatch(path.name)]
    for name in ("out", "model"):
        if (folder / name).exists():
            ss.load(folder / name / "model" if name == "out" else folder / name)
    if (folder / "out.json").exists():
        json.loads((folder / "out.json").read_text())
    if (folder / "out.html").exists() and not (folder / "out.html").read_text().rstrip().endswith("</html>"):
        wrong.append("out.html")
    if (folder / "run").exists():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checkpoint.latest(folder / "run")
    return wrong


def strike(words: list[str], folder: Path, number: signal.Signals, seconds: float) -> dict:
    """One command that is stopped after so many seconds."""
    process = start(words, folder)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    began = time.monotonic()
    if is_late := process.poll() is not None:
        pass
    elif number == signal.SIGINT:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.kill()
    _, err = process.communicate(timeout=120)
    took = time.monotonic() - began
    lines = err.strip().splitlines()
    # Before the command's own first line Python answers, with a traceback or with nothing.
    is_early = process.returncode in (-signal.SIGINT, 1) and "in run" not in err and "softsym: " not in err
    return {
        "state": "ended before" if is_late else "Python was starting" if is_early else "",
        "code": process.returncode,
        "seconds": took,
        "said": lines[-1] if lines else "",
        "alive": is_alive(folder),
        "raw": err if "Traceback" in err else "",
    }


def faults(one: dict, folder: Path, number: signal.Signals) -> list[str]:
    """What went wrong in one case."""
    wrong = [f"left {name}" for name in damage(folder)] if number == signal.SIGINT else []
    if number == signal.SIGKILL:
        damage(folder)  # temporary files may be left; what is in place must be whole
    wrong += ["a process is left"] * one["alive"]
    if not one["state"] and one["code"] != 0 and number == signal.SIGINT:
        wrong += [one["raw"]] * bool(one["raw"])
        wrong += [f"exit {one['code']}"] * (one["code"] != 130)
        wrong += [f"said {one['said']!r}"] * (not one["said"].startswith("softsym: interrupted; "))
        wrong += [
            f"said {one['said']!r}"
            for kept, word in KEPT.items()
            if (folder / kept).exists() and word not in one["said"]
        ]
        wrong += [f"took {one['seconds']:.1f} s"] * (one["seconds"] > LONGEST)
    return wrong


def attack(
    number: signal.Signals,
    count: int,
    rng: np.random.Generator,
    place: Path,
    durations: dict,
    share: float,
    keep: Callable,
) -> dict:
    """Stops commands in turn; after a share of the stops the same command must run to its end."""
    codes, messages, times, wrong, continued = Counter(), Counter(), [], [], 0

    def summary() -> dict:
        return {
            "count": sum(codes.values()),
            "continued": continued,
            "exit_codes": {str(code): times for code, times in codes.items()},
            "messages": dict(messages),
            "seconds_to_stop": {"median": round(float(np.median(times)), 2), "max": round(max(times), 2)}
            if times
            else {},
            "failed": len(wrong),
        }

    for k in range(count):
        name = ORDER[k % len(ORDER)]
        folder = place / "work"
        prepare(folder, place / "model")
        one = strike(COMMANDS[name], folder, number, float(rng.uniform(0, durations[name])))
        found = faults(one, folder, number)
        if rng.random() < share:
            continued += 1
            resume = ["--resume"] * any((folder / kept).exists() for kept in KEPT)
            force = ["--force"] * any((folder / name).exists() for name in ("out", "out.csv"))
            again = start([*COMMANDS[name], *resume, *force], folder)
            _, err = again.communicate(timeout=600)
            found += [f"again: exit {again.returncode}: {err.strip()[-300:]}"] * (again.returncode != 0)
            found += [f"again: left {left}" for left in damage(folder)]
            found += ["again: out.partial is left"] * (folder / "out.partial").exists()
        codes[one["state"] or one["code"]] += 1
        if not one["state"]:
            times.append(one["seconds"])
            messages[re.sub(r" is in [^ ;]+", " is in FOLDER", one["said"]) if number == signal.SIGINT else ""] += 1
        for fault in found:
            print(f"{number.name} {k}, {name}: {fault}", file=sys.stderr, flush=True)
        wrong += found
        keep(summary())
    return summary()


def write(path: Path | None, record: dict, word: str, found: dict) -> None:
    """Records what was found so far."""
    if path is not None:
        path.write_text(json.dumps({**record, word: found}, indent=1) + "\n")


def main() -> int:
    """Returns how much went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--interrupts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--again", type=float, default=1.0, help="share of the stops after which the command is run again"
    )
    parser.add_argument("--json", type=Path, help="a file for the numbers")
    given = parser.parse_args()
    rng, durations = np.random.default_rng(given.seed), {}
    with tempfile.TemporaryDirectory(prefix="softsym-signals-") as folder:
        place = Path(folder)
        X, Y = rows()
        ss.SoftEquivariantRegressor("2V", "V", ["O(2)@z"], model="linear").fit(X, Y).save(place / "model")
        for name, words in COMMANDS.items():
            prepare(place / "work", place / "model")
            began = time.monotonic()
            process = start(words, place / "work")
            _, err = process.communicate(timeout=600)
            assert process.returncode == 0, (name, err)
            durations[name] = time.monotonic() - began
        record = {"seed": given.seed, "durations": {name: round(one, 1) for name, one in durations.items()}}
        for word, number, count in (
            ("interrupts", signal.SIGINT, given.interrupts),
            ("kills", signal.SIGKILL, given.kills),
        ):
            if count:
                keep = partial(write, given.json, record, word)
                record[word] = attack(number, count, rng, place, durations, given.again, keep)
                print(f"{word}: {json.dumps(record[word])}", flush=True)
    return sum(record[word]["failed"] for word in ("interrupts", "kills") if word in record)


if __name__ == "__main__":
    sys.exit(min(main(), 100))
