"""How each column of a table is trained, in words."""

from lab.tests.experiments.small import PAPER

from softsym_lab.experiments.grid import cells
from softsym_lab.experiments.render.columns import HEADER, column_table
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise
from softsym_lab.experiments.table_spec import load_spec


def lines(folder, name, preset="fast"):
    """The line of each column by its label."""
    spec = load_spec(name, PAPER)
    text = column_table(summarise(spec, cells(spec, preset), Store(folder)))
    parts = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    assert parts[0] == HEADER
    return {part[0]: dict(zip(HEADER, part, strict=True)) for part in parts[2:]}


def test_baselines_of_table_2_and_those_that_are_trained_as_per(tmp_path):
    found = lines(tmp_path, "table2")
    per, mlp, equal = found["PER"], found["MLP"], found["MLP, trained as PER"]
    assert (mlp["optimizer"], mlp["epochs x batch"], mlp["inputs"]) == ("Adam 0.003", "500 x 250", "as they are")
    same = ("preset", "optimizer", "epochs x batch", "average", "inputs")
    assert {name: equal[name] for name in same} == {name: per[name] for name in same}
    assert (per["optimizer"], per["inputs"], per["penalties"]) == ("Muon 0.04", "at one size", "proximal, 10, by-data")
    assert per["seeds"] == "0"


def test_inputs_of_inertia_stay_as_they_are(tmp_path):
    found = lines(tmp_path, "ablation")
    assert found["PER"]["inputs"] == "as they are / at one size"
    assert found["PER, inputs as they are"]["inputs"] == "as they are"
    assert found["penalty off"]["penalties"] == "none"
    assert found["penalty in the loss"]["penalties"] == "in the loss, 10, by-data"


def test_closed_forms_have_no_training(tmp_path):
    ridge = lines(tmp_path, "motion")["ridge regression"]
    assert (ridge["optimizer"], ridge["average"], ridge["penalties"]) == ("–", "–", "–")


def test_the_columns_of_other_presets_stay_those_of_the_paper(tmp_path):
    assert not any("trained as PER" in label for label in lines(tmp_path, "table1", "code"))
