"""The Ray engine: the same contract as the local one."""

import threading
import time
from pathlib import Path

import pytest
from lab.tests.experiments import engine_jobs as engines

from softsym.errors import InputError
from softsym_lab.experiments.engines.estimate import Estimate
from softsym_lab.experiments.engines.local import Local
from softsym_lab.experiments.engines.ray import Ray
from softsym_lab.experiments.engines.run_missing import run_missing
from softsym_lab.experiments.store import Store
from tests.two_nodes import QUIET, two_nodes

ray = pytest.importorskip("ray")
pytestmark = QUIET


@pytest.mark.slow
def test_same_bits_as_alone(tmp_path):
    engines.same_bits_as_alone(Ray(1), tmp_path)


@pytest.mark.slow
def test_failure_stops_no_other_run(tmp_path):
    engines.failure_stops_no_other_run(Ray(2), tmp_path)


@pytest.mark.slow
def test_killed_and_taken_up_again(tmp_path):
    engines.killed_and_taken_up_again(Ray(1), tmp_path)


def test_no_cluster_at_the_address(tmp_path):
    from softsym_lab.experiments.engines.engine import Job

    with pytest.raises(InputError, match=r"no Ray cluster at 127\.0\.0\.1:9: .*refused; pass another"):
        list(Ray(1, "127.0.0.1:9").outcomes([Job(engines.spec(), tmp_path)]))


def test_nothing_to_do_starts_no_cluster():
    assert list(Ray(1).outcomes([])) == []
    assert not ray.is_initialized()


@pytest.mark.slow
def test_a_node_is_killed_and_the_grid_is_what_it_is_on_one_machine(tmp_path, monkeypatch):
    """Four runs on two nodes, one of which is killed while it works; relative folders, as people give them."""
    monkeypatch.chdir(tmp_path)
    runs = [engines.spec(seed, epochs=240) for seed in range(4)]
    here, there = Store(Path("here")), Store(Path("there"))
    run_missing(runs, here, Local(2), Estimate({}), quiet=True)
    with two_nodes() as nodes:
        killed = threading.Thread(target=_kill, args=(nodes, [there.work(run) for run in runs]), daemon=True)
        killed.start()
        tally = run_missing(runs, there, Ray(2, nodes.address), Estimate({}), quiet=True)
        assert nodes.second is None  # it really was killed
    assert (tally.done, tally.failed) == (4, {})
    for run in runs:
        assert engines.bits(there.work(run)) == engines.bits(here.work(run))
        results = [store.record(run).result.to_dict() for store in (here, there)]
        for times in ("seconds", "seconds_to_best", "peak_bytes"):
            for result in results:
                result.pop(times)
        assert results[0] == results[1]


def _kill(nodes, folders):
    """Kills the second node when both nodes are in the middle of a run."""

    def lengths():
        histories = [folder / "history.jsonl" for folder in folders]
        return [path.read_text().count("\n") for path in histories if path.exists()]

    while sum(20 < length < 200 for length in lengths()) < 2:
        time.sleep(0.02)
    nodes.kill_second()
