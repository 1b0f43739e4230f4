"""Invariants do not move, tell what an invariant function depends on, and keep scikit-learn's contract."""

import pickle

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import softsym as ss
from softsym.errors import InputError

X = np.random.default_rng(0).standard_normal((60, 10))


@pytest.mark.parametrize("group", ["O(3)", "SO(3)", "O(2)@z", "SO(2)@z", "SL(3)", "O(1)@3[0]", "Trivial(3)"])
def test_they_do_not_move(group):
    features = ss.discovery.invariant_features("S + 3V", group).fit(X)
    before = features.transform(X)
    assert before.shape == (60, len(features.get_feature_names_out()))
    for g in ss.group(group).sample(4, seed=1):
        transformed = X @ ss.rep("S + 3V").rho(group, g).T
        assert np.allclose(features.transform(transformed), before, atol=1e-8)


def test_names_say_what_they_are():
    names = ["m", "vx", "vy", "vz", "wx", "wy", "wz", "a", "b", "c"]
    assert ss.discovery.invariant_features("S + 3V", "SO(3)").fit(X).get_feature_names_out(names).tolist() == [
        "m", "norm(v)", "dot(v, w)", "dot(v, a b c)", "norm(w)", "dot(w, a b c)", "norm(a b c)", "det(v, w, a b c)",
    ]  # fmt: skip
    heights = ss.discovery.invariant_features("3V", "O(2)@z").fit(X[:, :9])
    assert [name for name in heights.get_feature_names_out() if name.startswith("linear")] == [
        "linear(x0 x1 x2)", "linear(x3 x4 x5)", "linear(x6 x7 x8)",
    ]  # fmt: skip
    assert np.allclose(heights.transform(X[:, :9])[:, 0], X[:, 2])


def test_tensors_have_traces_and_norms():
    features = ss.discovery.invariant_features("T(2)", "O(3)").fit(X[:, :9])
    trace, norm = features.transform(X[:, :9]).T
    assert np.allclose(trace, np.trace(X[:, :9].reshape(-1, 3, 3), axis1=1, axis2=2) / 3**0.5)
    assert np.allclose(norm, np.linalg.norm(X[:, :9], axis=1))


def test_a_simple_model_learns_an_invariant_law_from_them():
    y = (X[:, 1:4] * X[:, 4:7]).sum(1) * X[:, 0]
    model = make_pipeline(ss.discovery.invariant_features("S + 3V", "O(3)"), PolynomialFeatures(2), LinearRegression())
    assert model.fit(X[:50], y[:50]).score(X[50:], y[50:]) > 0.999


def test_wrong_columns_are_refused():
    with pytest.raises(InputError, match=r"2V under O\(3\) has size 6, X has 10 columns"):
        ss.discovery.invariant_features("2V", "O(3)").fit(X)


def test_it_is_cloned_pickled_and_gives_frames():
    frame = pandas.DataFrame(X[:, :3], columns=["vx", "vy", "vz"])
    features = clone(ss.discovery.invariant_features("V", "O(3)")).set_output(transform="pandas").fit(frame)
    assert pickle.loads(pickle.dumps(features)).transform(frame).columns.tolist() == ["norm(v)"]
    with pytest.raises(NotFittedError):
        ss.discovery.invariant_features("V", "O(3)").transform(frame)
