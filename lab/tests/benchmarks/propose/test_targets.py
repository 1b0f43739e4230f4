"""The target functions are what they say."""

import numpy as np
import pytest

from softsym.propose.algebra import recognise
from softsym.propose.lie_derivative import unit_matrices
from softsym.reps import rep
from softsym_lab.benchmarks.propose.earlier import EARLIER
from softsym_lab.benchmarks.propose.fresh import FRESH
from softsym_lab.benchmarks.propose.sets import sample, truth
from softsym_lab.benchmarks.propose.targets import APART, BROKEN, TARGETS, UNNAMED, Setting

ALL = {**TARGETS, **APART, **BROKEN, **UNNAMED, **FRESH}


@pytest.mark.parametrize("name", [name for name in ALL if name != "pure noise"])
def test_algebras_are_those_of_theory(name):
    setting = ALL[name]
    X = np.random.default_rng(0).standard_normal((200, rep(setting.rep_in).size(f"Trivial({setting.dim})")))
    own, _ = truth(setting.function, X, setting, unit_matrices(setting.dim)[:0])
    if setting.dimension:
        assert recognise(own).name in (setting.name, f"unnamed, dimension {setting.dimension}")
        assert truth(setting.function, X, setting, own)[1] < 1e-4
    if setting.dimension < setting.dim**2:
        given = [getattr(setting, key) for key in ("rep_in", "rep_out", "dim", "function")]
        more, _ = truth(setting.function, X, Setting(*given, setting.dimension + 1, ""), own[:0])
        assert truth(setting.function, X, setting, more)[1] > 1e-3


@pytest.mark.parametrize("name", EARLIER)
def test_their_algebras_hold(name):
    setting = EARLIER[name]
    X, _, function = sample(setting, 1, 200, 0.0)
    own, _ = truth(function, X, setting, np.zeros((0, setting.dim, setting.dim)))
    assert len(own) == setting.dimension
    if len(own):
        assert truth(function, X, setting, own)[1] < 1e-4


def test_names_are_new():
    assert not set(FRESH) & {*TARGETS, *APART, *BROKEN, *UNNAMED, *EARLIER}
