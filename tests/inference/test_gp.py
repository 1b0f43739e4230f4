import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import softsym as ss
from softsym import load
from softsym.errors import DataWarning, InputError
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.gp import SoftEquivariantGP
from softsym.inference.kernels import Kernel
from softsym.metrics.transform import act

CUBIC = Kernel("polynomial", 3)


@parametrize_with_checks([SoftEquivariantGP()])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


def draw(n, seed=0, wind=0.0, noise=0.05):
    """Drag in a wind along z: O(2)@z always, O(3) without wind."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    relative = X - [0.0, 0.0, wind]
    Y = -relative * np.linalg.norm(relative, axis=1, keepdims=True)
    return X, Y + noise * rng.standard_normal(Y.shape)


def test_what_holds_is_used_exactly():
    X, Y = draw(60)
    gp = SoftEquivariantGP("V", "V", ["O(3)", "O(2)@x"]).fit(X, Y)
    assert gp.weights_["O(3)"] > 0.999
    elements = finite_subgroup(ss.O(3)).parts
    transformed = act("V", ss.O(3), elements, X[:5])
    expected = act("V", ss.O(3), elements, gp.predict(X[:5]))
    assert np.abs(np.stack([gp.predict(rows) for rows in transformed]) - expected).max() < 2e-2


def test_what_is_broken_costs_nothing():
    X, Y = draw(60, wind=1.0)
    fresh, truth = draw(400, seed=1, wind=1.0, noise=0.0)

    def error(groups):
        return np.mean((SoftEquivariantGP("V", "V", groups).fit(X, Y).predict(fresh) - truth) ** 2)

    unconstrained, right, both = error([]), error(["O(2)@z"]), error(["O(2)@z", "O(2)@x"])
    assert right < unconstrained
    assert both < 1.1 * right


def test_separately_scaled_columns_where_no_symmetry_helps(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3)) * [1.0, 0.02, 0.02]
    Y = np.sin(100 * X[:, 1:2]) * X[:, :1]
    gp = SoftEquivariantGP("V", "S", ["O(3)"]).fit(X, Y)
    assert any(
        component.candidate.method.endswith("scaled separately") for component in gp.process_.components
    )
    fresh = rng.standard_normal((200, 3)) * [1.0, 0.02, 0.02]
    truth = np.sin(100 * fresh[:, 1:2]) * fresh[:, :1]
    assert np.mean((gp.predict(fresh) - truth) ** 2) < 0.5 * truth.var()
    assert np.allclose(load(gp.save(tmp_path / "gp")).predict(fresh), gp.predict(fresh))


def test_candidates_that_hold_are_joined():
    X, Y = draw(50)
    gp = SoftEquivariantGP("V", "V", ["O(2)@x", "O(2)@z"]).fit(X, Y)
    assert gp.weights_ == pytest.approx({"O(2)@x": 1.0, "O(2)@z": 1.0}, abs=1e-3)
    assert any(component.has == ("O(2)@x", "O(2)@z") for component in gp.process_.components)


def test_standard_deviations_cover():
    X, Y = draw(80, noise=0.3)
    fresh, measured = draw(600, seed=2, noise=0.3)
    mean, std = SoftEquivariantGP("V", "V", ["O(3)"]).fit(X, Y).predict(fresh, return_std=True)
    inside = np.mean(np.abs(measured - mean) < 1.96 * std)
    assert 0.9 < inside < 0.99


def test_snapping():
    X, Y = draw(40, wind=0.5)
    gp = SoftEquivariantGP("V", "V", ["O(3)", "O(2)@z"]).fit(X, Y)
    projected = gp.project("O(3)")
    assert projected.weights_["O(3)"] == 1.0
    assert gp.weights_["O(3)"] < 1.0
    with pytest.raises(
        InputError, match="no candidate group 'SO\\(2\\)'; the candidates were O\\(3\\), O\\(2\\)@z"
    ):
        gp.project("SO(2)")


def test_the_table_of_symmetries():
    X, Y = draw(80, wind=1.0)
    table = SoftEquivariantGP("V", "V", ["O(2)@z", "O(2)@x"]).fit(X, Y).symmetries_
    assert table["O(2)@z"].verdict == "exact"
    assert table["O(2)@x"].verdict in ("soft", "absent", "undecided")
    assert table["O(2)@x"].log_evidence < table["O(2)@z"].log_evidence


def test_many_rows_become_a_subset_and_say_so():
    X, Y = draw(300)
    with pytest.warns(
        DataWarning, match="300 rows x 3 coordinates are more than max_size=300: a random 100 rows"
    ):
        gp = SoftEquivariantGP("V", "V", ["O(3)"], max_size=300, kernel=CUBIC).fit(X, Y)
    assert gp.n_rows_ == 100


def test_a_million_rows(monkeypatch):
    X = np.random.default_rng(0).standard_normal((1_000_000, 1))
    with pytest.warns(DataWarning, match="a random 200 rows"):
        gp = SoftEquivariantGP(max_size=200).fit(X, np.sin(X[:, 0]))
    assert gp.predict(X[:3]) == pytest.approx(np.sin(X[:3, 0]), abs=0.05)


def test_estimates():
    few, many = (SoftEquivariantGP("V", "V", ["O(3)"]).estimate(n, size=3) for n in (100, 100_000))
    assert few.rows == 100
    assert many.rows * 3 <= 4000
    assert few.seconds < many.seconds < 60
    assert many.bytes < 1e9


def test_constant_outputs_and_repeated_rows():
    X = np.random.default_rng(0).standard_normal((20, 3))
    gp = SoftEquivariantGP("V", "S", ["O(3)"]).fit(X, np.full(20, 2.5))
    assert gp.predict(X) == pytest.approx(np.full(20, 2.5))
    assert gp.symmetries_[0].note == "the outputs do not vary"
    twice = np.repeat(X[:3], 10, axis=0)
    assert np.isfinite(SoftEquivariantGP("V", "V", ["O(3)"]).fit(twice, twice).predict(X)).all()


def test_a_group_without_finite_subgroup_is_left_out_with_a_note():
    X = np.random.default_rng(0).standard_normal((30, 6))
    gp = SoftEquivariantGP("V", "S", ["SU(3)", "SO(2)@6[0,3]"]).fit(X, X[:, :1] ** 2)
    assert "no finite subgroup is known" in gp.symmetries_["SU(3)"].note
    assert gp.weights_["SU(3)"] == 0.0


def test_refusals():
    X = np.ones((4, 3))
    with pytest.raises(
        InputError, match="`rep_in` is None; with candidate groups pass how the data transform"
    ):
        SoftEquivariantGP(groups=["O(3)"]).fit(X, X)
    with pytest.raises(
        InputError, match="2V under O\\(3\\) has size 6, X has 3 columns; pass another `rep_in`"
    ):
        SoftEquivariantGP("2V", "V", ["O(3)"]).fit(X, X)
    with pytest.raises(ValueError, match="minimum of 2"):
        SoftEquivariantGP().fit(X[:1], X[:1])


def together(n=12, per=8, seed=0):
    """Row groups whose rows share their error."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n), per)
    X = rng.standard_normal((n, 3))[labels] + 0.05 * rng.standard_normal((n * per, 3))
    Y = X * np.sum(X**2, axis=1, keepdims=True) + 0.5 * rng.standard_normal((n, 3))[labels]
    return X, Y, labels


