"""The estimators: scikit-learn's contract, data frames, what is refused, what is found."""

import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pandas
import polars
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import softsym as ss
from softsym.errors import InputError
from tests.discovery.small import estimator, fitted, rows

NOT_COPIES = {
    "check_sample_weight_equivalence_on_dense_data": "rows are held out by number, and more of them when there are copies: "
    "the same weights then choose other settings (closed forms with given settings are compared in test_weights.py)"
}


@pytest.mark.parametrize("kind", [ss.SoftEquivariantRegressor, ss.SoftEquivariantClassifier])
def test_the_contract_of_scikit_learn(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            kind(network=ss.discovery.NetworkConfig(epochs=40, seeds=1, width=32)),
            on_fail=None,
            on_skip=None,
            expected_failed_checks=NOT_COPIES,
        )
    assert len(results) > 40
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ss.SoftEquivariantRegressor, ss.SoftEquivariantClassifier])
def test_the_contract_with_all_defaults(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(kind(), on_skip=None, expected_failed_checks=NOT_COPIES)


def test_what_is_found():
    found = fitted().symmetries_
    assert [row.name for row in found] == ["O(2)@x", "O(2)@z"]
    assert found["O(2)@z"].error < found["O(2)@x"].error / 3
    assert found["O(2)@z"].strength > found["O(2)@x"].strength
    for row in found:
        low, high = row.error_interval
        assert low <= row.error <= high
        assert list(row.layers) == ["layer 1", "layer 2"]
        assert 0 <= row.residual <= 1


def test_it_predicts():
    X, Y = rows()
    mean, std = fitted().predict(X, return_std=True)
    assert mean.shape == std.shape == Y.shape
    assert (std >= 0).all()
    assert fitted().score(X, Y) > 0.8
    assert np.array_equal(fitted().predict(X), mean)


def test_simpler_models_are_compared():
    found = fitted().baselines_
    assert [row.name for row in found] == [
        "network",
        "ordinary network",
        "constant extrapolation",
        "linear extrapolation",
        "ridge regression",
        "kernel ridge regression",
        "gradient boosting",
        "MLP",
    ]
    assert [row.is_returned for row in found] == [True] + 7 * [False]
    assert found["network"].test_error == pytest.approx(fitted().fit_.test_error())
    assert found["network"].test_error < found["ordinary network"].test_error
    assert found.better[0].explained == pytest.approx(1)  # the truth is linear, and ridge regression says so


def test_verdicts_do_not_depend_on_test_rows():
    """The same rows are trained on and validated; what is held out for the test has other outputs."""
    X, Y = rows()
    first = estimator(epochs=4, seeds=1).fit(X, Y)
    test = (X[:, None] == first.fit_.test.X[None]).all(-1).any(1)
    changed = estimator(epochs=4, seeds=1).fit(X, np.where(test[:, None], 100.0 - 7 * Y, Y))
    assert 0 < test.sum() < 40
    assert changed.symmetries_ == first.symmetries_
    assert np.array_equal(changed.fit_.train_model.predict(X), first.fit_.train_model.predict(X))
    assert changed.fit_.test_error() > 10 * first.fit_.test_error()
    errors = ([row.to_dict()["validation_error"] for row in est.baselines_] for est in (changed, first))
    assert next(errors) == next(errors)


def test_the_same_seed_gives_the_same_model():
    X, Y = rows(80)
    a, b, c = (estimator(epochs=3, seeds=1, random_state=seed).fit(X, Y).predict(X) for seed in (0, 0, 1))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_data_frames_keep_their_names(frame):
    X, Y = rows(80)
    names = ["ax", "ay", "az", "bx", "by", "bz"]
    table = frame(dict(zip(names, X.T, strict=True)))
    outputs = frame(dict(zip(["u", "v", "w"], Y.T, strict=True)))
    est = estimator(epochs=2, seeds=1).fit(table, outputs)
    assert est.feature_names_in_.tolist() == names
    assert list(est.output_names_) == ["u", "v", "w"]
    assert est.report_data("it").input_names == tuple(names)
    with pytest.raises(ValueError, match="feature names"):
        est.predict(frame(dict(zip(names[::-1], X.T, strict=True))))


def test_clone_grid_search_and_pipeline():
    X, Y = rows(80)
    base = estimator(epochs=2, seeds=1)
    assert clone(base).get_params() == base.get_params()
    search = GridSearchCV(base, {"network__width": [8, 12]}, cv=2).fit(X, Y)
    assert search.best_params_["network__width"] in (8, 12)
    assert make_pipeline(FunctionTransformer(), base).fit(X, Y).predict(X).shape == Y.shape
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a fit that fails is one
        linear = ss.SoftEquivariantRegressor("2V", "V", model="linear")
        search = GridSearchCV(linear, {"groups": [None, [], "O(3)", ["O(2)@z"]]}, cv=2).fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_pickling_goes_through_plain_numbers():
    X, _ = rows()
    data = pickle.dumps(fitted())
    assert b"softsym.nn" not in data
    again = pickle.loads(data)
    assert np.array_equal(again.predict(X), fitted().predict(X))
    assert again.symmetries_ == fitted().symmetries_


def test_classes():
    X = np.random.default_rng(0).standard_normal((300, 3))
    y = np.where((X**2).sum(1) > 2.3, "far", "near")
    est = ss.SoftEquivariantClassifier(
        "V", groups=["O(3)"], network=ss.discovery.NetworkConfig(width=16, layers=3, epochs=40, seeds=1)
    )
    est.fit(X, y)
    assert est.classes_.tolist() == ["far", "near"]
    assert np.allclose(est.predict_proba(X).sum(1), 1)
    assert est.score(X, y) > 0.85
    assert est.symmetries_["O(3)"].error < 0.1


def test_a_report_is_written_as_a_whole_and_never_into_a_pipe(tmp_path):
    est = fitted()
    (tmp_path / "link.html").symlink_to(tmp_path / "report.html")
    est.report(tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "report.html").read_text() == est.report().page
    os.mkfifo(tmp_path / "pipe.html")
    for name in ("pipe.html", "."):
        with pytest.raises(InputError, match="is no file but a folder, a pipe or a device"):
            est.report(tmp_path / name)


def test_a_budget_decides_the_epochs():
    X, Y = rows(80)
    short = estimator(epochs=None, seeds=1, budget=0.3).fit(X, Y)
    assert 12 <= short.fit_.networks.hyperparameters.epochs <= 2000
    longer = estimator(epochs=None, seeds=1, budget=1.5).fit(X, Y)
    assert longer.fit_.networks.hyperparameters.epochs > short.fit_.networks.hyperparameters.epochs


def test_without_groups_it_is_an_ordinary_network():
    X, Y = rows(80)
    est = ss.SoftEquivariantRegressor(
        model="network", network=ss.discovery.NetworkConfig(width=8, layers=2, epochs=5, seeds=1)
    ).fit(X, Y)
    assert len(est.symmetries_) == 0
    assert type(est.fit_.members[0].model).__name__ == "MLP"
    assert "report" in est.report().page.lower()
    names = ["network", "ridge regression", "kernel ridge regression", "gradient boosting", "MLP"]
    assert [row.name for row in est.baselines_] == names
    chosen = est.fit_.networks.hyperparameters
    assert (chosen.optimizer, chosen.shrink) == ("adam", 0.0)


def test_one_group_may_be_given_as_text():
    est = estimator(epochs=2, seeds=1).set_params(groups="O(2)@z").fit(*rows(60))
    assert [row.name for row in est.symmetries_] == ["O(2)@z"]


def test_a_generator_as_random_state_can_be_saved(tmp_path):
    X, Y = rows(60)
    est = estimator(epochs=2, seeds=1, random_state=np.random.RandomState(0)).fit(X, Y)
    again = ss.load(est.save(tmp_path / "model"))
    assert np.array_equal(again.predict(X), est.predict(X))
    assert est.project("O(2)@z").model.random_state is est.random_state


def test_nothing_works_before_fit():
    for call in (
        lambda e: e.predict(rows()[0]),
        lambda e: e.project("O(3)"),
        lambda e: e.report(),
        lambda e: e.baselines_,
        lambda e: e.save("x"),
    ):
        with pytest.raises(NotFittedError):
            call(estimator())


def test_few_rows_are_said_to_be_few():
    est = estimator(epochs=2, seeds=1).fit(*rows(8))
    assert [(row.verdict, row.reason) for row in est.symmetries_] == [("undecided", "few-rows")] * 2
    assert any("too few rows" in note for note in est.report_data("it").notes)


def test_rows_of_one_label_stay_in_one_part():
    X, Y = rows(240)
    labels = np.array([f"flight {k % 40}" for k in range(240)])
    label_of = {tuple(row): label for row, label in zip(X, labels, strict=True)}
    est = estimator(epochs=2, seeds=1).fit(X, Y, groups=labels)
    held = {label_of[tuple(row)] for row in est.fit_.test.X}
    assert len(est.fit_.test) == 6 * len(held)
    assert est.fit_.n_train % 6 == 0
    assert est.get_params()["groups"] == ["O(2)@x", "O(2)@z"]


def test_labels_of_rows_are_checked_before_anything_is_done(tmp_path):
    X, Y = rows(60)
    est = estimator(epochs=2, seeds=1)
    with pytest.raises(InputError, match=r"`groups` has 1 labels for 60 rows; .*candidate symmetry groups"):
        est.fit(X, Y, groups=["O(3)"])
    with pytest.raises(InputError, match="there are 2 row groups"):
        est.fit_data(est.prepare(X, Y, groups=np.arange(60) % 2), tmp_path / "members")
    assert not list(tmp_path.iterdir())


def test_three_lines_and_seconds():
    """No network where closed forms do; evidence, verdicts and a model all the same."""
    X, Y = rows(200)
    est = ss.SoftEquivariantRegressor("2V", "V", ["O(2)@x", "O(2)@z"]).fit(X, Y)
    assert [row.verdict for row in est.symmetries_] == [row.verdict for row in est.evidence_] == ["absent", "exact"]
    assert est.fit_.members == ()
    assert est.fit_.exact_groups == ("O(2)@z",)
    assert est.fit_.explained() > 0.999
    assert est.n_iter_ == 1
    assert "What the data say by themselves" in est.report().page
    copied = pickle.loads(pickle.dumps(est))
    assert np.array_equal(copied.predict(X), est.predict(X))
    assert copied.evidence_ == est.evidence_
    projected = est.project("O(2)@x")
    assert projected.test_error > projected.test_error_before
    assert projected.model.fit_.exact_groups == ("O(2)@x",)
    assert "weights changed" not in str(projected)


def test_a_broken_candidate_costs_nothing():
    X, Y = rows(200)
    errors = [
        ss.SoftEquivariantRegressor("2V", "V", groups).fit(X, Y + 0.1 * np.cross(Y, X[:, 3:])).fit_.test_error()
        for groups in (["O(2)@z"], ["O(2)@z", "O(2)@x", "O(3)"])
    ]
    assert errors[1] <= 1.05 * errors[0] + 1e-12


def test_classes_have_no_closed_forms():
    X, Y = rows(60)
    with pytest.raises(InputError, match="classes are learned by networks: pass model 'network' or 'auto', not 'gp'"):
        ss.SoftEquivariantClassifier("2V", groups=["O(3)"], model="gp").fit(X, Y[:, 0] > 0)


def test_a_group_that_moves_nothing_is_undecided():
    X, Y = rows(120)
    config = ss.discovery.NetworkConfig(width=8, layers=2, epochs=3, seeds=1)
    small = {"groups": ["O(3)"], "model": "network", "network": config}
    regressor = ss.SoftEquivariantRegressor("6S", "3S", **small).fit(X, Y)
    classifier = ss.SoftEquivariantClassifier("6S", **small).fit(X, Y[:, 0] > 0)
    for est in (regressor, classifier):
        (row,) = est.symmetries_
        assert row.verdict == "undecided"
        assert not row.is_conclusive
        assert "trivially" in row.note
        assert est.symmetries_.certain() == {}
    assert not regressor.fit_.exact_groups
    # A group that moves only the outputs can be broken: its word is one of the usual ones.
    assert ss.SoftEquivariantRegressor("6S", "V", **small).fit(X, Y).symmetries_["O(3)"].verdict != "undecided"


def test_parameters_of_networks_are_accepted_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"pass network=NetworkConfig\(width=\.\.\., seeds=\.\.\.\)"):
        est = ss.SoftEquivariantRegressor("2V", "V", ["O(3)"], width=9, seeds=1)
    assert est.network == ss.discovery.NetworkConfig(width=9, seeds=1)
    with pytest.warns(DeprecationWarning, match="NetworkConfig"):
        est.set_params(width=4, model="gp")
    assert (est.network.width, est.network.seeds, est.model) == (4, 1, "gp")
    assert clone(est).network == est.network
    with pytest.raises(TypeError, match="unexpected keyword argument 'breadth'"):
        ss.SoftEquivariantRegressor(breadth=3)


