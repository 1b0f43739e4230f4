"""What a fit depends on: rows, parts, folds, candidates."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

import softsym as ss
from softsym.data.split import split_rows
from softsym.discovery.fit_data import (
    Rows,
    Shape,
    Target,
    compute_evidence,
    make_folds,
    make_shape,
    standard_errors,
    warn_if_standardised,
)
from softsym.errors import DataWarning, InputError
from softsym.propose import propose_candidates
from softsym.propose.propose_groups import MAX_CANDIDATES
from tests.discovery.small import estimator, rows
from tests.discovery.training_data import fit_data


def _rows(n=200):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    Y = X * [1.0, 1.0, 2.0] + np.sum(X**2, axis=1, keepdims=True) * [0.0, 0.0, 0.3]
    return X, Y + 0.01 * rng.standard_normal(Y.shape)


def test_at_most_a_handful_exact_ones_first():
    found = propose_candidates(*_rows(), "V", "V")
    assert found.groups[0] == ss.O(2).about("z")
    assert len(found.groups) <= MAX_CANDIDATES
    assert found.describe().startswith("the data propose O(2)@z")


def test_rows_kept_for_the_test_are_not_looked_at():
    X, Y = _rows()
    test = split_rows(X, 0.15, 0).test
    Y[test] = 1e3
    assert propose_candidates(X, Y, "V", "V").groups[0] == ss.O(2).about("z")
    assert not propose_candidates(X, Y, "V", "V", seed=1).proposal.groups


def test_noise_proposes_nothing_and_says_so():
    rng = np.random.default_rng(0)
    found = propose_candidates(rng.standard_normal((100, 3)), rng.standard_normal((100, 3)), "V", "V")
    assert found.proposal.groups == ()
    assert found.usual == (ss.O(3), *(ss.O(2).about(axis) for axis in "zyx"))
    assert "are judged too" in found.describe()
    assert "the data propose no group (the fit explains only" in found.describe()
    assert "nothing sure; nearly found: " in found.describe()


def test_estimators_take_auto():
    X, Y = _rows()
    est = ss.SoftEquivariantRegressor(
        "V", "V", "auto", model="gp", network=ss.discovery.NetworkConfig(seeds=1, epochs=2, width=16, strength=1.0)
    ).fit(X, Y)
    assert est.symmetries_["O(2)@z"].verdict == "exact"
    assert est.proposal_.algebra == "so(2)"
    assert est.get_params()["groups"] == "auto"


def test_auto_needs_representations_and_a_regression():
    X, Y = _rows(60)
    with pytest.raises(InputError, match="groups='auto' needs how columns transform"):
        ss.SoftEquivariantRegressor(groups="auto").fit(X, Y)
    with pytest.raises(InputError, match="groups='auto' is for regression"):
        ss.SoftEquivariantClassifier("V", groups="auto").fit(X, Y[:, 0] > 0)


def test_nothing_is_fitted_by_planning():
    est = estimator(seeds=3, held_out=0.25)
    data = est.prepare(*rows(60))
    assert not hasattr(est, "fit_")
    assert [group.name for group in data.shape.groups] == ["O(2)@x", "O(2)@z"]
    assert (data.seeds, data.fraction, data.hyperparameters.width) == (3, 0.25, 27)
    assert "width" not in data.search_space  # it was given
    assert "width" in estimator(width=None).prepare(*rows(60)).search_space


def test_rows_that_do_not_count_are_left_out():
    X, Y = rows(60)
    weights = np.r_[np.zeros(10), np.ones(50)]
    data = estimator().prepare(X, Y, sample_weight=weights, groups=np.arange(60) // 2)
    assert np.array_equal(data.rows.X, X[10:])
    assert np.array_equal(data.rows.row_groups, np.arange(50) // 2)


WRONG = {
    "rep_in": ({"rep_in": "3V"}, r"3V under .* has size 9, X has 6 columns; pass another `rep_in`"),
    "rep_out": ({"rep_out": "2V"}, r"2V under .* has size 6, y has 3 columns; pass another `rep_out`"),
    "width": ({"width": 0}, r"`width` = 0"),
    "lr": ({"lr": -1.0}, r"`lr` = -1.0"),
    "weight_decay": ({"weight_decay": -1.0}, r"`weight_decay` = -1.0"),
    "model": ({"model": "forest"}, r"unknown model 'forest'; pass one of auto, linear, gp, network"),
    "strengths": (
        {"strengths": "two-shot"},
        r"`strengths` = 'two-shot': input should be 'one-shot', 'continuous', 'by-data' or 'fixed'",
    ),
    "seeds": ({"seeds": 0}, r"`seeds` must be a whole number of at least 1, got 0"),
    "held_out": ({"held_out": 0.7}, r"`held_out` must lie between 0 and 0.5, got 0.7"),
    "budget": ({"budget": -3}, r"`budget` must be a positive number of seconds, got -3"),
    "both": ({"budget": 3, "epochs": 5}, r"pass `epochs` or `budget`, not both"),
    "groups": ({"groups": ["O(2)@w"]}, r"expected an axis x, y or z"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=list(WRONG))
def test_wrong_parameters_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        estimator(**changes).prepare(*rows(60))


def test_wrong_classes_are_named():
    X = rows(60)[0]
    with pytest.raises(InputError, match="one class only"):
        ss.SoftEquivariantClassifier().prepare(X, np.zeros(60))
    with pytest.raises(InputError, match="classes are invariant: leave `rep_out` out, or pass '2S'"):
        ss.SoftEquivariantClassifier("2V", "V", ["O(3)"]).prepare(X, np.arange(60) % 2)


def test_groups_without_representations_are_refused():
    X, Y = rows(60)
    for missing, fields in (
        ("`rep_in` and `rep_out`", {}),
        ("`rep_out`", {"rep_in": "2V"}),
        ("`rep_in`", {"rep_out": "V"}),
    ):
        with pytest.raises(InputError, match=f"not how columns transform: pass {missing}, as in"):
            ss.SoftEquivariantRegressor(**fields, groups=["O(3)"]).fit(X, Y)
    with pytest.raises(InputError, match="not how columns transform: pass `rep_in`, as in"):
        ss.SoftEquivariantClassifier(groups=["O(3)"]).fit(X, Y[:, 0] > 0)


def test_no_fold_splits_a_row_group_or_equal_inputs():
    X = np.repeat(np.random.default_rng(0).standard_normal((40, 6)), 3, axis=0)
    data = fit_data(rows=Rows(X, X[:, :3], row_groups=np.arange(120) // 6))
    development, folds = data.development, data.folds
    for labels in (development.row_groups, np.unique(development.X, axis=0, return_inverse=True)[1]):
        for label in np.unique(labels):
            assert len(set(folds[labels == label])) == 1
    sizes = np.bincount(folds)
    assert len(sizes) == 5
    assert sizes.max() < 2 * sizes.min()
    assert len(development) + len(data.parts.test) == 120


def test_folds_are_as_many_as_there_are_groups_at_most():
    assert sorted(set(make_folds(np.arange(100) % 3, 0))) == [0, 1, 2]
    assert np.bincount(make_folds(np.arange(1000), 0)).tolist() == [200] * 5
    assert not np.array_equal(make_folds(np.arange(1000), 0), make_folds(np.arange(1000), 1))


def test_losses_of_numbers_and_of_classes():
    Y = np.eye(3)[[0, 1, 2, 0]]
    predicted = np.full((4, 3), 1 / 3)
    assert np.allclose(Rows(Y, Y, target=Target.CLASSES).losses(predicted), np.log(3))
    assert np.allclose(Rows(Y, Y).losses(predicted), 2 / 9)
    weights = np.array([2.0, 1.0, 1.0, 0.0])
    assert np.allclose(Rows(Y, Y, weights).losses(predicted), 2 / 9 * weights)
    exact = Rows(Y, Y, target=Target.CLASSES)
    assert exact.explained(float(exact.losses(Y).mean())) == pytest.approx(1.0)
    mean = np.tile(Y.mean(0), (4, 1))
    assert exact.explained(float(exact.losses(mean).mean())) == pytest.approx(0.0)


def test_differences_are_averaged_within_row_groups():
    rng = np.random.default_rng(0)
    old, each = rng.uniform(size=400), np.repeat(rng.standard_normal(8), 50)
    alone, grouped = standard_errors(old + each, old), standard_errors(old + each, old, np.arange(400) // 50)
    assert abs(grouped) < abs(alone) / 3


def test_the_evidence_sees_no_test_rows():
    data = fit_data(200)
    other = data.rows.Y.copy()
    other[data.parts.test] = 1e3
    changed = fit_data(rows=Rows(data.rows.X, other))
    found, again = ([(row.verdict, row.interval) for row in compute_evidence(one)] for one in (data, changed))
    assert found == again
    assert len(compute_evidence(fit_data(6))) == 0  # too few


def test_shapes():
    given, X = ss.SoftEquivariantRegressor("V", "V", ["O(3)"])._parameters(), np.zeros((4, 3))
    assert str(make_shape(given, X, X, [ss.O(3)], classes=False).rep_in) == "V"
    assert make_shape(given | {"groups": "auto"}, X, X, [], classes=False).sizes == (3, 3)
    with pytest.raises(InputError, match="pass `rep_out`"):
        make_shape(given | {"rep_out": None}, X, X, [ss.O(3)], classes=False)
    with pytest.raises(InputError, match="X has 2 columns; pass another `rep_in`"):
        make_shape(given, X[:, :2], X, [ss.O(3)], classes=False)


def test_columns_that_were_standardised_one_by_one_are_noticed():
    X = np.random.default_rng(0).standard_normal((80, 7)) * [1, 2, 3, 1, 1, 5, 1]
    shape = Shape.of(ss.rep("S + 2V"), ss.rep("V"), [ss.O(3)])
    warn_if_standardised(X, X[:, :3], shape)
    scalar = X.copy()
    scalar[:, :1] = StandardScaler().fit_transform(X[:, :1])
    warn_if_standardised(scalar, X[:, :3], shape)
    scaled = StandardScaler().fit_transform(X)
    with pytest.warns(
        DataWarning, match=r"`X`: every column of a vector .* StandardScaler, .* pass the columns as they were measured"
    ):
        warn_if_standardised(scaled, X[:, :3], shape)
    with pytest.warns(DataWarning, match="`y`"):
        warn_if_standardised(X, scaled[:, 1:4], shape)
    with pytest.warns(DataWarning, match="StandardScaler"):
        ss.SoftEquivariantRegressor("S + 2V", "V", ["O(3)"], model="linear").fit(scaled, X[:, 1:4])
