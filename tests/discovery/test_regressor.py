"""The regressor: shapes and names of outputs, and members trained side by side."""

import numpy as np
import polars

import softsym as ss
from tests.discovery.small import estimator, fitted, rows


def test_outputs_have_the_shape_that_y_had():
    X, Y = rows(60)
    flat = estimator(epochs=2, seeds=1).set_params(rep_out="S").fit(X, Y[:, 0])
    assert flat.predict(X).shape == (60,)
    mean, std = flat.predict(X, return_std=True)
    assert mean.shape == std.shape == (60,)
    column = estimator(epochs=2, seeds=1).set_params(rep_out="S").fit(X, Y[:, :1])
    assert column.predict(X).shape == (60, 1)
    assert np.array_equal(column.predict(X)[:, 0], flat.predict(X))


def test_names_of_outputs_are_forgotten_with_the_next_fit():
    X, Y = rows(60)
    est = estimator(epochs=2, seeds=1).fit(X, polars.DataFrame(Y, schema=["u", "v", "w"]))
    assert list(est.output_names_) == ["u", "v", "w"]
    assert not hasattr(est.fit(X, Y), "output_names_")
    assert est.report_data("it").output_names == ("y0", "y1", "y2")


def test_names_can_be_given_beside_an_array():
    X, Y = rows(60)
    est = estimator(epochs=2, seeds=1)
    est.fit_data(est.prepare(X, Y, x_names=list("abcdef"), y_names=["u", "v", "w"]))
    assert est.feature_names_in_.tolist() == list("abcdef")
    frame = polars.DataFrame(X, schema=list("abcdef"))
    assert np.allclose(est.predict(frame), estimator(epochs=2, seeds=1).fit(X, Y).predict(X), rtol=1e-12)


def test_jobs_change_nothing():
    X, Y = rows(80)
    alone, parallel = (estimator(epochs=6, width=None, strength=None, n_jobs=n).fit(X, Y) for n in (None, 2))
    assert np.array_equal(alone.predict(X), parallel.predict(X))
    assert np.array_equal(alone.fit_.networks.outputs(X), parallel.fit_.networks.outputs(X))
    assert alone.symmetries_ == parallel.symmetries_
    assert alone.baselines_ == parallel.baselines_
    assert alone.fit_.networks.hyperparameters == parallel.fit_.networks.hyperparameters
    assert ss.SoftEquivariantRegressor().get_params()["n_jobs"] is None


def test_multi_output_is_announced():
    assert fitted().__sklearn_tags__().target_tags.multi_output