def test_parameters_of_networks_are_set_by_their_names():
    est = ss.SoftEquivariantRegressor().set_params(network__width=16)
    assert est.network == ss.discovery.NetworkConfig(width=16)
    assert est.get_params()["network__width"] == 16
    assert repr(est.network) == "NetworkConfig(width=16)"
    with pytest.raises(InputError, match="unknown parameter 'network__breadth'"):
        est.set_params(network__breadth=1)
    with pytest.raises(InputError, match=r"`network` must be a softsym.discovery.NetworkConfig or None, got dict"):
        est.set_params(network={"width": 8}).fit(*rows(60))


def test_former_names_warn():
    est = ss.SoftEquivariantRegressor("2V", "V", ["O(2)@z"], model="gp").fit(*rows(60))
    with pytest.warns(DeprecationWarning, match="est.evidence"):
        assert est.look(*rows(60))["O(2)@z"].interval == est.evidence(*rows(60))["O(2)@z"].interval
    with pytest.warns(DeprecationWarning, match="est.project"):
        assert est.snap("O(2)@z").cost == est.project("O(2)@z").cost


def test_load_reads_gaussian_processes_too(tmp_path):
    X, Y = rows(40)
    gp = ss.SoftEquivariantGP("2V", "V", ["O(2)@z"]).fit(X, Y)
    gp.save(tmp_path / "gp")
    assert np.array_equal(ss.load(tmp_path / "gp").predict(X), gp.predict(X))


