"""Learning claims, tested by learning (slow)."""

import statistics

import pytest
import torch
from lab.tests.tasks.flights import write_flights

from softsym.datasets import task
from softsym.nn import MLP, count_parameters
from softsym.training import fit
from softsym_lab.benchmarks import learning
from softsym_lab.experiments.presets import match_width, preset
from softsym_lab.runs.runner import run
from softsym_lab.runs.spec import RunSpec
from softsym_lab.tasks.table_tennis import TableTennis

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def quick(text, seed, folder):
    numbers = preset(text, "quick")
    return run(RunSpec(numbers.task, "per", numbers, seed), folder, quiet=True)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_exact_axis_ends_three_times_stronger(tmp_path, seed):
    strengths = quick("inertia:Oz(2)", seed, tmp_path / "run").strengths
    others = [value for group, value in strengths.items() if group != "O(2)@z"]
    assert strengths["O(2)@z"] >= 3 * max(others)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_all_hold_none_falls_behind(tmp_path, seed):
    strengths = quick("inertia:O(3)", seed, tmp_path / "run").strengths
    assert min(strengths.values()) >= max(strengths.values()) / 3


def errors_at(text, model, epochs):
    """Test MSE of a model and of an MLP with as many parameters, equally many epochs into the `code` protocol."""
    numbers = preset(text, "code")
    found = task(numbers.task)
    parameters = count_parameters(RunSpec(found.name, model, numbers).build(found).model)
    width = match_width(lambda w: MLP(found.rep_in, found.rep_out, found.largest, w), parameters)
    baseline = numbers.model_copy(update={"width": width})
    errors = []
    for name, chosen in ((model, numbers), ("mlp", baseline)):
        data = found.splits(0, chosen.sizes)
        spec = RunSpec(found.name, name, chosen, early_stopping=False)
        made = spec.build(found)
        fit(
            made.model,
            data,
            spec.settings,
            regularizer=made.regularizer,
            controller=spec.controller,
            on_epoch=lambda row: row["epoch"] == epochs,
        )
        x, y = data.test
        with torch.no_grad():
            errors.append(float((made.model.eval()(x) - y).square().mean()))
    return errors


def test_emlp_beats_an_mlp_of_its_size_where_the_symmetry_is_exact():
    ours, baseline = errors_at("inertia:O(3)", "emlp", 2000)
    assert ours < baseline


@pytest.mark.parametrize("variant", ["O(3)", "Ox(2)", "Oy(2)", "Oz(2)", "soft"])
def test_per_beats_an_mlp_of_its_size(variant):
    ours, baseline = errors_at(f"inertia:{variant}", "per", 4000)
    assert ours < baseline


def test_the_published_learning_curve_is_matched():
    curves = [learning.curve("code", seed, aims=()) for seed in (0, 1, 2)]
    assert statistics.median(c["test_mse"]["2000"] for c in curves) <= 1.3
    assert statistics.median(c["test_mse"]["4000"] for c in curves) <= 0.5


def test_the_fast_preset_comes_to_the_published_error():
    assert learning.curve("fast", 0)["final_test_mse"] < 0.32


def test_gravity_leaves_the_vertical_axis_in_flights(tmp_path):
    flights = TableTennis(write_flights(tmp_path / "flights.npz", flights=150))
    spec = RunSpec(flights.name, "per", preset(flights, "quick"))
    built = spec.build(flights)
    fitted = fit(
        built.model, flights.splits(0), spec.settings, regularizer=built.regularizer, controller=spec.controller
    )
    assert max(fitted.strengths, key=fitted.strengths.get) == "O(2)@z"
