"""Kernel ridge regression by hand, and the settings that validation rows choose."""

import numpy as np
import pytest

from softsym.discovery.models import kernel_ridge as kernel_ridge_module
from softsym.discovery.models.kernel_ridge import KERNELS, PENALTIES, fit_kernel_ridge, tune_kernel_ridge

X = np.random.default_rng(0).standard_normal((150, 2)) * [1.0, 20.0] + 3.0
Y = np.sin(X[:, :1]) * (X[:, 1:] / 20)


def test_it_is_the_formula_with_the_best_setting():
    model = tune_kernel_ridge(X[:100], Y[:100], (X[100:], Y[100:]))
    x = (X - X[:100].mean(0)) / X[:100].std(0)
    errors = {}
    for kernel in KERNELS:
        gram = kernel.gram(x[:100], x[:100])
        for penalty in PENALTIES:
            dual = np.linalg.solve(
                gram + penalty * np.trace(gram) / 100 * np.eye(100), Y[:100] - Y[:100].mean()
            )
            predicted = kernel.gram(x[100:], x[:100]) @ dual + Y[:100].mean()
            errors[kernel, penalty] = np.mean((predicted - Y[100:]) ** 2)
    assert (model.kernel, model.penalty) == min(errors, key=errors.get)
    assert np.mean((model(X[100:]) - Y[100:]) ** 2) == pytest.approx(min(errors.values()), rel=1e-4)


def test_it_sees_only_so_many_rows(monkeypatch):
    monkeypatch.setattr(kernel_ridge_module, "MOST_ROWS", 60)
    monkeypatch.setattr(kernel_ridge_module, "COMPARED", 40)
    model = tune_kernel_ridge(X[:100], Y[:100], (X[100:], Y[100:]))
    assert len(model.rows) == 60
    assert len(model.refit(X, Y).rows) == 60


def test_constant_inputs_give_the_mean():
    model = tune_kernel_ridge(np.ones((30, 2)), Y[:30], (np.ones((5, 2)), Y[:5]))
    assert model(np.ones((1, 2))) == pytest.approx(Y[:30].mean(), abs=1e-3)
    assert fit_kernel_ridge(KERNELS[0], 0.0, np.ones((30, 2)), Y[:30], model.scale) is None
