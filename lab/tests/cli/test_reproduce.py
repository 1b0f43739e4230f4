"""``softsym reproduce``: plans, renders, stops cleanly, and names mistakes in one line."""

import json
import signal
import subprocess
import sys
import time

import pytest
from lab.tests.experiments.small import PAPER, record

from softsym_lab.experiments.reproduce import plan
from softsym_lab.experiments.store import Store, read_ledger
from tests.processes import invoke, started


def cli(*arguments, **options):
    command = [sys.executable, "-m", "softsym.cli.main", "reproduce", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def test_a_dry_run_lists_runs_and_times(tmp_path):
    done = invoke(
        "reproduce", "correlation", "--preset", "quick", "--dry-run", "--workers", 2, "--out-dir", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 40
    assert lines[0] == "inertia:O(3) per seed 0, quick preset: about 24 s"
    assert lines[-1] == "39 of 39 runs to do, about 8 min with 2 at a time"
    assert not (tmp_path / "out").exists()


def test_rendered_from_results_alone(tmp_path):
    store = Store(tmp_path)
    for run in plan("table1", "code", 3, folder=PAPER).runs[:20]:
        store.save(record(run, 0.25))
    done = invoke("reproduce", "table1", "--from-results", "--out-dir", tmp_path, "--json", tmp_path / "out.json")
    assert done.returncode == 0, done.stderr
    assert "Preset `code`, 20 of 93 runs done" in done.stdout
    result = json.loads((tmp_path / "out.json").read_text())
    per = next(row for row in result["tables"][0]["rows"] if (row["row"], row["column"]) == ("Oz(2)", "PER"))
    assert (per["mean"], per["seeds"], per["published_mean"]) == (0.25, 3, 0.32)
    assert not (tmp_path / "work").exists()
    claims = invoke("reproduce", "claims", "--out-dir", tmp_path, "--json", "-")
    assert claims.returncode == 0, claims.stderr
    verdicts = {row["text"]: row["verdict"] for row in json.loads(claims.stdout)["tables"][0]["rows"]}
    assert verdicts["Oz(2): PER is below the published mean plus one standard deviation"] == "holds"


@pytest.mark.slow
def test_stopped_and_continued(tmp_path):
    arguments = (
        "frame-averaging",
        "--preset",
        "quick",
        "--seeds",
        1,
        "--column",
        "PER",
        "--workers",
        1,
        "--out-dir",
        tmp_path,
    )
    command = [sys.executable, "-m", "softsym.cli.main", "reproduce", *map(str, arguments)]
    process = started(command)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("work/*/history.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.endswith("softsym: interrupted; 1 of 1 runs are left, the same command goes on with them\n")
    assert "Traceback" not in stderr
    done = cli(*arguments, "--quiet", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["runs"] == {"total": 1, "done": 1, "failed": {}}
    assert len(read_ledger(tmp_path / "quick.parquet")) == 1
    assert (tmp_path / "quick" / "frame-averaging.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("table9",), "unknown table 'table9'"),
        (("table1", "--preset", "slow"), "unknown preset 'slow'"),
        (("table1", "--engine", "steam"), "unknown engine 'steam'; pass local or ray"),
        (("table1", "--address", "auto"), "pass --engine ray with it"),
        (("table1", "--column", "KAN"), "table1 has no column 'KAN'; it has MLP"),
        (("table1", "--row", "Ow(2)"), "table1 has no row 'Ow(2)'; it has O(3), Ox(2)"),
        (("table1", "--from-results"), "holds no results"),
        (("table1", "--column", "MLP", "--out-dir", "/proc/nowhere"), "cannot write to"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(tmp_path, arguments, message):
    place = () if "--out-dir" in arguments else ("--out-dir", tmp_path)
    done = invoke("reproduce", *arguments, *place)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
