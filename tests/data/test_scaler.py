import numpy as np
import pytest

import softsym as ss
from softsym.data.scaler import SymmetricScaler
from softsym.errors import InputError
from softsym.metrics.normalisation import columns_by_type
from tests.catalogue import SMALL, each, elements

REPS = ["S", "2V + S + V", "V' + 2S", "T(2) + V", "T(1,1)", "V*(S + V')"]
SUSPECTS = {
    "axes": ["O(2)@x", "O(2)@y", "O(2)@z"],
    "one axis": ["O(2)@z"],
    "mixed": ["SO(3)", "Scaling(3)"],
    "skew": ["SL(2)@z", "C(4)@x"],
}


def data(n, p, seed=0):
    """Columns with means and deviations of their own."""
    rng = np.random.default_rng(seed)
    return rng.normal(rng.normal(0, 3, p), rng.uniform(0.01, 10, p), size=(n, p))


def assert_commutes(scaler, rep, G, X):
    moves = rep.rho(G, elements(G, 5, seed=1))
    for rho in moves:
        expected = scaler.transform(X) @ rho.T
        gap = np.abs(scaler.transform(X @ rho.T) - expected).max(initial=0.0)
        assert gap <= 1e-10 * (1 + np.abs(expected).max(initial=0.0))


@pytest.mark.parametrize("text", REPS)
@each(SMALL)
def test_commutes_with_every_group(G, text):
    rep = ss.rep(text)
    X = data(20, rep.size(G))
    assert_commutes(SymmetricScaler.fit(X, rep, [G]), rep, G, X)


@pytest.mark.parametrize("text", REPS)
@pytest.mark.parametrize("groups", SUSPECTS.values(), ids=SUSPECTS)
def test_commutes_with_all_candidates_at_once(groups, text):
    rep = ss.rep(text)
    X = data(30, rep.size(groups[0]))
    scaler = SymmetricScaler.fit(X, rep, groups)
    for G in map(ss.group, groups):
        assert_commutes(scaler, rep, G, X)


def test_the_law_rejects_scaling_by_columns():
    X = data(100, 3)
    with pytest.raises(AssertionError):
        assert_commutes(SymmetricScaler.fit(X, None, ()), ss.rep("V"), ss.SO(3), X)


@pytest.mark.parametrize("groups", [(), ["O(3)"], ["O(2)@z"]])
def test_round_trip(groups):
    X = data(50, 20)
    scaler = SymmetricScaler.fit(X, "5S + 5V", groups)
    np.testing.assert_allclose(scaler.inverse(scaler.transform(X)), X, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scaler.transform(X[0]), scaler.transform(X)[0], rtol=0, atol=0)


