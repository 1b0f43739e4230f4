"""Every model keeps the promises of the protocol."""

import json

import numpy as np
import pytest
import torch

from softsym.discovery.fit_data import Rows, Shape, Target, make_folds
from softsym.discovery.models import base, baselines, linear
from softsym.discovery.models.base import KINDS, Model, Probabilities, Residual, Stack, pack, residual_rows, unpack
from softsym.discovery.models.gp import fit_gp
from softsym.errors import InputError
from softsym.groups import group
from softsym.reps import rep
from tests.discovery.small import fitted, rows

X, Y = rows(120)
ROWS, FOLDS = Rows(X, Y), make_folds(np.arange(120), 0)
GROUPS = [group("O(2)@x"), group("O(2)@z")]
SHAPE = Shape.of(rep("2V"), rep("V"), GROUPS)
FREE = Shape.of(rep("6S"), rep("3S"), [])
NAMES = ["far", "middle", "near"]
CLASSES = Rows(X, np.eye(3)[np.digitize(X[:, 0], [-0.5, 0.5])], target=Target.CLASSES)


def residual():
    first = linear.fit_linear(ROWS, SHAPE)
    return Residual(first, fit_gp(residual_rows(first, ROWS), SHAPE))


MODELS = {
    base.MEAN: lambda: linear.fit_mean(ROWS, SHAPE),
    base.LINEAR: lambda: linear.fit_linear(ROWS, SHAPE),
    base.RIDGE: lambda: linear.fit_ridge(ROWS, FOLDS, FREE),
    base.CONSTANT: lambda: linear.fit_extrapolation(ROWS, SHAPE, base.CONSTANT),
    base.EXTRAPOLATION: lambda: linear.fit_extrapolation(ROWS, SHAPE, base.EXTRAPOLATION),
    base.GP: lambda: fit_gp(ROWS, SHAPE),
    base.GP_UNCONSTRAINED: lambda: fit_gp(ROWS, FREE, title=base.GP_UNCONSTRAINED),
    base.KERNEL: lambda: baselines.fit_kernel_ridge(ROWS, FOLDS),
    base.BOOSTING: lambda: baselines.fit_boosting(ROWS),
    base.PERCEPTRON: lambda: baselines.fit_perceptron(ROWS),
    base.NETWORK: lambda: fitted().fit_.networks,
    "linear + gp": residual,
    "stack": lambda: Stack.of([linear.fit_ridge(ROWS, FOLDS, FREE), baselines.fit_boosting(ROWS)], [0.25, 0.75]),
}
CLASSIFIERS = {
    base.BOOSTING: lambda: baselines.fit_boosting(CLASSES),
    base.PERCEPTRON: lambda: baselines.fit_perceptron(CLASSES),
    base.KERNEL: lambda: Probabilities(baselines.fit_kernel_ridge(CLASSES, FOLDS)),
}
UNEQUIVARIANT = (base.RIDGE, base.GP_UNCONSTRAINED, base.KERNEL, base.BOOSTING, base.PERCEPTRON, "stack")


@pytest.fixture(scope="module", params=list(MODELS))
def model(request):
    return MODELS[request.param]()


def test_it_predicts_and_is_fitted_anew(model):
    assert isinstance(model, Model)
    assert model.predict(X[:7]).shape == model.std(X[:7]).shape == (7, 3)
    assert np.isfinite(model.predict(X)).all()
    assert (model.std(X[:7]) >= 0).all()
    again = model.fit(ROWS.take(slice(60)))
    assert again.name == model.name
    assert again.predict(X[:7]).shape == (7, 3)
    if model.name not in (base.MEAN, base.CONSTANT):
        assert np.mean((model.predict(X) - Y) ** 2) < 0.5 * Y.var(0).mean()


def test_its_state_comes_back(model):
    about, arrays = pack(model)
    about = json.loads(json.dumps(about, allow_nan=False))
    again = unpack(about, {name: array.copy() for name, array in arrays.items()})
    assert type(again) is type(model)
    assert (again.name, again.exact_groups) == (model.name, model.exact_groups)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.std(X[:9]), model.std(X[:9]))


def test_its_module_predicts_the_same(model):
    with torch.no_grad():
        found = model.module()(torch.from_numpy(X[:9])).numpy()
        wide = model.module()(torch.from_numpy(X[:8].reshape(2, 4, 6)))
    assert np.allclose(found, model.predict(X[:9]), rtol=1e-7, atol=1e-7)
    assert wide.shape == (2, 4, 3)


def test_predictions_out_of_fold_are_those_of_fits_without_the_fold(model):
    if model.kind == "networks":
        pytest.skip("they are trained once")
    found = model.cross_val_predict(ROWS, FOLDS)
    expected = Model.cross_val_predict(model, ROWS, FOLDS)
    close = 0.02 if base.GP in model.name or base.GP_UNCONSTRAINED in model.name else 1e-6
    assert np.abs(found - expected).max() < close * np.abs(Y).max()


