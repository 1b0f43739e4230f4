"""The main job compared with baselines: what is compared, on a small fit."""

import json

import pytest

from softsym.datasets import task
from softsym_lab.benchmarks import models


@pytest.mark.slow
def test_one_case():
    record = models.compare("golfball:wind=y", model="linear")
    assert record["all"]["groups"] == ["O(2)@x", "O(2)@y", "O(2)@z"]
    assert record["without_broken"]["groups"] == ["O(2)@z"]
    assert record["one_more_broken"]["groups"] == ["O(2)@x", "O(2)@y", "O(2)@z", "O(3)"]
    ratio = record["all"]["unexplained"] / record["without_broken"]["unexplained"]
    assert record["cost_of_broken"] == pytest.approx(ratio - 1, abs=1e-6)
    names = {row["name"] for row in record["all"]["baselines"]}
    assert {"linear", *models.BASELINES} <= names
    assert sum(row["is_returned"] for row in record["all"]["baselines"]) == 1
    assert record["all"]["model"] == "linear"
    worst = models.summary([record])
    assert worst["worst_against_baselines"] >= 1.0 or not worst["worse_than_baselines"]
    json.dumps(worst)


def test_candidates_that_are_not_absent():
    assert models.unbroken(task("inertia:O(3)")) == ["O(2)@x", "O(2)@y", "O(2)@z"]
    assert models.unbroken(task("cossim:S(3)")) == ["Scaling(3)"]


def test_one_more_is_broken_and_new():
    assert models.one_more(task("cossim:S(3)")) == "O(3)"
    assert models.one_more(task("cossim:SO(3)+S(3)")) == "SL(3)"
    assert models.one_more(task("motion:symmetry-aware")) == "O(3)"


def test_a_case_that_is_done_is_not_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "TASKS", ["cossim:soft"])
    asked = []
    row = {"test_mse": 1.0, "baselines": [{"name": "MLP", "test_error": 2.0}]}
    record = {"task": "cossim:soft", "split": 0, "all": row, "cost_of_broken": 0.1}
    monkeypatch.setattr(models, "compare", lambda name, split: asked.append(name) or record)
    first = models.run(tmp_path)
    assert first == models.run(tmp_path)
    assert first["cases"] == [record]
    assert (first["worst_against_baselines"], first["worst_cost"]) == (0.5, 0.1)
    assert list(first["costs_above_5_percent"]) == ["cossim:soft 0 cost_of_broken"]
    assert asked == ["cossim:soft"]
    assert [json.loads(file.read_text()) for file in tmp_path.iterdir()] == [record]
