"""How long it will take: what was expected, what finished runs took, and the pace of those under way."""

import json
from dataclasses import replace

import pytest
from lab.tests.experiments.small import record, small_runs

from softsym_lab.experiments.engines.engine import Job
from softsym_lab.experiments.engines.estimate import SETTLED, UNKNOWN, Estimate, Pace, pace


@pytest.fixture
def spec(tmp_path):
    return small_runs(tmp_path)[0]


def test_expected_then_learned(spec):
    estimate = Estimate({spec: 2.0})
    assert estimate.seconds(spec) == 120
    assert estimate.seconds(replace(spec, seed=1)) == UNKNOWN
    estimate.learn(record(spec, seconds=30.0))
    assert estimate.seconds(spec) == estimate.seconds(replace(spec, seed=1, task="inertia:soft")) == 30


def test_a_full_schedule_takes_twice_as_long(spec):
    full = replace(spec, early_stopping=False)
    assert Estimate({full: 2.0}).seconds(full) == 240


def test_a_run_under_way_is_judged_by_its_own_pace(spec):
    estimate = Estimate({}, [record(spec, epochs=20)])
    assert estimate.left(spec, Pace(10, 50.0)) == pytest.approx(50.0)
    assert estimate.left(spec, Pace(22, 110.0)) == pytest.approx(2.5 * 5)  # half its patience
    assert Estimate({}).left(spec, Pace(10, 50.0)) == pytest.approx(5 * (22 - 10))  # it counts from 12, patience 5


def test_pace_is_read_from_the_history(tmp_path):
    assert pace(tmp_path) is None
    lines = [json.dumps({"epoch": k, "seconds": 2.0 * k}) for k in (1, 2, 3)]
    (tmp_path / "history.jsonl").write_text("\n".join([*lines, '{"epoch": 4, "sec']))
    assert pace(tmp_path) == Pace(3, 6.0)


def test_several_workers_share_the_time(tmp_path, spec):
    jobs = [Job(replace(spec, seed=seed), tmp_path / str(seed)) for seed in range(4)]
    estimate = Estimate({job.spec: 1.0 for job in jobs})
    assert estimate.total(jobs, 1) == 240
    assert estimate.total(jobs, 2) == 120
    assert estimate.total(jobs, 99) == 60
    assert estimate.total([], 2) == 0


def test_runs_that_wait_are_judged_by_those_under_way(tmp_path, spec):
    jobs = [Job(replace(spec, seed=seed), tmp_path / str(seed)) for seed in range(3)]
    estimate = Estimate({}, [record(spec, epochs=40, seconds=4000.0)])  # of a slow machine
    jobs[0].folder.mkdir()
    history = jobs[0].folder / "history.jsonl"
    history.write_text(json.dumps({"epoch": SETTLED - 1, "seconds": 1.0}))
    assert estimate.total(jobs, 1) > 8000
    history.write_text(json.dumps({"epoch": 30, "seconds": 15.0}))
    assert estimate.total(jobs, 1) == pytest.approx(0.5 * (10 + 40 + 40))
