import numpy as np
import pytest
from scipy.stats import kstest

import softsym as ss
from softsym.errors import InputError
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.evidence import holm
from softsym.inference.randomization import _draw_elements, randomization_test
from softsym.metrics.transform import transform_each_row

V, S = ss.rep("V"), ss.rep("S")


def stretched(X):
    """A predictor that knows nothing of the symmetry."""
    return X * [1.0, 1.3, 0.8] + 0.2


def test_p_values_are_uniform_under_the_null():
    """Exactly symmetric data, a predictor that is not: 400 data sets of 12 rows."""
    rng = np.random.default_rng(0)
    p = []
    for seed in range(400):
        X = rng.standard_normal((12, 3))
        Y = X * np.linalg.norm(X, axis=1, keepdims=True) + 0.2 * rng.standard_normal((12, 3))
        test = randomization_test(stretched, X, Y, V, V, ss.O(3), copies=12, draws=199, seed=seed)
        p.append(test.p_value)
    assert kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.05) < 0.09


def test_a_broken_symmetry_is_refuted():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((100, 3))
    test = randomization_test(stretched, X, stretched(X) + 0.1 * rng.standard_normal(X.shape), V, V, ss.O(3))
    assert test.p_value <= 0.001


def test_a_symmetric_predictor_refutes_nothing():
    X = np.random.default_rng(2).standard_normal((50, 3))
    test = randomization_test(lambda X: X, X, X, V, V, ss.O(3))
    assert test.p_value == 1.0


def test_row_groups_are_transformed_together():
    """Ten copies of each row as one row group: as many independent rows as row groups, so the test stays valid."""
    rng = np.random.default_rng(3)
    p = []
    for seed in range(150):
        X = np.repeat(rng.standard_normal((8, 3)), 10, axis=0)
        Y = X + np.repeat(0.5 * rng.standard_normal((8, 3)), 10, axis=0)
        labels = np.repeat(np.arange(8), 10)
        test = randomization_test(stretched, X, Y, V, V, ss.SO(3), row_groups=labels, copies=12, draws=199, seed=seed)
        p.append(test.p_value)
    assert np.mean(np.array(p) <= 0.1) < 0.2


def test_the_checker_rejects_separate_transforms_of_copies():
    rng = np.random.default_rng(3)
    p = []
    for seed in range(60):
        X = np.repeat(rng.standard_normal((8, 3)), 10, axis=0)
        Y = X + np.repeat(0.5 * rng.standard_normal((8, 3)), 10, axis=0)
        p.append(randomization_test(stretched, X, Y, V, V, ss.SO(3), copies=12, draws=199, seed=seed).p_value)
    assert np.mean(np.array(p) <= 0.1) > 0.2


@pytest.mark.parametrize("text", ["O(3)", "SO(3) * S(2)"])
def test_each_row_is_transformed_by_its_own_element(text):
    G, rep = ss.group(text), ss.rep("S + 2V + T(2)")
    X = np.random.default_rng(0).standard_normal((5, rep.size(G)))
    parts = G.sample_parts(5, seed=1)
    expected = [rep.rho(G, tuple(part[k] for part in parts)) @ X[k] for k in range(5)]
    assert np.allclose(transform_each_row(rep, G, parts, X), expected)


def test_direct_products():
    X = np.random.default_rng(4).standard_normal((40, 6))
    test = randomization_test(lambda X: X[:, :1], X, X[:, :1], ss.rep("V"), S, ss.group("SO(3) * S(2)"))
    assert test.p_value < 0.01


def test_holm():
    assert holm([0.01, 0.04, 0.03, np.nan])[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert np.isnan(holm([np.nan])[0])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_groups_given_by_generators_are_drawn_from_a_finite_subgroup():
    """A random walk is not quite uniform, and a test that rests on it not quite valid."""
    G = ss.group("O(2)@z")
    custom = ss.Group.from_generators(G.lie_algebra, G.discrete_generators, name="mine")
    drawn = np.concatenate([_draw_elements(custom, 50, np.random.default_rng(seed))[0] for seed in range(3)])
    assert len(np.unique(drawn.round(6), axis=0)) <= len(finite_subgroup(custom))
    assert len(np.unique(_draw_elements(G, 50, np.random.default_rng(0))[0].round(6), axis=0)) == 50
    with pytest.raises(InputError):
        finite_subgroup(ss.SU(3) | ss.SU(3))
    assert len(_draw_elements(ss.SU(3) | ss.SO(2).embed(6, (0, 1)), 4, np.random.default_rng(0))[0]) == 4


def test_weights_of_rows_leave_the_test_valid():
    """A weight stays with its row: p-values of exactly symmetric data are uniform for any weights, and noise may depend on them."""
    rng = np.random.default_rng(0)
    p = []
    for seed in range(400):
        X, weights = rng.standard_normal((12, 3)), rng.uniform(0.01, 3.0, 12)
        Y = X + 0.2 * rng.standard_normal((12, 3)) / np.sqrt(weights)[:, None]
        test = randomization_test(stretched, X, Y, V, V, ss.O(3), weights=weights, copies=12, draws=199, seed=seed)
        p.append(test.p_value)
    assert kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.05) < 0.09


def test_rows_that_hardly_count_refute_nothing():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((100, 3))
    broken = np.arange(100) < 40
    Y = np.where(broken[:, None], stretched(X), X)
    weights = np.where(broken, 1e-9, 1.0)
    p, scale_by_weights = (
        randomization_test(stretched, X, Y, V, V, ss.O(3), weights=w).p_value for w in (None, weights)
    )
    alone = randomization_test(stretched, X[~broken], Y[~broken], V, V, ss.O(3)).p_value
    assert p < 0.01 < min(scale_by_weights, alone)


def test_the_former_name_of_row_groups_warns():
    X = np.random.default_rng(0).standard_normal((30, 3))
    labels = np.arange(30) // 3
    rows = (lambda X: X, X, X, ss.rep("V"), ss.rep("V"), ss.O(3))
    with pytest.warns(DeprecationWarning, match="`sources` is now `row_groups`") as caught:
        old = randomization_test(*rows, sources=labels)
    assert caught[0].filename == __file__
    assert np.array_equal(old.draws, randomization_test(*rows, row_groups=labels).draws)
