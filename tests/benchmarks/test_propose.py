"""The calibration of proposals: laws are what they say, records are kept and scored."""

import numpy as np
import pytest

from softsym.benchmarks import propose as suite
from softsym.evidence.propose.action import basis_of
from softsym.evidence.propose.algebra.recognise import recognise


@pytest.mark.parametrize(
    "name", [name for name in {**suite.LAWS, **suite.APART, **suite.BROKEN} if name != "pure noise"]
)
def test_algebras_are_those_of_theory(name):
    setting = {**suite.LAWS, **suite.APART, **suite.BROKEN}[name]
    X = np.random.default_rng(0).standard_normal(
        (200, suite.read_rep(setting.rep_in).size(f"Trivial({setting.dim})"))
    )
    truth, _ = suite._truth(setting.law, X, setting, basis_of(setting.dim, False)[:0])
    if setting.dimension:
        assert recognise(truth).name in (setting.name, f"unnamed, dimension {setting.dimension}")
        assert suite._truth(setting.law, X, setting, truth)[1] < 1e-4
    more = suite.Setting(
        *[getattr(setting, key) for key in ("rep_in", "rep_out", "dim", "law")], setting.dimension + 1, ""
    )
    if setting.dimension < setting.dim**2:
        assert (
            suite._truth(setting.law, X, setting, suite._truth(setting.law, X, more, truth[:0])[0])[1] > 1e-3
        )


def test_records_are_kept_and_scored(tmp_path, monkeypatch):
    monkeypatch.setattr(suite, "LAWS", {"cross product": suite.LAWS["cross product"]})
    monkeypatch.setattr(suite, "APART", {})
    monkeypatch.setattr(suite, "BROKEN", {})
    monkeypatch.setattr(suite, "TASKS", {})
    first = suite.run(tmp_path, rows=(100,), frames=1)
    assert len(first["records"]) == len(list(tmp_path.iterdir())) == 3
    monkeypatch.setattr(suite, "propose", None)  # a second run does nothing again
    assert suite.run(tmp_path, rows=(100,), frames=1) == first
    assert first["laws"]["share_with_a_false_generator"] == 0
