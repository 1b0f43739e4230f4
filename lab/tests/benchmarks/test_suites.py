"""Which suites there are, and which run when nobody names one."""

import pytest

from softsym.errors import InputError
from softsym_lab import benchmarks
from softsym_lab.benchmarks import calibration, learning, loop, spaces, step


def test_long_suites_have_to_be_asked_for(monkeypatch):
    for module in (calibration, learning, loop, spaces, step):
        monkeypatch.setattr(module, "run", lambda name=module.__name__: {"suite": name})
    everything = benchmarks.run()
    assert {"schema", "environment", "spaces", "step", "loop"} <= set(everything)
    assert not set(benchmarks.LONG) & set(everything)
    assert set(benchmarks.run("learning")) == {"schema", "environment", "learning"}


def test_an_unknown_suite():
    with pytest.raises(InputError, match="unknown suite 'colour'; pass one of spaces, step"):
        benchmarks.run("colour")
