"""One module predicts what the estimator predicts, leaves the estimator alone, and goes where torch's modules go."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import softsym as ss

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 6)) * [10, 10, 10, 0.1, 0.1, 0.1]
Y = np.cross(X[:, :3], X[:, 3:]) + 100.0 * X[:, :3]
QUICK = ss.discovery.NetworkConfig(width=8, layers=2, epochs=3, seeds=2)
CASES: dict[str, Any] = {
    "gp": ss.SoftEquivariantRegressor("2V", "V", ["SO(3)", "O(2)@z"], model="gp"),
    "linear": ss.SoftEquivariantRegressor("2V", "V", ["SO(3)"], model="linear"),
    "network": ss.SoftEquivariantRegressor("2V", "V", ["SO(3)"], model="network", network=QUICK),
    "scaling": ss.SoftEquivariantRegressor("2V", "V", ["Scaling(3)"], model="network", network=QUICK),
    "points": ss.SoftEquivariantRegressor("2P", "P", ["SE(3)"], model="gp"),
    "no groups": ss.SoftEquivariantRegressor(),
}
FITTED: dict[str, Any] = {}


def fitted(case: str) -> Any:
    if case not in FITTED:
        FITTED[case] = CASES[case].fit(X, Y)
    return FITTED[case]


def rows(n: int = 5) -> Tensor:
    return torch.from_numpy(X[:n].copy())


@pytest.mark.parametrize("case", CASES)
def test_it_predicts_in_the_units_of_the_data(case: str) -> None:
    est = fitted(case)
    with torch.no_grad():
        expected = est.predict(X[:5])
        assert np.allclose(est.module_(rows()).numpy(), expected, atol=1e-6 * (1 + np.abs(expected).max()))
        assert est.module_(rows().reshape(1, 5, 6)).shape == (1, 5, 3)


def test_one_output_has_no_axis_as_y_had_none() -> None:
    est = ss.SoftEquivariantRegressor("2V", "S", ["O(3)"], model="linear").fit(X, Y[:, 0])
    assert est.module_(rows()).shape == (5,)
    assert np.allclose(est.module_(rows()).detach().numpy(), est.predict(X[:5]))


def test_classes_get_probabilities() -> None:
    est = ss.SoftEquivariantClassifier("2V", groups=["O(3)"], network=QUICK).fit(X, np.where(Y[:, 0] > 0, "up", "down"))
    assert np.allclose(est.module_(rows()).detach().numpy(), est.predict_proba(X[:5]))


def test_single_precision_stays_single() -> None:
    est = fitted("gp")
    assert est.module_(rows().float()).dtype == torch.float32
    small = est.module_.float()(rows().float()).detach().numpy()
    assert np.allclose(small, est.predict(X[:5]), rtol=1e-2, atol=1e-2 * np.abs(Y).max())


def test_training_it_further_leaves_the_estimator_alone() -> None:
    est = fitted("network")
    before, module = est.predict(X[:5]), est.module_
    for parameter in module.parameters():
        parameter.data.zero_()
    assert np.array_equal(est.predict(X[:5]), before)
    assert not np.allclose(module(rows()).detach().numpy(), before)


def test_state_and_model_files_give_the_same_module(tmp_path: Path) -> None:
    est = fitted("network")
    other = ss.load(est.save(tmp_path / "model")).module_
    state = est.module_.state_dict()
    assert state.keys() == other.state_dict().keys()
    assert torch.equal(other(rows()), est.module_(rows()))


def test_before_fit_there_is_none() -> None:
    assert not hasattr(ss.SoftEquivariantRegressor(), "module_")


@pytest.mark.parametrize("case", ["gp", "network", "points", "scaling"])
def test_torch_export_takes_any_number_of_rows(case: str) -> None:
    module = fitted(case).module_
    any_number = torch.export.Dim(
        "rows", max=10**9
    )  # torch 2.6 knows of one number that is too large, and wants it said
    program = torch.export.export(module, (rows(4),), dynamic_shapes=({0: any_number},))
    assert torch.allclose(program.module()(rows(9)), module(rows(9)))


@pytest.mark.parametrize("case", ["gp", "network"])
def test_torch_compile_needs_no_break(case: str) -> None:
    module = fitted(case).module_
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    with torch.no_grad():
        assert torch.allclose(compiled(rows()), module(rows()))


@pytest.mark.filterwarnings("ignore")  # of the exporter itself
@pytest.mark.parametrize("case", ["gp", "network"])
def test_onnx_runs_without_softsym(case: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    runtime = pytest.importorskip("onnxruntime")
    module, file = fitted(case).module_, tmp_path / "model.onnx"
    shapes = ({0: torch.export.Dim("rows")},)
    torch.onnx.export(module, (rows(4),), file, dynamo=True, dynamic_shapes=shapes, verbose=False)
    session = runtime.InferenceSession(str(file))
    (got,) = session.run(None, {session.get_inputs()[0].name: X[:9]})
    assert np.allclose(got, module(rows(9)).detach().numpy(), rtol=1e-6, atol=1e-6)
