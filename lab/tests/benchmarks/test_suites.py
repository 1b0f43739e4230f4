"""Which suites there are, and which run when none is named."""

import pytest

from softsym.errors import InputError
from softsym_lab import benchmarks
from softsym_lab.benchmarks import learning, loop, models, native, spaces, step


def test_long_suites_have_to_be_asked_for(monkeypatch):
    for module in (learning, loop, native, spaces, step):
        monkeypatch.setattr(module, "run", lambda name=module.__name__: {"suite": name})
    everything = benchmarks.run()
    assert {"schema", "environment", "spaces", "step", "loop"} <= set(everything)
    assert not set(benchmarks.LONG) & set(everything)
    assert set(benchmarks.run("learning")) == {"schema", "environment", "learning"}


def test_an_unknown_suite():
    with pytest.raises(InputError, match="unknown suite 'colour'; pass one of spaces, step"):
        benchmarks.run("colour")


def test_options_go_to_the_suites_that_take_them(monkeypatch, tmp_path):
    monkeypatch.setattr(models, "run", lambda **options: options)
    assert benchmarks.run("models", tmp_path, "balls.npz")["models"] == {"folder": tmp_path, "flights": "balls.npz"}
    assert benchmarks.run("models")["models"] == {}
    with pytest.raises(InputError, match=r"--folder is for learning, .*; leave it out"):
        benchmarks.run("spaces", folder=tmp_path)
    with pytest.raises(InputError, match="--flights is for models, modules, baselines"):
        benchmarks.run(flights="balls.npz")
