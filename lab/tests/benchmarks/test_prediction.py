import numpy as np

from softsym.datasets import task
from softsym_lab.benchmarks.prediction import baselines, compare, draw, run


def test_everyone_learns_from_the_same_rows(monkeypatch):
    monkeypatch.setattr("softsym_lab.benchmarks.prediction.TEST", 100)
    errors = compare("golfball:wind=none", rows=40)
    assert errors["rows"] == 40
    assert errors["gp"] < min(errors[name] for name in ("kernel ridge", "cubic", "boosting", "perceptron"))
    assert errors["gp with a broken candidate"] < 1e-3


def test_sources_stand_on_one_side(tmp_path):
    rng = np.random.default_rng(0)
    states = np.concatenate([np.cumsum(rng.standard_normal((80, 6)) * 0.01, axis=0) for _ in range(12)])
    np.savez(tmp_path / "flights.npz", states=states, length=np.full(12, 80))
    flights = task(f"table_tennis:{tmp_path / 'flights.npz'}")
    (X, _), (X_test, _), sources = draw(flights, 50, 0)
    assert len(X) == len(sources) == 50
    assert not {tuple(row) for row in X.tolist()} & {tuple(row) for row in X_test.tolist()}
    assert len(baselines(sources)) == 4


def test_what_is_done_is_not_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr("softsym_lab.benchmarks.prediction.compare", lambda name, rows: {"rows": rows})
    assert run(["motion"], 50, tmp_path) == {"motion": {"rows": 50}}
    monkeypatch.setattr("softsym_lab.benchmarks.prediction.compare", None)
    assert run(["motion"], 50, tmp_path) == {"motion": {"rows": 50}}
