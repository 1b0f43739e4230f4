"""Models that are solved."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from lab.tests.runs.small import TASK, preset
from lab.tests.zoo.small import error_of, made

from softsym.datasets import task
from softsym.errors import InputError
from softsym.groups import group
from softsym.reps import rep
from softsym_lab.runs.runner import run
from softsym_lab.runs.spec import RunSpec
from softsym_lab.zoo import build
from softsym_lab.zoo.kernel_models import ClosedForm, collect_evidence

SIZES = (120, 60, 60)


def solve(name, **options):
    model = made(name, **options).model
    model.solve_(task(TASK).splits(0, SIZES))
    return model


@pytest.fixture(scope="module")
def errors():
    x, y = task(TASK).splits(0, SIZES).test
    names = ("mean", "ridge", "boosting", "kernel", "soft-kernel", "gp")
    return {name: float((solve(name)(x) - y).square().mean()) for name in names}


@pytest.mark.slow
def test_symmetry_is_worth_more_than_a_kernel_and_a_kernel_more_than_a_line(errors):
    assert errors["soft-kernel"] < 0.5 * errors["kernel"] < 0.5 * errors["ridge"]
    assert errors["ridge"] < errors["mean"]
    assert errors["gp"] < 0.5 * errors["kernel"]
    assert errors["boosting"] < errors["mean"]


@pytest.mark.slow
def test_the_test_rows_are_seen_by_none():
    splits = task(TASK).splits(0, SIZES)
    x = splits.test[0]
    splits.test[1].fill_(float("nan"))
    for name in ("ridge", "soft-kernel", "gp", "boosting"):
        model = made(name).model
        model.solve_(splits)
        assert torch.equal(model(x), solve(name)(x))


def test_candidates_decide_what_is_built_in():
    assert error_of(solve("soft-kernel", groups=["O(2)@z"]), "O(2)@z") < 1e-5
    assert error_of(solve("soft-kernel", groups=["O(2)@x"]), "O(2)@z") > 1e-3


@pytest.mark.slow
def test_a_run_of_a_closed_form_tells_what_one_of_a_network_does(tmp_path):
    numbers = preset().model_copy(update=dict(zip(("n_train", "n_val", "n_test"), SIZES, strict=True)))
    spec = RunSpec(TASK, "gp", numbers)
    found = run(spec, tmp_path, quiet=True)
    assert found.epochs == 0
    assert found.steps is None
    assert "O(2)@z" in found.chosen
    assert {row["name"]: row["verdict"] for row in found.verdicts}["O(2)@z"] == "exact"
    assert found.transformed_mse["O(2)@z"] == pytest.approx(
        found.test_mse, rel=0.2
    )  # it has this symmetry, and so has the truth
    assert found.model_errors["O(2)@z"] < found.model_errors["O(2)@x"]
    assert run(spec, tmp_path, resume=True, quiet=True) == found


def test_what_is_not_solved_does_not_predict():
    with pytest.raises(RuntimeError, match="solved before it predicts"):
        ClosedForm(lambda data: (np.copy, ""))(torch.zeros(2, 3))


def test_constant_velocity_in_any_normalisation():
    for name in ("motion:scale-aware", "motion:symmetry-aware"):
        vehicles = task(name)
        splits = vehicles.splits(0, (20, 5, 30))
        model = build("velocity", vehicles, preset(), 0).model
        model.solve_(splits)
        x, y = splits.test
        guess = model(x).unflatten(1, (6, 3))
        past = x.unflatten(1, (6, 3))
        torch.testing.assert_close(guess[:, 2], past[:, 5] + 3 * (past[:, 5] - past[:, 4]))
        assert splits.scores(model(x), y)["FDE"] > float(splits.error(model(x), y))
    with pytest.raises(InputError, match=r"from points to points, not from 5S \+ 5V to T\(2\)"):
        made("velocity")


def test_where_the_truth_is_not_known_candidates_are_proposed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    Y = np.cross(X[:, :3], X[:, 3:]) + 0.02 * rng.standard_normal((200, 3))
    task = SimpleNamespace(
        target=None,
        largest=group("O(3)"),
        row_groups=lambda seed: None,
        evidence_data=lambda seed: (torch.from_numpy(X), torch.from_numpy(Y)),
    )
    plan = SimpleNamespace(task=task, seed=0, candidates=(group("O(2)@z"),), reps=(rep("2V"), rep("V")))
    said = {row["name"]: (row["verdict"], row["proposed"]) for row in collect_evidence(plan)}
    assert said == {"SO(3)": ("exact", True), "O(2)@z": ("absent", False), "O(3)": ("absent", False)}
