"""Trainings on a cluster: the same networks to the bit, and none is lost with a machine."""

import copy
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import softsym as ss
from softsym.cluster import connect, map_on_cluster
from softsym.discovery.on_ray import Board, on_cluster
from softsym.discovery.parallel import TrainJob, train_all
from softsym.errors import InputError, TrainingError
from tests.discovery.small import rows
from tests.discovery.test_parallel import SHORT, WILD, make_jobs, same
from tests.discovery.training_data import training_data
from tests.two_nodes import QUIET, two_nodes


def test_the_board_keeps_what_is_new():
    board = Board()
    assert not board.report(0, {"epoch": 1})
    assert not board.report(0, {"epoch": 2})
    assert board.read() == {0: {"epoch": 2}}
    assert board.read() == {}
    board.end()
    assert board.report(0, {"epoch": 3})


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"this engine needs Ray: pip install 'softsym\[ray\]'"), on_cluster(None):
        pass


@pytest.mark.slow
class TestOnTwoNodes:
    pytestmark = QUIET

    @pytest.fixture(scope="class")
    def cluster(self):
        pytest.importorskip("ray")
        with two_nodes() as nodes, on_cluster(nodes.address) as cluster:
            yield cluster

    def test_the_same_to_the_bit(self, cluster, tmp_path):
        assert cluster.cores == 2
        asked = [*make_jobs(tmp_path / "there", width=64, layers=3), TrainJob(WILD, 9, may_diverge=True)]
        rows = []
        there = train_all(
            training_data(), asked, executor=cluster,
            on_epoch=lambda place, row: rows.append((place, row["epoch"])),
        )  # fmt: skip
        here = train_all(training_data(), make_jobs(width=64, layers=3))
        assert there.pop() is None
        assert all(same(one, other) for one, other in zip(there, here, strict=True))
        assert {place for place, epoch in rows if epoch == SHORT.epochs} == {0, 1, 2}

    def test_a_failure_is_raised_as_it_would_be_here(self, cluster):
        with pytest.raises(TrainingError, match=r"^the loss became .* in epoch 1"):
            train_all(training_data(), [TrainJob(WILD, 0), *make_jobs()], executor=cluster)

    def test_stopping_ends_all_and_they_go_on_here(self, cluster, tmp_path):
        asked = make_jobs(tmp_path, epochs=1000)[:2]
        stopped = train_all(training_data(), asked, executor=cluster, on_epoch=lambda place, row: row["epoch"] >= 2)
        assert not any(member.is_finished for member in stopped)
        rest = train_all(training_data(), asked)
        whole = train_all(training_data(), make_jobs(epochs=1000)[:2])
        assert all(same(one, other) for one, other in zip(rest, whole, strict=True))


@pytest.mark.slow
class TestAKilledNode:
    pytestmark = QUIET

    def test_trainings_are_taken_up_elsewhere(self, tmp_path):
        pytest.importorskip("ray")
        asked = {"epochs": 600, "width": 64}
        begun = set()
        with two_nodes() as nodes, on_cluster(nodes.address) as cluster:

            def watch(place, row):
                begun.add(place)
                if len(begun) == 2:  # one on each
                    nodes.kill_second()

            there = train_all(training_data(), make_jobs(tmp_path, **asked), executor=cluster, on_epoch=watch)
            assert nodes.second is None
        here = train_all(training_data(), make_jobs(**asked))
        assert all(same(one, other) for one, other in zip(there, here, strict=True))

    def test_discover_finds_the_same(self, tmp_path):
        """The whole command on two nodes, one of which is killed while networks are trained."""
        pytest.importorskip("ray")
        X, Y = rows()
        np.savez(tmp_path / "rows.npz", X=X, Y=Y)
        command = [
            sys.executable, "-m", "softsym", "discover", "rows.npz", "--in", "2V", "--out", "V", "--groups", "O(2)@x", "O(2)@z",
            "--model", "network", "--width", "24", "--layers", "2", "--strength", "10", "--epochs", "120", "--seeds", "3",
        ]  # fmt: skip
        subprocess.run([*command, "--out-dir", "here"], cwd=tmp_path, check=True, capture_output=True)
        with two_nodes() as nodes:
            there = [*command, "--out-dir", "there", "--engine", "ray", "--address", nodes.address]
            ended = []

            def go():
                ended.append(subprocess.run(there, cwd=tmp_path, capture_output=True, text=True, timeout=500))

            work = threading.Thread(target=go)
            work.start()
            members = tmp_path / "there.partial" / "members"
            while work.is_alive() and len(list(members.glob("seed-*/history.jsonl"))) < 2:
                time.sleep(0.05)
            assert work.is_alive(), ended[0].stderr[-2000:]
            nodes.kill_second()
            work.join()
        assert ended[0].returncode == 0, ended[0].stderr[-2000:]
        found = [json.loads((tmp_path / name / "symmetries.json").read_text()) for name in ("here", "there")]
        weights = [(tmp_path / name / "model" / "tensors.safetensors").read_bytes() for name in ("here", "there")]
        assert weights[0] == weights[1]
        assert [without_times(one) for one in found[:1]] == [without_times(one) for one in found[1:]]
        assert sorted(os.listdir(tmp_path)) == ["here", "rows.npz", "there"]


def without_times(content):
    """What was found, without the time that it took and the command, which names another folder."""
    if isinstance(content, dict):
        return {
            name: without_times(value)
            for name, value in content.items()
            if name not in ("seconds", "files", "checksum", "command")
        }
    return [without_times(value) for value in content] if isinstance(content, list) else content


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_sums_over_rows_are_the_same_on_a_cluster_and_after_a_machine_died():
    pytest.importorskip("ray")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4_000, 3))
    Y = X * (1.0 + (X**2).sum(axis=1, keepdims=True)) ** -0.5 + 0.05 * rng.standard_normal((4_000, 3))
    first = ss.SoftEquivariantGP("V", "V", ["O(3)"]).fit(X[:500], Y[:500])
    chunks = [slice(start, start + 250) for start in range(500, 4_000, 250)]

    def add(at):
        time.sleep(0.2)
        return first.sum_rows(X[at], Y[at])

    here = copy.copy(first).add_sums(*map(add, chunks)).predict(X[:50])
    with two_nodes() as nodes:
        results = map_on_cluster(connect(nodes.address, 1), add, chunks)
        found = [next(results)]
        nodes.kill_second()
        found += results
    assert np.array_equal(copy.copy(first).add_sums(*found).predict(X[:50]), here)
