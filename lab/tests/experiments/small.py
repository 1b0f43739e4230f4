"""A small table whose runs take a second or two, and results made without training."""

import shutil
from dataclasses import replace
from pathlib import Path

from softsym_lab.experiments.grid import cells
from softsym_lab.experiments.grid import runs as runs_of
from softsym_lab.experiments.render.tables import RENDER
from softsym_lab.experiments.store import RunRecord, Store
from softsym_lab.experiments.summary import summarise
from softsym_lab.experiments.table_spec import load_spec, read_spec
from softsym_lab.runs.record import RunResult

PAPER = Path(__file__).parents[3] / "paper"
NUMBERS = (
    "{ max_epochs = 24, adjust_at = 6, strength_window = 3, patience = 5, width = 12, rpp_width = 12, "
    "n_train = 40, n_val = 20, n_test = 20, batch = 20 }"
)
TEXT = f"""
name = "table1"
title = "A small table"
kind = "table"
claim = "It is small."
command = "none"
source = "nowhere"
published = "table1_inertia_test_mse/rows"
best = "PER"
order = ["PER"]
seeds = {{ quick = 2, code = 3 }}
minutes = {{ quick = {{ per = 2, mlp = 1 }} }}

[[rows]]
label = "Oz(2)"
task = "inertia:Oz(2)"
exact = "O(2)@z"
set = {NUMBERS}

[[rows]]
label = "soft"
task = "inertia:soft"
set = {NUMBERS}

[[columns]]
label = "MLP"
model = "mlp"

[[columns]]
label = "O2_EMLP"
model = "emlp"
group = "exact"

[[columns]]
label = "PER"
model = "per"
"""


def paper(folder, **replaced):
    """A folder of tables: the real ones, and the small one in the place of Table 1."""
    target = folder / "paper"
    shutil.copytree(PAPER, target, ignore=shutil.ignore_patterns("results", "work"))
    write(target, **replaced)
    return target


def write(folder, old="", new=""):
    """The small table in a folder, with one text replaced by another."""
    assert old in TEXT
    path = folder / "table1.toml"
    path.write_text(TEXT.replace(old, new) if old else TEXT)
    return path


def small(folder, **replaced):
    return read_spec(write(folder, **replaced))


def small_runs(folder, seeds=1):
    return runs_of(cells(small(folder), "quick", seeds))


def full_record(spec):
    """A record with numbers for every group of the run, whatever they are."""
    made = record(spec, 0.1 + 0.01 * spec.seed)
    if spec.groups is None:
        return made
    values = {group: 0.01 * (k + 1) + 0.001 * spec.seed for k, group in enumerate(spec.groups)}
    names = ("model_errors", "data_errors", "residuals", "strengths")
    return replace(made, result=replace(made.result, **dict.fromkeys(names, values)))


def summaries(folder, name, share=1.0, seeds=2, make=full_record):
    """A table of the paper at the quick preset with a share of its runs done, in numbers."""
    spec, store = load_spec(name, PAPER), Store(folder)
    made = cells(spec, "quick", seeds)
    runs = runs_of(made)
    for run in runs[: round(share * len(runs))]:
        store.save(make(run))
    return summarise(spec, made, store)


def rendered(folder, name, share=1.0, seeds=2, make=full_record):
    """What a table looks like with a share of its runs done."""
    spec = load_spec(name, PAPER)
    return RENDER[spec.kind](spec, "quick", summaries(folder, name, share, seeds, make))


def record(spec, test_error=1.0, data=None, strengths=None, **changed):
    """A finished run that was never run."""
    groups = ("O(2)@x", "O(2)@y", "O(2)@z")
    data = dict(zip(groups, data or (0.1, 0.1, 0.0), strict=True))
    fields = {
        "task": spec.task,
        "origin": "computed from a formula",
        "model": spec.model,
        "preset": spec.preset.name,
        "seed": spec.seed,
        "metric": "MSE",
        "unit": "",
        "test_error": test_error,
        "validation_mse": test_error,
        "epochs": 20,
        "best_epoch": 15,
        "parameters": 1234,
        "seconds": 30.0,
        "strengths": dict(zip(groups, strengths or (5.0, 6.0, 100.0), strict=True)),
        "residuals": {group: 1e-6 + 1e-3 * value for group, value in data.items()},
        "model_errors": {group: 0.9 * value + 0.001 for group, value in data.items()},
        "data_errors": data,
        "test_mse": test_error,
    }
    row = {"validation": test_error, "residuals": fields["residuals"], "strengths": fields["strengths"]}
    history = [{"epoch": k, "loss": 1.0, **row, "errors": fields["model_errors"], "seconds": 1.0 * k} for k in (1, 20)]
    return RunRecord(spec, RunResult(**{**fields, **changed}), {"threads": 1}, history)
