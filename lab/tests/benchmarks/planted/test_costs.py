"""Costs of a step by each method, on few steps."""

from softsym_lab.benchmarks.planted import costs
from softsym_lab.benchmarks.planted.cases import cases


def test_every_way_has_its_row(monkeypatch):
    monkeypatch.setattr(costs, "peak_memory", lambda *_: 1.0)
    rows = costs.steps(cases()[2], rounds=1, calls=1)
    assert list(rows) == list(costs.WAYS)
    assert rows["plain"]["over_plain"] == 1.0
    assert all(row["cpu_milliseconds_a_step"] > 0 for row in rows.values())


def test_memory_of_a_training():
    assert costs.peak("points", "per") > 50