def test_a_projected_model_has_the_symmetry(model):
    projected = model.project(GROUPS[1:])
    assert model.project([]) is model or isinstance(model, Residual | Stack)
    if model.name in UNEQUIVARIANT or isinstance(model, Stack):
        assert projected is None
        return
    assert "O(2)@z" in projected.exact_groups
    rotation = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    # A finite subgroup stands for all rotations in some kernels, up to their smoothness.
    tolerance = 1e-2 if "gp" in model.name else 1e-9
    for one in (projected, projected.fit(ROWS.take(slice(100)))):
        transformed = one.predict(X @ np.kron(np.eye(2), rotation).T)
        assert np.abs(transformed - one.predict(X) @ rotation.T).max() < tolerance


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_models_of_classes_give_probabilities(name):
    model = CLASSIFIERS[name]()
    for one in (model, unpack(*pack(model)), model.fit(CLASSES.take(slice(80)))):
        probabilities = one.predict(X)
        assert np.allclose(probabilities.sum(1), 1.0)
        assert (probabilities >= 0).all()
        assert np.mean(probabilities.argmax(1) == CLASSES.Y.argmax(1)) > 0.7
    assert np.allclose(model.module()(torch.from_numpy(X)).detach().numpy(), model.predict(X), atol=1e-7)


@pytest.mark.parametrize("fit", [baselines.fit_boosting, baselines.fit_perceptron])
def test_classes_that_do_not_occur_have_no_probability(fit):
    two = CLASSES.take(CLASSES.Y[:, 1] == 0)
    probabilities = fit(two).predict(X)
    assert probabilities.shape == (120, 3)
    assert probabilities[:, 1].max() < 1e-6
    one = CLASSES.take(CLASSES.Y[:, 0] == 1)
    if fit is baselines.fit_boosting:
        assert (fit(one).predict(X)[:, 0] > 0.999).all()


def test_trees_predict_as_scikit_learn_does():
    from sklearn.ensemble import HistGradientBoostingRegressor

    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    own = baselines.fit_boosting(Rows(X, y[:, None]), seed=0)
    theirs = HistGradientBoostingRegressor(max_iter=100, early_stopping=False, random_state=0)
    direction = own.directions[0, 0]
    theirs.fit(X, (y - y.mean()) * direction)
    new = np.random.default_rng(1).standard_normal((200, 6))
    assert np.allclose(own.predict(new)[:, 0], y.mean() + direction * theirs.predict(new))


def test_damaged_trees_are_refused():
    about, arrays = pack(baselines.fit_boosting(ROWS))
    with pytest.raises(ValueError, match="trees are damaged"):
        unpack(about, arrays | {"left": arrays["left"] + 10**9})


def test_weights_count_as_copies_do():
    counts = np.random.default_rng(0).integers(1, 4, 120)
    copied = ROWS.take(np.repeat(np.arange(120), counts))
    counted = Rows(X, Y, counts / counts.mean())
    for name in (base.MEAN, base.EXTRAPOLATION, base.CONSTANT):
        model = MODELS[name]()
        assert np.allclose(model.fit(counted).predict(X), model.fit(copied).predict(X))


def test_extrapolation_finds_position_and_velocity():
    step = 0.1
    moving = Rows(X, X[:, :3] + step * X[:, 3:])
    model = linear.fit_extrapolation(moving, SHAPE, base.EXTRAPOLATION)
    assert np.allclose(model.weight, np.hstack([np.eye(3), step * np.eye(3)]))
    assert model.exact_groups == ("O(2)@x", "O(2)@z")
    still = linear.fit_extrapolation(moving, SHAPE, base.CONSTANT)
    assert np.array_equal(still.weight, np.hstack([np.eye(3), np.zeros((3, 3))]))
    matrices = Shape.of(rep("2V"), rep("T(2)"), GROUPS)
    assert linear.fit_extrapolation(Rows(X, np.zeros((120, 9))), matrices, base.CONSTANT) is None


def test_kernel_ridge_finds_the_kernel_by_cross_validation():
    products = Rows(X, X[:, :1] * X[:, 1:2])
    model = baselines.fit_kernel_ridge(products, FOLDS)
    assert "polynomials of degree 2" in model.inner.blocks[0].features.name
    constant = baselines.fit_kernel_ridge(Rows(np.ones_like(X), Y), FOLDS)
    assert np.isfinite(constant.predict(X)).all()


def test_a_stack_is_sorted_by_weight_and_has_common_groups():
    first, second = (linear.fit_linear(ROWS, SHAPE).project(groups) for groups in (GROUPS, GROUPS[1:]))
    stack = Stack.of([first, second, first], [0.2, 0.6, 0.0])
    assert stack.weights == pytest.approx((0.75, 0.25))
    assert stack.exact_groups == ("O(2)@z",)
    assert np.allclose(stack.predict(X), 0.75 * second.predict(X) + 0.25 * first.predict(X))


def test_an_unknown_kind_is_refused():
    assert all(issubclass(KINDS[kind], Model) for kind in KINDS)
    assert all(KINDS[kind].kind == kind for kind in KINDS)
    with pytest.raises(InputError, match="unknown kind of model 'forest'"):
        unpack({"kind": "forest"}, {})


def test_probabilities_are_cut_off_at_zero():
    assert base.as_probabilities(np.array([[-0.5, 3.0, 1.0]])).round(3).tolist() == [[0.0, 0.75, 0.25]]
