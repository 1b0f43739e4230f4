"""Every model keeps the promises of the protocol."""

import numpy as np
import pytest

from softsym.discovery.fit.fitted import Networks
from softsym.discovery.models import protocol as names
from softsym.discovery.models.gp_model import fit_gp_model
from softsym.discovery.models.kernel_ridge import tune_kernel_ridge
from softsym.discovery.models.perceptron import fit_perceptron
from softsym.discovery.models.simple import fit_linear, fit_mean
from softsym.groups import group
from softsym.reps import rep
from tests.discovery.small import fitted, rows

X, Y = rows(120)
GROUPS = [group("O(2)@x"), group("O(2)@z")]
SHAPE = (rep("2V"), rep("V"), GROUPS)
MODELS = {
    names.MEAN: lambda: fit_mean(X, Y, *SHAPE),
    names.LINEAR: lambda: fit_linear(X, Y, *SHAPE),
    names.GP: lambda: fit_gp_model(X, Y, *SHAPE),
    names.GP_UNCONSTRAINED: lambda: fit_gp_model(X, Y, rep("6S"), rep("3S")),
    names.KERNEL: lambda: tune_kernel_ridge(X, Y, (X[:30], Y[:30])),
    names.PERCEPTRON: lambda: fit_perceptron(X, Y, (X[:30], Y[:30])),
    names.NETWORK: lambda: Networks(names.NETWORK, fitted().fit_.predictor, ("O(2)@z",)),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_predicts_and_is_fitted_anew(name):
    model = MODELS[name]()
    assert model.name == name
    assert model(X[:7]).shape == model.std(X[:7]).shape == (7, 3)
    assert np.isfinite(model(X)).all()
    assert (model.std(X[:7]) >= 0).all()
    assert np.array_equal(model(X[:7]), model(X[:7]))
    again = model.refit(X[:60], Y[:60])
    assert again.name == name
    assert again(X[:7]).shape == (7, 3)
    if name != names.MEAN:
        assert np.mean((model(X) - Y) ** 2) < 0.2 * Y.var(0).mean()


@pytest.mark.parametrize("name", list(MODELS))
def test_a_projected_model_has_the_symmetry_to_rounding(name):
    model = MODELS[name]().project(GROUPS[1:])
    if name in (names.GP_UNCONSTRAINED, names.KERNEL, names.PERCEPTRON):
        assert model is None
        return
    assert "O(2)@z" in model.exact_groups
    rotation = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    tolerance = (
        1e-2 if name == names.GP else 1e-9
    )  # a finite subgroup stands for all turns, up to the kernel's smoothness
    transformed = model(X @ np.kron(np.eye(2), rotation).T)
    assert np.abs(transformed - model(X) @ rotation.T).max() < tolerance
