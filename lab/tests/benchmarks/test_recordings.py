import json

import numpy as np
import pytest

import softsym as ss
from softsym_lab.benchmarks import recordings
from softsym_lab.benchmarks.recordings import baselines, bootstrap, measure_baselines, run, score, split_rows, summary
from softsym_lab.benchmarks.recordings_data import SIMULATED, TASKS, names, read_recordings


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_recordings(name):
    made = read_recordings(name)
    group = ss.group(made.right[0])
    assert made.X.shape == (len(made.labels), ss.rep(made.rep_in).size(group))
    assert made.Y.shape == (len(made.labels), ss.rep(made.rep_out).size(group))
    assert np.isfinite(made.X).all()
    assert np.isfinite(made.Y).all()
    assert len(np.unique(made.labels)) >= 12
    assert {ss.group(text).dim for text in (*made.right, *made.more, made.broken)} == {group.dim}
    assert np.array_equal(made.Y, read_recordings(name).Y)
    if made.extrapolate is not None:
        guess = made.extrapolate(made.X)
        assert guess.shape == made.Y.shape
        assert np.mean((guess - made.Y) ** 2) < 5 * made.Y.var()


def test_enough_sets_and_splits():
    assert len(SIMULATED) >= 6
    assert recordings.SPLITS * len(names(None)) >= 20
    assert set(names(None)) == set(SIMULATED) | set(TASKS)


def test_built_in_tasks_are_cut_into_parts():
    made = read_recordings("golfball:wind=y")
    assert made.right == ("O(2)@z",)
    assert len(np.unique(made.labels)) == 18
    assert 0 < np.std(made.Y - made.measured_by) < 0.03 * made.Y.std()


def test_no_recording_is_on_both_sides():
    made = read_recordings("winds")
    train, test = split_rows(made, 0)
    assert not set(made.labels[train]) & set(made.labels[test])
    assert not np.array_equal(test, split_rows(made, 1)[1])


def test_baselines_beat_the_mean(monkeypatch):
    made = read_recordings("winds")
    some = {
        name: fit for name, fit in baselines(made).items() if name in ("ridge regression", "gradient boosting", "mean")
    }
    monkeypatch.setattr(recordings, "baselines", lambda _: some)
    models = measure_baselines(made, split_rows(made, 0))["models"]
    assert models["ridge regression"]["test_mse"] < 0.3 * models["mean"]["test_mse"]
    assert models["ridge regression"]["cross_validation"] < 0.3 * models["mean"]["cross_validation"]
    assert sum(models["mean"]["counts"]) == len(split_rows(made, 0)[1])


def record(part, mse, split=0, **more):
    return {"set": "it", "split": split, "part": part, "test_mse": mse, "sums": [mse] * 5, "counts": [1] * 5} | more


def models(picked, best):
    return {"models": {"a": record("a", picked, cross_validation=1.0), "b": record("b", best, cross_validation=2.0)}}


RECORDS = [
    record("baselines", 0.0, **models(4.0, 1.0)),
    record("right", 1.0),
    record("all", 4.0),
    record("broken", 9.0),
    {"set": "other", "split": 0, "part": "baselines", "error": "ValueError: no"},
]


def test_scores():
    found = score(RECORDS)
    (line,) = found["splits"]
    assert (line["picked"], line["best_in_hindsight"], line["picked_over_best"]) == ("a", "b", 2.0)
    assert [line[part] for part in recordings.VARIANTS] == [0.5, 1.0, 1.5]
    assert line["cost_of_broken"] == pytest.approx(0.5)
    assert found["surely_worse"] == ["it 0 broken: 1.50"]
    assert found["costly_broken"] == ["it 0: +50.0%"]
    assert found["failed"] == ["other 0 baselines: ValueError: no"]
    assert "geometric mean" in summary(found)
    json.dumps(found)


def test_bootstrap_over_recordings_cannot_tell_one_bad_recording():
    low, high = bootstrap({"sums": [1.0, 1.0, 1.0, 1.0, 9.0]}, {"sums": [1.2, 1.2, 1.2, 1.2, 1.2]})
    assert low < 1.0 < high


def test_records_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(recordings, "measure_baselines", lambda *_: models(4.0, 1.0))
    monkeypatch.setattr(
        recordings, "measure_estimator", lambda made, rows, part, seed: record(part, 1.0, set=made.name)
    )
    found = run(tmp_path, sets=["ships"], splits=1)
    assert found["geometric_mean"] == dict.fromkeys(recordings.VARIANTS, 0.5)
    monkeypatch.setattr(recordings, "_measure", None)
    assert run(tmp_path, sets=["ships"], splits=1) == found