def test_motion_is_modelled_beyond_its_extrapolation():
    """x(t) to x(t + dt) with drag: nearly the identity, so that models of the residual are candidates."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((240, 6))
    v = X[:, 3:]
    drag = 0.02 * v * np.linalg.norm(v, axis=1, keepdims=True)
    Y = np.hstack([X[:, :3] + 0.1 * v, v - drag]) + 1e-4 * rng.standard_normal((240, 6))
    est = ss.SoftEquivariantRegressor("2V", "2V", ["O(3)"]).fit(X, Y, groups=np.arange(240) // 8)
    errors = {row.name: row.test_error for row in est.baselines_}
    assert any(name.startswith("linear + ") for name in errors)
    best = min(errors[name] for name in ("linear extrapolation", "ridge regression", "gradient boosting", "MLP"))
    assert est.fit_.test_error() < 0.5 * best


def test_the_returned_model_is_not_worse_than_the_baselines():
    X = np.random.default_rng(1).standard_normal((300, 6))
    Y = np.floor(X[:, :3]) + 0.1 * np.random.default_rng(2).standard_normal((300, 3))
    est = ss.SoftEquivariantRegressor("2V", "V", ["O(3)", "O(2)@z"]).fit(X, Y)
    names = ("ridge regression", "kernel ridge regression", "gradient boosting", "MLP")
    best = min(est.baselines_[name].test_error for name in names)
    assert est.fit_.test_error() <= 1.02 * best
    assert est.fit_.exact_groups == ()
    assert "gradient boosting" in est.fit_.full_model.shares


def test_classes_are_judged_by_the_evidence():
    X = np.random.default_rng(0).standard_normal((300, 3))
    small = ss.discovery.NetworkConfig(width=8, layers=2, epochs=3, seeds=1, strength=1.0)
    far, up = (X**2).sum(1) > 2.4, X[:, 2] > 0
    est = ss.SoftEquivariantClassifier("V", groups=["O(3)"], network=small)
    assert est.evidence(X, up)["O(3)"].verdict == "absent"
    assert est.fit(X, up).symmetries_["O(3)"].verdict == "absent"
    assert est.evidence(X, far)["O(3)"].verdict in ("exact", "undecided")
    assert {row.name for row in est.baselines_} >= {"network", "gp", "gradient boosting", "MLP"}


def test_fit_is_interrupted_within_two_seconds():
    X = np.random.default_rng(0).standard_normal((3000, 6))
    est = ss.SoftEquivariantRegressor("2V", "V", ["O(2)@z", "O(2)@x", "O(3)"])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever other tests left
    threading.Timer(1.0, signal.raise_signal, [signal.SIGINT]).start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            est.fit(X, np.tanh(X[:, :3]))
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 3.3


def test_models_are_logged(caplog):
    X = np.random.default_rng(0).standard_normal((60, 3))
    with caplog.at_level("INFO", logger="softsym"):
        ss.SoftEquivariantRegressor("V", "V", ["O(3)"], model="linear").fit(X, 2 * X)
    assert any("evidence on 1 candidates" in message for message in caplog.messages)
    assert any(message.startswith("fitted ridge regression in ") for message in caplog.messages)


def test_equal_particles(tmp_path):
    X, Y = map(np.asarray, ss.task("inertia:Oz(2)").sample(200, seed=0))
    names = ["O(2)@z", "S(5)", "O(2)@z * S(5)"]
    est = ss.SoftEquivariantRegressor("5x(S + V)", "T(2)", names).fit(X, Y)
    assert [row.name for row in est.evidence_] == [row.name for row in est.symmetries_] == names
    assert {row.verdict for row in est.symmetries_} == {"exact"}
    assert est.fit_.explained() > 0.999
    masses, places = X[:20, :5], X[:20, 5:].reshape(20, 5, 3)
    rotation, order = ss.O(2).about("z").sample(1, seed=1)[0], np.random.default_rng(1).permutation(5)
    exchanged = np.hstack([masses[:, order], places[:, order].reshape(20, 15)])
    rotated = np.hstack([masses, (places @ rotation.T).reshape(20, 15)])
    for name in names:
        model = est.project(name).model
        predicted = model.predict(X[:20])
        assert model.fit_.exact_groups == (name,)
        if "S(5)" in name:
            assert np.allclose(model.predict(exchanged), predicted, atol=1e-9)
        if "O(2)" in name:
            expected = rotation @ predicted.reshape(20, 3, 3) @ rotation.T
            assert np.allclose(model.predict(rotated), expected.reshape(20, 9), atol=1e-9)
    loaded = ss.load(est.save(tmp_path / "model"))
    assert loaded.get_params()["groups"] == names
    assert [group.name for group in loaded.fit_.shape.groups] == names
    assert str(loaded.symmetries_) == str(est.symmetries_)
    assert np.array_equal(loaded.predict(X), est.predict(X))
    est.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "5x(S + V)" in page
    assert "Trivial" not in page


def test_networks_and_classes_of_equal_particles(tmp_path):
    X = np.random.default_rng(0).standard_normal((80, 6))
    small = ss.discovery.NetworkConfig(width=16, layers=2, epochs=2, seeds=1, strength=1.0, largest="O(2) * S(3)")
    est = ss.SoftEquivariantRegressor("3x(V)", "V", ["O(2)", "S(3)"], model="network", network=small)
    est.fit(X, X[:, :2] + X[:, 2:4] + X[:, 4:])
    loaded = ss.load(est.save(tmp_path / "model"))
    for name in ("O(2)", "S(3)"):
        assert loaded.project(name).model.fit_.exact_groups == (name,)
    classifier = ss.SoftEquivariantClassifier("3x(V)", groups=["O(2)", "S(3)"])
    assert [row.name for row in classifier.evidence(X, X[:, 0] > 0)] == ["O(2)", "S(3)"]


@pytest.mark.parametrize(("rep_in", "groups", "message"), [
    ("4x(V)", ["O(2)"], "6 and 2 columns are not 4x\\(V\\) and V of any space"),
    ("3x(V)", ["O(2)", "S(4)"], "S\\(4\\) on 4 does not act on 2 x 3"),
    ("3x(P)", ["SE(3)"], "SE\\(3\\) on 4 does not act on 2 x 3"),
])  # fmt: skip
def test_wrong_particles(rep_in, groups, message):
    X = np.random.default_rng(0).standard_normal((40, 6))
    with pytest.raises(InputError, match=message):
        ss.SoftEquivariantRegressor(rep_in, "V", groups).fit(X, X[:, :2])
