"""The main job beside simpler models: what is compared, on a small fit."""

import json

from softsym.benchmarks import models
from softsym.tasks import task

SMALL = {"width": 8, "layers": 2, "epochs": 5, "strength": 1.0}


def test_one_case():
    record = models.compare("golfball:wind=y", **SMALL)
    assert record["all"]["groups"] == ["O(2)@x", "O(2)@y", "O(2)@z"]
    assert record["without_broken"]["groups"] == ["O(2)@z"]
    ratio = record["all"]["test_mse"] / record["without_broken"]["test_mse"]
    assert record["cost_of_broken"] == ratio - 1
    names = {row["name"] for row in record["all"]["baselines"]}
    assert {"network", "ordinary network", "ridge regression", "kernel ridge regression"} <= names
    assert sum(row["is_returned"] for row in record["all"]["baselines"]) == 1


def test_candidates_that_are_not_absent():
    assert models.unbroken(task("inertia:O(3)")) == ["O(2)@x", "O(2)@y", "O(2)@z"]
    assert models.unbroken(task("cossim:S(3)")) == ["Scaling(3)"]


def test_a_case_that_is_done_is_not_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "TASKS", ["cossim:soft"])
    monkeypatch.delenv(models.FLIGHTS, raising=False)
    asked = []
    monkeypatch.setattr(models, "compare", lambda name, split: asked.append(name) or {"task": name})
    assert models.run(tmp_path) == models.run(tmp_path) == {"cases": [{"task": "cossim:soft"}]}
    assert asked == ["cossim:soft"]
    assert [json.loads(file.read_text()) for file in tmp_path.iterdir()] == [{"task": "cossim:soft"}]
