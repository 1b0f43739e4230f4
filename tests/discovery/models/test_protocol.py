"""Every rung of the ladder keeps the promise of a rung."""

import numpy as np
import pytest

from softsym.discovery.fit.fitted import Networks
from softsym.discovery.models import protocol as names
from softsym.discovery.models.gp_model import process
from softsym.discovery.models.kernel_ridge import kernel_ridge
from softsym.discovery.models.perceptron import perceptron
from softsym.discovery.models.simple import linear, mean
from softsym.groups import group
from softsym.reps import rep
from tests.discovery.small import fitted, rows

X, Y = rows(120)
GROUPS = [group("O(2)@x"), group("O(2)@z")]
SHAPE = (rep("2V"), rep("V"), GROUPS)
RUNGS = {
    names.MEAN: lambda: mean(X, Y, *SHAPE),
    names.LINEAR: lambda: linear(X, Y, *SHAPE),
    names.PROCESS: lambda: process(X, Y, *SHAPE),
    names.PLAIN: lambda: process(X, Y, rep("6S"), rep("3S")),
    names.KERNEL: lambda: kernel_ridge(X, Y, (X[:30], Y[:30])),
    names.PERCEPTRON: lambda: perceptron(X, Y, (X[:30], Y[:30])),
    names.NETWORK: lambda: Networks(names.NETWORK, fitted().fit_.predictor, ("O(2)@z",)),
}


@pytest.mark.parametrize("name", list(RUNGS))
def test_every_rung_predicts_and_is_fitted_anew(name):
    model = RUNGS[name]()
    assert model.name == name
    assert model(X[:7]).shape == model.spread(X[:7]).shape == (7, 3)
    assert np.isfinite(model(X)).all()
    assert (model.spread(X[:7]) >= 0).all()
    assert np.array_equal(model(X[:7]), model(X[:7]))
    again = model.on(X[:60], Y[:60])
    assert again.name == name
    assert again(X[:7]).shape == (7, 3)
    if name != names.MEAN:
        assert np.mean((model(X) - Y) ** 2) < 0.2 * Y.var(0).mean()


@pytest.mark.parametrize("name", list(RUNGS))
def test_a_snapped_rung_has_the_symmetry_to_rounding(name):
    model = RUNGS[name]().snapped(GROUPS[1:])
    if name in (names.PLAIN, names.KERNEL, names.PERCEPTRON):
        assert model is None
        return
    assert "O(2)@z" in model.has
    turn = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    tolerance = (
        1e-2 if name == names.PROCESS else 1e-9
    )  # a finite subgroup stands for all turns, up to the kernel's smoothness
    moved = model(X @ np.kron(np.eye(2), turn).T)
    assert np.abs(moved - model(X) @ turn.T).max() < tolerance
