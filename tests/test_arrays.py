"""Arrays and seeds as people pass them: right, or refused in one line."""

import numpy as np
import pandas
import polars
import pytest
import torch

import softsym as ss
from softsym.arrays import make_rng, read_numbers, read_rows
from softsym.data import SymmetricScaler
from softsym.data.split import split_rows
from softsym.errors import InputError

RIGHT = {
    "list": [[1, 2], [3, 4]],
    "booleans": np.array([[True, False], [False, True]]),
    "objects": np.array([[1, 2.5], [3, 4]], dtype=object),
    "tensor": torch.ones(2, 2),
    "gradients": torch.ones(2, 2, requires_grad=True) * 2,
    "half": torch.ones(2, 2, dtype=torch.bfloat16),
    "pandas": pandas.DataFrame({"a": [1, 2], "b": [3.0, 4]}),
    "polars": polars.DataFrame({"a": [1, 2], "b": [3.0, 4]}),
    "nothing masked": np.ma.array([[1.0, 2], [3, 4]], mask=False),
}
WRONG = {
    "masked": (np.ma.array([[1.0, 2], [3, 4]], mask=[[0, 0], [1, 0]]), r"has masked cells, the first at \[1, 0\]"),
    "dates": (np.array([["2026-01-01"], ["2026-01-02"]], dtype="datetime64[D]"), "holds dates"),
    "durations": (np.array([[1], [2]], dtype="timedelta64[s]"), "durations; pass"),
    "ragged": ([[1, 2], [3]], "rows of unequal length"),
    "texts": ([["a", "b"]], "holds texts"),
    "complex": (np.ones((2, 2)) * 1j, "complex"),
    "complex tensor": (torch.ones(2, 2) * 1j, "complex"),
    "objects": (np.array([[object()]], dtype=object), "must hold real numbers"),
    "missing": ([[None, 1.0]], "is nan in row 0, column 0"),
    "equal names": (pandas.DataFrame([[1, 2]], columns=["a", "a"]), "has 2 columns called 'a'"),
    "dates of pandas": (pandas.DataFrame({"t": pandas.to_datetime(["2026-01-01"])}), "holds dates"),
    "cube": (np.ones((2, 2, 2)), r"must have shape \(rows, columns\)"),
    "infinite": ([[1.0], [float("inf")]], "is inf in row 1, column 0"),
}


@pytest.mark.parametrize("values", RIGHT.values(), ids=RIGHT)
def test_numbers_of_any_library(values):
    rows = read_rows(values, "X")
    assert rows.dtype == np.float64
    assert rows.shape == (2, 2)


@pytest.mark.parametrize(("values", "message"), WRONG.values(), ids=WRONG)
def test_what_holds_no_numbers(values, message):
    with pytest.raises(InputError, match=message) as caught:
        read_rows(values, "X")
    assert "`X`" in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None.__class__, [1, -2]])
def test_seeds(seed):
    for draw in (make_rng, lambda seed: ss.O(3).sample(2, seed=seed)):
        with pytest.raises(InputError, match="a seed is a whole number of at least 0"):
            draw(seed)
    assert make_rng(3).random() == np.random.default_rng(3).random()


def test_numbers_of_any_shape():
    assert read_numbers(2, "x").shape == ()


METRICS = {
    "equivariance_error": lambda X: ss.equivariance_error(np.abs, X, "V", "V", "O(3)"),
    "orbit_overlap": lambda X: ss.metrics.orbit_overlap(X, "V", "O(3)"),
    "SymmetricScaler": lambda X: SymmetricScaler.fit(X, "V", ["O(3)"]).transform(X),
}


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_metrics_read_arrays_so(metric):
    rows = np.random.default_rng(0).standard_normal((200, 3))
    metric(rows)
    metric(rows.tolist())
    if metric is not METRICS["equivariance_error"]:
        metric(torch.tensor(rows, requires_grad=True))
    for odd in (
        np.ma.array(rows, mask=rows > 2),
        np.full((200, 3), np.datetime64("2026-01-01")),
        [[1.0, 2.0, 3.0], [4.0]],
        np.full((200, 3), "a"),
    ):
        with pytest.raises(InputError):
            metric(odd)


def test_metrics_read_seeds_so():
    rows = np.random.default_rng(0).standard_normal((200, 3))
    for call in (
        lambda: ss.equivariance_error(np.abs, rows, "V", "V", "O(3)", seed=-1),
        lambda: ss.metrics.orbit_overlap(rows, "V", "O(3)", -1),
        lambda: split_rows(rows, 0.2, seed=-1),
    ):
        with pytest.raises(InputError, match="a seed is a whole number of at least 0"):
            call()


HOSTILE = ("masked", "dates", "durations", "ragged", "equal names", "dates of pandas")


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("estimator", [ss.SoftEquivariantRegressor(), ss.SoftEquivariantGP(groups=["O(2)"])], ids=type)
def test_estimators_refuse_the_same(estimator, kind):
    values, message = WRONG[kind]
    for inputs, outputs, name in ((values, np.ones(2), "X"), (np.ones((2, 2)), values, "y")):
        with pytest.raises(InputError, match=message) as caught:
            estimator.fit(inputs, outputs)
        assert f"`{name}`" in str(caught.value)


def test_estimators_take_tensors_with_gradients():
    X = torch.randn(80, 3, requires_grad=True, generator=torch.Generator().manual_seed(0))
    est = ss.SoftEquivariantRegressor("V", "V", ["O(3)"], model="linear").fit(X, 2 * X)
    assert np.allclose(est.predict(X), 2 * X.detach().numpy(), atol=1e-5)


@pytest.mark.parametrize("seed", [-1, 1.5, "a", True, [1]])
def test_seeds_of_evidence_proposals_and_networks(seed):
    X = np.random.default_rng(0).standard_normal((60, 3))
    for call in (
        lambda: ss.evidence(X, X, "V", "V", ["O(3)"], seed=seed),
        lambda: ss.propose(X, X, "V", "V", seed=seed),
        lambda: ss.nn.MLP("V", "V", "O(3)", width=4, seed=seed),
    ):
        with pytest.raises(InputError, match="`seed` must be a whole number"):
            call()
