"""Simpler models beside the network: what they are, how they are chosen, and when they predict in its place."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import softsym as ss
from softsym.discovery.fit import beside as models
from softsym.discovery.fit.beside import (
    NETWORK,
    ORDINARY,
    PENALTIES,
    WIDTHS,
    beside,
    chosen,
    classical,
    without_ordinary,
)
from softsym.discovery.fit.fitted import HeldOut, Target, explained
from softsym.discovery.fit.train import Session, prepare, train_ensemble
from tests.discovery.fit.lessons import plan

USUAL = plan(seeds=1)
RIDGE, KERNEL = "ridge regression", "kernel ridge regression"


@functools.cache
def fit_of(asked):
    prepared = prepare(asked)
    return prepared, train_ensemble(asked, prepared, Session())


@functools.cache
def curved(**changes):
    """Something that a plane does not fit, on inputs far from zero."""
    asked = plan(rows=200, seeds=1, **changes)
    return replace(asked, X=asked.X + 3.0, Y=np.sin(asked.X[:, :3]) + asked.X[:, 3:] ** 2)


def always(outputs):
    """A predictor that knows the answer, in the place of members."""
    return lambda X: outputs(X)[None]


def compared(predictor=None, asked=None):
    asked = asked or USUAL
    prepared, fit = fit_of(asked)
    fit = beside(asked, prepared, fit, Session())
    return chosen(fit if predictor is None else replace(fit, predictor=predictor))


def test_a_network_that_predicts_worse_is_not_the_one_that_predicts():
    fit = compared(always(lambda X: np.full((len(X), 3), 100.0)))
    assert fit.ordinary is not None
    assert [type(member.model).__name__ for member in fit.ordinary.members] == ["MLP"]
    assert [(row.name, row.is_returned) for row in fit.baselines] == [
        (NETWORK, False), (ORDINARY, True), (RIDGE, False), (KERNEL, False),
    ]  # fmt: skip
    X = plan().X
    assert np.array_equal(fit.outputs(X), fit.ordinary(X))
    assert np.array_equal(fit.predictor(X)[0], np.full((len(X), 3), 100.0))  # kept, to be snapped
    assert fit.baselines[ORDINARY].test_error == pytest.approx(fit.test_error())


def test_a_network_that_predicts_better_stays():
    fit = compared(always(lambda X: X[:, :3] + np.array([0.0, 0.0, 1.0])))
    assert fit.ordinary is None
    assert fit.baselines[NETWORK].is_returned
    assert fit.baselines[NETWORK].test_error == pytest.approx(0, abs=1e-25)
    assert fit.baselines[ORDINARY].test_error > 1e-3


def test_data_without_the_symmetry_are_predicted_by_ordinary_networks():
    """A symmetry is forced upon the network that the data do not have."""
    X = np.random.default_rng(0).standard_normal((200, 3))
    est = ss.SoftEquivariantRegressor(
        "V", "S", ["O(3)"], width=8, layers=2, epochs=60, seeds=1, strength=1e6, strengths="fixed"
    )
    est.fit(X, X[:, 0] + 2 * X[:, 1])
    assert est.baselines_[ORDINARY].is_returned
    assert est.baselines_[ORDINARY].explained > 0.9 > est.baselines_[NETWORK].explained
    assert est.score(X, X[:, 0] + 2 * X[:, 1]) > 0.9
    snapped = est.snap("O(3)").model
    assert snapped.baselines_[NETWORK].is_returned
    assert np.allclose(snapped.predict(X), snapped.predict(-X))


def test_errors_are_those_of_validation_and_of_held_out_rows():
    fit = compared()
    row = fit.baselines[NETWORK]
    for rows, error in ((fit.checked, row.validation_error), (fit.held, row.test_error)):
        assert error == pytest.approx(np.mean((fit.predictor(rows.X).mean(0) - rows.Y) ** 2))
    assert row.explained == pytest.approx(explained(fit.held.Y, row.test_error))


def test_kernel_ridge_is_the_formula():
    """Every kernel and penalty by hand, in the order of the tables, and the one that suits validation rows best."""
    asked = curved()
    prepared, fit = fit_of(asked)
    rows = prepared.parts.train
    shift, scale = asked.X[rows].mean(0), prepared.scale_in.scale
    x, y = (asked.X[rows] - shift) / scale, asked.Y[rows]
    usual = np.mean(np.sum(x**2, axis=1))

    def distances(a, b):
        return np.sum((a[:, None] - b[None]) ** 2, axis=-1)

    kernels = [lambda a, b, w=w: np.exp(-distances(a, b) / (4 * w**2 * usual)) for w in WIDTHS]
    kernels.append(lambda a, b: (a @ b.T / usual + 1) ** 3)
    found = []
    for kernel in kernels:
        for penalty in PENALTIES:
            dual = np.linalg.solve(kernel(x, x) + penalty * np.eye(len(x)), y - y.mean(0))
            found.append([
                np.mean((kernel((held.X - shift) / scale, x) @ dual + y.mean(0) - held.Y) ** 2)
                for held in (fit.checked, fit.held)
            ])  # fmt: skip
    best = min(found)
    row, _ = next(one for one in classical(asked, prepared, fit) if one[0].name == KERNEL)
    assert [row.validation_error, row.test_error] == pytest.approx(best, rel=1e-5)
    assert row.validation_error < 0.5 * np.mean([first for first, _ in found])


def test_ridge_is_that_of_scikit_learn():
    asked = curved()
    prepared, fit = fit_of(asked)
    rows = prepared.parts.train
    x, y = asked.X[rows] / prepared.scale_in.scale, asked.Y[rows]  # it has an intercept
    found = []
    for penalty in PENALTIES:
        model = Ridge(alpha=penalty * len(x)).fit(x, y)
        found.append([
            np.mean((model.predict(held.X / prepared.scale_in.scale) - held.Y) ** 2)
            for held in (fit.checked, fit.held)
        ])  # fmt: skip
    row, _ = next(iter(classical(asked, prepared, fit)))
    assert (row.name, [row.validation_error, row.test_error]) == (RIDGE, pytest.approx(min(found), rel=1e-6))


def test_held_out_rows_decide_nothing():
    asked = curved()
    prepared, fit = fit_of(asked)
    other = HeldOut(fit.held.X, np.random.default_rng(0).permuted(fit.held.Y, axis=0))
    for one, changed in zip(
        chosen(beside(asked, prepared, fit, Session())).baselines,
        chosen(beside(asked, prepared, replace(fit, held=other), Session())).baselines,
        strict=True,
    ):
        assert (one.name, one.validation_error, one.is_returned) == (
            changed.name, changed.validation_error, changed.is_returned,
        )  # fmt: skip
        assert one.test_error != changed.test_error


def test_kernel_ridge_alone_sees_only_so_many_rows(monkeypatch):
    monkeypatch.setattr(models, "MOST_ROWS", 40)
    asked = curved()
    prepared, fit = fit_of(asked)
    ridge, kernel = (row for row, _ in classical(asked, prepared, fit))
    Y = asked.Y.copy()
    late = prepared.parts.train[40:]
    Y[late] = asked.Y[np.roll(late, 1)]  # others beyond, with the same mean
    ridge_too, kernel_too = (row for row, _ in classical(replace(asked, Y=Y), prepared, fit))
    assert ridge_too.validation_error != pytest.approx(ridge.validation_error)
    assert kernel_too.validation_error == pytest.approx(kernel.validation_error)


@pytest.mark.parametrize("X", [plan().X + 1e5, np.ones((120, 6)), np.repeat(plan().X[:8], 15, axis=0)])
def test_inputs_that_make_matrices_singular_are_survived(X):
    asked = replace(plan(seeds=1), X=X, Y=plan().Y[:, :3])
    prepared, fit = fit_of(asked)
    assert all(np.isfinite(row.test_error) for row, _ in classical(asked, prepared, fit))


def test_classes_have_simpler_models_too():
    labels = np.eye(2)[(plan().X[:, 0] > 0).astype(int)]
    shape = replace(plan().shape, rep_out=ss.rep("2S"))
    fit = compared(asked=plan(seeds=1, target=Target.CLASSES, shape=shape, Y=labels))
    assert fit.baselines[RIDGE].explained > 0.3
    assert np.allclose(fit.outputs(plan().X).sum(-1), 1)


def test_an_ordinary_network_needs_no_other_beside_it():
    fit = compared(asked=plan(seeds=1, shape=plan().shape.plain()))
    assert [row.name for row in fit.baselines] == [NETWORK, RIDGE, KERNEL]
    assert fit.baselines[NETWORK].is_returned


def test_the_errors_of_the_best_rival_are_kept_for_the_verdicts():
    asked = curved()
    prepared, fit = fit_of(asked)
    rivals = beside(asked, prepared, fit, Session()).rivals
    assert [row.name for row in rivals.baselines] == [ORDINARY, RIDGE, KERNEL]
    assert rivals.errors.shape == (len(fit.checked.X),)
    assert rivals.errors.mean() == pytest.approx(min(row.validation_error for row in rivals.baselines))


def test_an_interrupted_fit_has_no_rivals():
    prepared, fit = fit_of(USUAL)
    cut = fit.interrupted()
    assert beside(USUAL, prepared, cut, Session()) is cut
    assert chosen(cut) is cut
    stopped = beside(USUAL, prepared, fit, Session(stop=lambda: True))
    assert not stopped.is_finished
    assert stopped.rivals is None


def test_the_network_can_be_asked_for_again():
    fit = compared(always(lambda X: np.full((len(X), 3), 100.0)))
    truth = always(lambda X: X[:, :3] + np.array([0.0, 0.0, 1.0]))
    again = without_ordinary(replace(fit, predictor=truth))
    assert again.ordinary is None
    assert again.baselines[NETWORK].is_returned
    assert again.baselines[NETWORK].test_error < 1e-25
    assert [row.test_error for row in again.baselines][1:] == [row.test_error for row in fit.baselines][1:]
    assert len(without_ordinary(fit_of(USUAL)[1]).baselines) == 0  # nobody has looked
