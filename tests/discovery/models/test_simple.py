"""The mean and the linear map."""

import numpy as np

from softsym.discovery.models.simple import fit_linear, fit_mean
from softsym.groups import group
from softsym.inference import equivariant_lstsq
from softsym.reps import rep
from tests.discovery.small import rows

X, Y = rows(120)
SHAPE = (rep("2V"), rep("V"), [group("O(2)@x"), group("O(2)@z")])


def test_the_mean_is_the_mean():
    model = fit_mean(X, Y, *SHAPE)
    assert np.allclose(model(X[:2]), Y.mean(0))
    assert np.allclose(model.std(X[:1]), Y.std(0))
    assert np.allclose(model.refit(X[:5], Y[:5])(X[:1]), Y[:5].mean(0))
    assert np.allclose(model.project([group("O(2)@z")])(X[:1])[0, :2], 0.0)  # what the group keeps


def test_the_linear_map_is_equivariant_least_squares():
    model, plain = fit_linear(X, Y, *SHAPE), equivariant_lstsq(X, Y, *SHAPE)
    assert np.array_equal(model(X), plain.predict(X))
    assert model.strengths == plain.strengths
    fewer = equivariant_lstsq(X[:50], Y[:50], *SHAPE, ridge=plain.ridge, strengths=plain.strengths)
    assert np.array_equal(model.refit(X[:50], Y[:50])(X), fewer.predict(X))


def test_a_projected_map_stays_so_on_other_rows():
    exact = fit_linear(X, Y, *SHAPE).project([group("O(2)@z")]).refit(X[:40], Y[:40])
    assert exact.exact_groups == ("O(2)@z",)
    assert np.allclose(exact.bias[:2], 0.0, atol=1e-12)
    assert np.allclose(exact.weight[0, 0], exact.weight[1, 1])
