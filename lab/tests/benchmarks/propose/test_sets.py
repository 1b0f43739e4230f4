"""Sets are kept one by one, and a run that was stopped goes on."""

import json

import numpy as np
import pytest

import softsym as ss
from softsym_lab.benchmarks.propose import sets
from softsym_lab.benchmarks.propose.sets import truth
from softsym_lab.benchmarks.propose.targets import TARGETS


def test_records_are_kept_and_scored(tmp_path, monkeypatch):
    monkeypatch.setattr(sets, "PARTS", {"targets": {"cross product": TARGETS["cross product"]}})
    monkeypatch.setattr(sets, "TASKS", {})
    monkeypatch.setattr(sets, "_speed", lambda: {"seconds": 1.0})
    monkeypatch.setattr(sets.golf, "record", lambda gravity: {"gravity": gravity})
    first = sets.run(tmp_path, rows=(100,), frames=1, parts=("targets",))
    assert len(first["sets"]["targets"]) == 3
    assert len(list(tmp_path.iterdir())) == 3 + 2 + 1
    monkeypatch.setattr(sets, "propose", None)  # a second run does nothing again
    assert sets.run(tmp_path, rows=(100,), frames=1, parts=("targets",)) == first
    assert first["targets"]["sets_with_a_false_generator"]["count"] == 0
    assert len(json.dumps(first)) < 5_000


def test_true_generators_violate_nothing_and_others_do():
    X = np.random.default_rng(0).standard_normal((100, 6))
    setting = TARGETS["cross product"]
    own, violation = truth(setting.function, X, setting, ss.SO(3).lie_algebra)
    assert own.shape == (3, 3, 3)
    assert violation == pytest.approx(0.0, abs=1e-6)
    assert truth(setting.function, X, setting, np.eye(3)[None])[1] > 0.1
