"""The ablation: a variant differs from PER in what its name says, and baselines are trained as PER is."""

import json
from dataclasses import replace

import pytest
import torch
from lab.tests.experiments.small import PAPER

import softsym as ss
from softsym.metrics import equivariance_error
from softsym.nn import EMLP, MLP, RPP, FrameAveraged, MixedEMLP, ScaleCanonical, SoftMLP
from softsym_lab.experiments.grid import cells, run_spec
from softsym_lab.experiments.presets import preset
from softsym_lab.experiments.table_spec import load_spec
from softsym_lab.runs.spec import RunSpec

SPEC = load_spec("ablation", PAPER)
RUNS = {(cell.row.section, cell.row.label, cell.column.label): cell.runs[0] for cell in cells(SPEC, "fast", 1)}
VARIANTS = {
    "penalty off": {"lambda0": 0, "strengths": "fixed"},
    "penalty in the loss": {"form": "loss"},
    "penalty in the loss, strength 0.1": {"form": "loss", "lambda0": 0.1},
    "strengths fixed": {"strengths": "fixed"},
    "strengths one-shot": {"strengths": "one-shot"},
    "standard start": {"init": "standard"},
    "soft start": {"init": "soft"},
    "half-soft start": {"init": "half-soft"},
    "no averaging": {"average": 0},
    "Adam": {"optimizer": "adam"},
    "Adam, rate 0.003": {"optimizer": "adam", "lr": 0.003},
    "first strength x 5": {"lambda0": 50},
    "first strength / 5": {"lambda0": 2},
    "PER, inputs as they are": {"canonical_scale": False},
}
NETWORKS = {
    "MLP": MLP,
    "EMLP": EMLP,
    "RPP": RPP,
    "MixedEMLP": MixedEMLP,
    "frame averaging": FrameAveraged,
    "augmentation": MLP,
    "sample penalty": MLP,
}
COLUMNS = {column.label for column in SPEC.columns}
SMALL = {"width": 12, "rpp_width": 12}


def built(run):
    """The model of a run, of a small width."""
    return replace(run, preset=run.preset.model_copy(update=SMALL)).build(ss.task(run.task))


def seen_inside(model, x):
    """What the network in a canonicalised one sees of inputs."""
    seen = []
    model.fit_size_(x)
    model.network.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0]))
    model(x)
    return seen[0]


def test_every_column_is_a_variant_or_a_baseline():
    assert {"PER", *VARIANTS, *NETWORKS, "MLP, inputs as they are"} == COLUMNS
    rows = [(row.section, row.label) for row in SPEC.rows]
    assert rows == [("Inertia", "Oz(2)"), ("Inertia", "soft"), ("CosSim", "S(3)"), ("CosSim", "SO(3)")]


def test_per_is_that_of_tables_1_and_2():
    for section, table in (("Inertia", "table1"), ("CosSim", "table2")):
        spec = load_spec(table, PAPER)
        (column,) = (column for column in spec.columns if column.label == "PER")
        for row in spec.rows:
            if (section, row.label, "PER") in RUNS:
                assert RUNS[section, row.label, "PER"] == run_spec(spec, row, column, "fast")


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_differs_in_what_its_name_says(name):
    found = [(key, run) for key, run in RUNS.items() if key[2] == name]
    assert len(found) == (2 if "inputs" in name else 4)
    for (section, row, _), run in found:
        per = RUNS[section, row, "PER"]
        assert replace(run, preset=per.preset) == per
        changed = {key: value for key, value in dict(run.preset).items() if value != dict(per.preset)[key]}
        assert changed == VARIANTS[name]


def test_without_the_penalty_start_and_network_are_the_same_and_weights_stay_where_the_optimizer_puts_them():
    per, off = (built(RUNS["CosSim", "S(3)", name]) for name in ("PER", "penalty off"))
    for a, b in zip(per.model.state_dict().values(), off.model.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    before = [p.detach().clone() for p in off.model.parameters()]
    with torch.no_grad():
        for p in off.model.parameters():
            p.add_(0.1)
    after = [p.detach().clone() for p in off.model.parameters()]
    off.regularizer.prox_(0.04)
    assert all(torch.equal(p, q) for p, q in zip(off.model.parameters(), after, strict=True))
    assert not any(torch.equal(p, q) for p, q in zip(before, after, strict=True) if p.numel())
    assert float(off.regularizer().detach()) == 0
    controller = RUNS["CosSim", "S(3)", "penalty off"].controller
    controller.begin(off.regularizer.strengths)
    assert set(controller.on_epoch_end(off.regularizer.totals(), 150).values()) == {0.0}


@pytest.mark.parametrize("name", [*NETWORKS, "MLP, inputs as they are"])
def test_baselines_are_trained_as_per(name):
    found = [(key, run) for key, run in RUNS.items() if key[2] == name]
    assert found
    for (section, row, _), run in found:
        assert run.settings == RUNS[section, row, "PER"].settings


@pytest.mark.parametrize("name", NETWORKS)
def test_baselines_see_the_inputs_that_per_sees(name):
    for (section, row, column), run in RUNS.items():
        if column != name:
            continue
        mine, per = built(run), built(RUNS[section, row, "PER"])
        assert mine.regularizer is None
        if section == "Inertia":
            assert type(mine.model) is NETWORKS[name]
            continue
        assert isinstance(mine.model, ScaleCanonical)
        assert type(mine.model.network) is NETWORKS[name]
        x = ss.task(run.task).sample(20, seed=0)[0]
        assert torch.equal(seen_inside(mine.model, x), seen_inside(per.model, x))


def test_columns_with_inputs_as_they_are():
    assert type(built(RUNS["CosSim", "S(3)", "MLP, inputs as they are"]).model) is MLP
    assert type(built(RUNS["CosSim", "S(3)", "PER, inputs as they are"]).model) is SoftMLP
    assert ("Inertia", "soft", "MLP, inputs as they are") not in RUNS


@pytest.mark.parametrize(
    ("row", "name"), [("S(3)", "EMLP"), ("SO(3)", "EMLP"), ("S(3)", "MixedEMLP"), ("SO(3)", "MixedEMLP")]
)
def test_canonicalised_networks_have_their_exact_group_and_are_not_constant(row, name):
    run = RUNS["CosSim", row, name]
    task, model = ss.task(run.task), built(run).model.double()
    x = task.sample(50, seed=0)[0].double()
    assert equivariance_error(model, x, task.rep_in, task.rep_out, run.group, n_transforms=4) < 1e-6
    assert float(model(x).detach().std()) > 1e-5


def test_canonicalised_frame_averages_have_their_group():
    run = RUNS["CosSim", "SO(3)", "frame averaging"]
    task, model = ss.task(run.task), built(run).model.double()
    x = task.sample(50, seed=0)[0].double()
    assert equivariance_error(model, x, task.rep_in, task.rep_out, "O(3)", n_transforms=4) < 1e-6


def test_equal_training_is_written_only_where_it_was_chosen():
    usual = RunSpec("cossim:S(3)", "mlp", preset("cossim:S(3)", "fast"))
    assert {"equal_training", "equal_inputs"}.isdisjoint(usual.to_dict()["preset"])
    assert usual.settings.optimizer == "adam"
    equal = RUNS["CosSim", "S(3)", "MLP"]
    assert RunSpec.from_dict(json.loads(json.dumps(equal.to_dict()))) == equal
