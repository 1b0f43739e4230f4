"""The comparison with rivals, on very short trainings."""

import pytest

from softsym.benchmarks.planted import rivals
from tests.tasks.flights import write_flights


@pytest.mark.parametrize("case", rivals.cases(), ids=lambda case: case.name)
def test_every_method_gets_its_row(case):
    found = rivals.compare(case, seeds=1, epochs=1)
    assert set(found["rows"]) == set(case.methods)
    for method, row in found["rows"].items():
        assert row["test_error"] >= 0
        assert ("strengths" in row) == method.startswith("per")
        assert ("test_error_turned" in row) == bool(case.holds)
    assert not any(m.startswith("per") for better in found["better_than_per"].values() for m in better)


def test_flights_are_named_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv(rivals.FLIGHTS, raising=False)
    assert len(rivals.cases()) == 3
    monkeypatch.setenv(rivals.FLIGHTS, str(write_flights(tmp_path / "flights.npz")))
    assert [case.name for case in rivals.cases()][-1] == "flights"
