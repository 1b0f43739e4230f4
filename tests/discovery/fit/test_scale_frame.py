"""Scalings: exact where size tells nothing, and undone around networks that do not know them."""

import functools

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.scale_frame import ScaleFrame
from softsym.discovery.fit.train import Session, prepare, train_ensemble
from softsym.discovery.judge.project import project_fit
from softsym.discovery.judge.symmetries import Symmetries
from softsym.discovery.report.report_data import make_report_data
from softsym.metrics import equivariance_error
from softsym.reps.scaling import is_scaling
from tests.discovery.fit.training_data import RECIPE, plan

SMALL = ss.discovery.NetworkConfig(width=24, layers=3, epochs=60, seeds=1)


def shape_of(rep_in, rep_out, *groups):
    return Shape.of(ss.rep(rep_in), ss.rep(rep_out), [ss.group(G) for G in groups])


def rows():
    return np.random.default_rng(0).standard_normal((400, 6))


def angle(X):
    """The cosine of the angle of two vectors: it does not know how large they are together."""
    a, b = X[:, :3], X[:, 3:]
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


@functools.cache
def fitted(invariant):
    X = rows()
    y = angle(X) if invariant else angle(X) + np.linalg.norm(X, axis=1)
    return ss.SoftEquivariantRegressor("2V", "S", ["SO(3)", "Scaling(3)"], network=SMALL).fit(X, y)


@pytest.mark.parametrize(
    ("rep_in", "rep_out"),
    [("2V", "S"), ("S + 2V", "V + T(2) + S"), ("T(2) + V", "V'"), ("T(2)", "S + V"), ("V + V'", "S")],
)
@pytest.mark.parametrize("G", ["Scaling(3)", "Scaling(2)"])
def test_whatever_it_is_made_of_is_equivariant(rep_in, rep_out, G):
    frame = ScaleFrame.of(shape_of(rep_in, rep_out, G), size=1.7)
    rng = np.random.default_rng(0)
    n_in, n_out = ss.rep(rep_in).size(G), ss.rep(rep_out).size(G)
    A = torch.tensor(rng.standard_normal((n_in, n_out)))

    def framed(x):
        return frame.apply(lambda rows: torch.tanh(rows @ A) + 1, x)

    x = torch.tensor(rng.standard_normal((30, n_in)))
    assert equivariance_error(framed, x, rep_in, rep_out, G) < 1e-12
    assert torch.isfinite(framed(torch.zeros(1, n_in, dtype=torch.float64))).all()


def test_inputs_of_the_usual_size_are_left_alone():
    frame = ScaleFrame.of(shape_of("2V", "V", "Scaling(3)")).fitted(torch.tensor(rows()))
    x = torch.tensor(rows())
    x = x / torch.linalg.norm(x, dim=1, keepdim=True) * frame.size
    assert torch.allclose(frame.apply(lambda rows: rows[:, :3] ** 2, x), x[:, :3] ** 2)


def test_which_groups_scale():
    assert is_scaling(ss.group("Scaling(4)"))
    for other in ("SO(2)", "GL(2)", "SO(3) | Scaling(3)", "O(1)@3[0]", "Trivial(3)", "Translation(2)"):
        assert not is_scaling(ss.group(other))
    assert ScaleFrame.of(shape_of("2V", "S", "SO(3)")) is None
    assert ScaleFrame.of(shape_of("3S", "S", "Scaling(3)")) is None  # nothing grows


def test_exact_where_size_tells_nothing():
    est, X = fitted(True), rows()
    assert est.symmetries_["Scaling(3)"].verdict == "exact"
    assert "Scaling(3)" in est.fit_.exact_groups
    assert equivariance_error(est.predict, X[:50], "2V", "S", "Scaling(3)") < 1e-10
    assert np.allclose(est.predict(100 * X), est.predict(X))
    assert "Scaling(3)" in est.report_data("it").exact_groups


def test_not_exact_where_size_matters():
    est, X = fitted(False), rows()
    assert est.symmetries_["Scaling(3)"].verdict != "exact"
    assert "Scaling(3)" not in est.fit_.exact_groups
    assert not np.allclose(est.predict(2 * X), est.predict(X), rtol=0.05)


def test_projection_onto_scalings_makes_no_constant():
    X = rows()
    projected = fitted(False).project("Scaling(3)")
    assert equivariance_error(projected.model.predict, X[:50], "2V", "S", "Scaling(3)") < 1e-10
    assert projected.model.predict(X).std() > 0.1
    assert projected.cost > 0
    assert fitted(True).project("Scaling(3)").cost == pytest.approx(0, abs=1e-9)
    assert "Scaling(3)" not in fitted(False).fit_.exact_groups


def test_networks_that_bring_nothing_to_one_size_are_canonicalised_when_they_are_projected():
    """As models saved before: their weights of that space would be a constant's."""
    X = rows()
    shape = shape_of("2V", "S", "SO(3)", "Scaling(3)")
    asked = plan(seeds=1, X=X, Y=angle(X)[:, None], shape=shape, recipe=RECIPE)
    before = train_ensemble(asked, prepare(asked), Session())
    assert before.predictor.frame is None
    after, distance = project_fit(before, "Scaling(3)")
    assert distance == 0
    sizes = np.linalg.norm(before.predictor.scale_in.transform(before.held.X), axis=1)
    assert np.min(np.abs(sizes - after.predictor.frame.size)) < 1e-12  # a median is one of them
    np.testing.assert_allclose(after.outputs(100 * X), after.outputs(X))
    assert after.outputs(X).std() > 1e-3
    (note,) = (note for note in report_data(after).notes if "did not depend on the size" in note)
    assert "equivariant to Scaling(3) by construction" in note


def report_data(fit):
    return make_report_data(fit, Symmetries(), title="", input_names=[], output_names=[])