def test_scalars_freely_and_vectors_by_one_scale():
    X = data(500, 2 + 3 + 1 + 6 + 9)
    Z = SymmetricScaler.fit(X, "2S + V + S + 2V + T(2)", ["O(3)"]).transform(X)
    scalars, vectors, tensors = [0, 1, 5], [2, 3, 4, *range(6, 12)], list(range(12, 21))
    np.testing.assert_allclose(Z[:, scalars].mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(Z[:, scalars].std(0), 1, rtol=1e-12)
    np.testing.assert_allclose((Z[:, vectors] ** 2).mean(), 1, rtol=1e-12)
    np.testing.assert_allclose((Z[:, tensors] ** 2).mean(), 1, rtol=1e-12)


def test_vectors_apart_in_the_coordinates_share_a_scale():
    scaler = SymmetricScaler.fit(data(50, 7), "V + S + V", ["O(2)@z"])
    assert len(set(scaler.scale[[0, 1, 2, 4, 5, 6]])) == 1


@pytest.mark.parametrize(
    ("groups", "kept"),
    [
        (["O(2)@z"], [0, 0, 1]),
        (["SO(2)@x"], [1, 0, 0]),
        (["O(3)"], [0, 0, 0]),
        (["Scaling(3)"], [0, 0, 0]),
        (["SL(3)"], [0, 0, 0]),
        (["O(2)@z", "O(2)@x"], [0, 0, 0]),
        (["Trivial(3)"], [1, 1, 1]),
    ],
)
def test_only_invariant_means_are_subtracted(groups, kept):
    X = data(100, 3) + 5.0
    np.testing.assert_allclose(SymmetricScaler.fit(X, "V", groups).shift, X.mean(0) * kept, atol=1e-12, rtol=1e-12)


def test_shift_of_tensors_and_permutations():
    X = data(100, 9)
    trace = X.mean(0).reshape(3, 3).trace() / 3
    np.testing.assert_allclose(
        SymmetricScaler.fit(X, "T(2)", ["O(3)"]).shift.reshape(3, 3), trace * np.eye(3), atol=1e-12
    )
    X = data(100, 5)
    np.testing.assert_allclose(SymmetricScaler.fit(X, "V", ["S(5)"]).shift, X.mean(), rtol=1e-12)


def test_without_groups_each_column_alone():
    X = data(100, 4)
    for rep in (None, "S + V"):
        Z = SymmetricScaler.fit(X, rep, ()).transform(X)
        np.testing.assert_allclose(Z.mean(0), 0, atol=1e-12)
        np.testing.assert_allclose(Z.std(0), 1, rtol=1e-12)


def test_constant_columns_keep_scale_one():
    X = np.column_stack([np.full(30, 0.1), np.zeros(30), np.zeros((30, 2)), np.full(30, 0.3)])
    scaler = SymmetricScaler.fit(X, "2S + V", ["O(2)@z"])
    np.testing.assert_array_equal(scaler.scale, 1.0)
    np.testing.assert_allclose(scaler.transform(X), 0.0, atol=1e-15)
    np.testing.assert_array_equal(SymmetricScaler.fit(X, None, ()).scale, 1.0)


def test_one_row_and_large_numbers():
    np.testing.assert_array_equal(SymmetricScaler.fit([[1.0, 2.0]], None, ()).scale, 1.0)
    X = 1e200 * data(20, 3)
    np.testing.assert_allclose((SymmetricScaler.fit(X, "V", ["O(3)"]).transform(X) ** 2).mean(), 1.0)


@pytest.mark.parametrize("scale", [[0.0], [-1.0], [float("nan")], [float("inf")]])
def test_scale_must_be_positive(scale):
    with pytest.raises(InputError, match="`scale` positive"):
        SymmetricScaler(np.zeros(1), np.array(scale))


def test_refusals():
    X = data(10, 4)
    with pytest.raises(InputError, match=r"5V under O\(3\) has size 15, the data have 4 columns"):
        SymmetricScaler.fit(X, "5V", ["O(3)"])
    with pytest.raises(InputError, match="`rep` is None"):
        SymmetricScaler.fit(X, None, ["O(3)"])
    with pytest.raises(InputError, match=r"the same space, got O\(3\) on R\^3, O\(2\) on R\^2"):
        SymmetricScaler.fit(X, "S + V", ["O(3)", "O(2)"])
    with pytest.raises(InputError, match=r"at least one row, got \(0, 4\)"):
        SymmetricScaler.fit(X[:0], "S + V", ["O(3)"])
    with pytest.raises(InputError, match="contain NaN or infinity"):
        SymmetricScaler.fit(X * np.nan, "S + V", ["O(3)"])
    scaler = SymmetricScaler.fit(X, "S + V", ["O(3)"])
    with pytest.raises(InputError, match=r"must have shape \(\.\.\., 4\), got \(10, 3\)"):
        scaler.transform(X[:, :3])
    with pytest.raises(InputError, match=r"both have shape \(n,\)"):
        SymmetricScaler(np.zeros(2), np.ones(3))


def test_columns_by_type():
    found = columns_by_type(ss.rep("S + V + S"), ss.O(3))
    assert {str(kind): index.tolist() for kind, index in found.items()} == {"S": [0, 4], "V": [1, 2, 3]}


@pytest.mark.parametrize("groups", [(), ["O(2)@z"]])
def test_weights_count_as_copies_do(groups):
    X, counts = data(30, 4), np.arange(30) % 3 + 1
    counted = SymmetricScaler.fit(X, "S + V", groups, counts.astype(float))
    copied = SymmetricScaler.fit(np.repeat(X, counts, axis=0), "S + V", groups)
    assert np.allclose(counted.shift, copied.shift)
    assert np.allclose(counted.scale, copied.scale)