def test_rows_that_belong_together_are_left_out_together(tmp_path):
    X, Y, labels = together()
    gp = SoftEquivariantGP("V", "V", ["O(3)"], kernel=CUBIC).fit(X, Y, groups=labels)
    alone = SoftEquivariantGP("V", "V", ["O(3)"], kernel=CUBIC).fit(X, Y)
    assert gp.left_out_errors_.shape == (96,)
    assert np.mean(gp.left_out_errors_) > np.mean(alone.left_out_errors_)
    again = load(gp.save(tmp_path / "gp"))
    assert again.left_out_errors_ == pytest.approx(gp.left_out_errors_)
    with pytest.raises(InputError, match="`groups` has 3 labels for 96 rows"):
        gp.fit(X, Y, groups=[1, 2, 3])


def test_one_symmetry_at_a_time():
    X, Y = draw(60, wind=1.0)
    fresh, truth = draw(300, seed=1, wind=1.0, noise=0.0)
    gp = SoftEquivariantGP("V", "V", ["O(2)@z", "O(2)@x"]).fit(X, Y)

    def error(group, how):
        return np.mean((gp.alone(group, how).predict(fresh) - truth) ** 2)

    assert error("O(2)@z", "exactly") < error("O(2)@z", "without")
    assert error("O(2)@x", "exactly") > 3 * error("O(2)@x", "softly")
    assert gp.alone("O(2)@z", "exactly").weights_ == {"O(2)@z": 1.0, "O(2)@x": 0.0}
    with pytest.raises(InputError, match="`how` must be 'exactly', 'softly' or 'without', got 'maybe'"):
        gp.alone("O(2)@z", "maybe")


def test_details_of_the_table():
    X, Y = draw(60, wind=1.0)
    detail = SoftEquivariantGP("V", "V", ["O(2)@x"]).fit(X, Y).symmetries_.details["O(2)@x"]
    assert detail.shares[0] == 0.0
    assert detail.log_likelihoods.max() == 0.0
    assert not len(detail.draws)
