"""The comparison with baselines, on very short trainings."""

import json

import pytest

import softsym as ss
from softsym.regularize.strengths import from_evidence
from softsym_lab.benchmarks.planted import baselines
from softsym_lab.benchmarks.planted.cases import cases
from softsym_lab.benchmarks.planted.methods import methods


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_method_gets_its_row(case):
    records = {name: {0: baselines.read_or_train(case, name, seed=0, epochs=1)} for name in methods(case)}
    comparison = baselines.table(case, records)
    assert list(comparison["rows"]) == list(methods(case))
    for row in comparison["rows"].values():
        assert row["test_error"][0] >= 0
        assert row["cpu_seconds"][0] > 0
        assert ("test_error_transformed" in row) == bool(case.holds)
    for name in ("per", "per, by held-out rows"):
        assert set(comparison["rows"][name]["strengths"][0]) == set(case.finite or case.groups)
        assert set(comparison["rows"][name]["order"][0]) == set(case.finite or case.groups)
    assert "per" not in comparison["better_than_per"]["test_error"]
    for name in ("per", "augmented, by evidence"):  # evidence keeps what holds and nothing else
        (strengths,), (order,) = comparison["rows"][name]["strengths"], comparison["rows"][name]["order"]
        holds = case.holds if name != "per" or not case.finite else ("D(4)@z",)
        assert {group for group, strength in strengths.items() if strength} == set(holds)
        assert set(order[: len(holds)]) == set(holds)
        assert tuple(order) == case.order or not case.order


def test_what_is_done_is_not_repeated(tmp_path, monkeypatch):
    case = cases()[0]
    first = baselines.read_or_train(case, "plain", 0, 1, tmp_path)
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text()) == first
    monkeypatch.setattr(baselines, "train_and_measure", None)
    assert baselines.read_or_train(case, "plain", 0, 1, tmp_path) == first
    assert baselines.read_tables(tmp_path) == {}  # nothing of full length yet


def test_a_part_of_the_folder_is_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr(
        baselines,
        "train_and_measure",
        lambda case, method, seed, epochs: {"test_error": 1.0 + seed, "cpu_seconds": 1.0 + bool(method.way == "per")},
    )
    case, first = cases()[1], baselines.FIRST
    for name, seed in (("plain", first), ("plain", first + 1), ("per", first + 1)):
        baselines.read_or_train(case, name, seed, folder=tmp_path)
    rows = baselines.read_tables(tmp_path)[case.name]["rows"]
    assert rows["plain"]["seeds"] == 2
    assert rows["per"]["test_error_less_plain"] == [0.0, None]
    everything = baselines.run(tmp_path, seeds=1)[case.name]
    assert everything["better_than_per"] == {"test_error": []}
    assert everything["better_and_faster_than_per"] == [
        name for name, method in methods(case).items() if method.way != "per"
    ]


def test_what_is_better_is_so_by_more_than_noise():
    plain, ours, best = (
        {seed: {"test_error": value} for seed, value in enumerate(values)}
        for values in ([1.0, 1.2, 1.1], [1.0, 1.25, 1.05], [0.5, 0.7, 0.6])
    )
    assert not baselines._is_better(plain, ours, "test_error")
    assert baselines._is_better(best, ours, "test_error")


def test_planted_symmetries_come_out_in_their_order():
    case = cases()[0]
    (x, y), _ = case.draw(seed=300)
    found = from_evidence(ss.evidence(x.double().numpy(), y.double().numpy(), case.rep_in, case.rep_out, case.groups))
    assert found.order() == list(case.groups)
    assert found.strengths[case.groups[0]] > 10
    assert found.strengths[case.groups[2]] == 0
