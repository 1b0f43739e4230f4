"""Specs of tables: the real ones are sound, and mistakes are named in one line before anything runs."""

import pytest
from lab.tests.experiments.small import PAPER, small

from softsym.errors import InputError
from softsym_lab.experiments import table_spec
from softsym_lab.experiments.grid import cells, check
from softsym_lab.experiments.published import benchmarks
from softsym_lab.experiments.table_spec import (
    BENCHMARKS,
    MARK,
    ORDER,
    default_results,
    find_paper_folder,
    load_spec,
    paper_folder,
    read_spec,
)


@pytest.mark.parametrize("name", ORDER)
def test_every_table_can_be_run(name):
    spec = load_spec(name, PAPER)
    assert spec.name == name
    found = {preset: cells(spec, preset) for preset in ("paper", "code", "quick")}
    for preset, some in found.items():
        assert len(some[0].runs) == spec.seeds[preset]
        assert {cell.column.model for cell in some} <= spec.minutes[preset].keys()
    check(spec, found["quick"])


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_can_be_run_and_has_published_baselines(name):
    spec = load_spec(name, PAPER)
    found = cells(spec, "fast")
    check(spec, found)
    assert {cell.column.model for cell in found} <= spec.minutes["fast"].keys()
    if spec.kind == "benchmark":
        assert benchmarks()[name]["rows"]
        assert all("http" in source for source in benchmarks()[name]["sources"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "table"', 'kind = "poem"', "kind: Input should be"),
        ('model = "mlp"', 'model = "mlp"\ncolour = "red"', r"columns\.0\.colour: Extra inputs are not permitted"),
        ('order = ["PER"]', 'order = ["RER"]', "no column is called 'RER'; there are MLP, O2_EMLP, PER"),
        ('label = "MLP"', 'label = "PER"', "two columns are called 'PER'"),
        ('title = "A small table"', "", "title: Field required"),
        ("name =", "name ==", "is not TOML"),
        ("quick = 2", "quick = 0", "greater than 0"),
    ],
)
def test_a_mistake_is_named(tmp_path, old, new, message):
    with pytest.raises(InputError, match=message) as caught:
        small(tmp_path, old=old, new=new)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('model = "mlp"', 'model = "magic"', "column 'MLP': unknown model 'magic'"),
        ('model = "mlp"', 'model = "mlp"\ngroup = "O(3)"', "mlp takes no group"),
        ('model = "mlp"', 'model = "mlp"\ngroups = ["O(3)"]', "mlp takes no candidate groups"),
        ('model = "mlp"', 'model = "fa"\ngroup = "O(2)@z"', "frames are known for"),
        ('model = "per"', 'model = "per"\ngroups = ["Q(2)"]', "unknown group"),
        ('model = "per"', 'model = "per"\ngroups = ["O(2)"]', "all groups must act on the same space"),
        ('task = "inertia:soft"', 'task = "inertia:hard"', "row 'soft', column 'PER': task 'inertia:hard'"),
        ("adjust_at = 6", "adjust_at = 20", "early stopping counts"),
        ("adjust_at = 6", "adjust = 6", "a preset has no number 'adjust'"),
        ('exact = "O(2)@z"', "scale = { init = 2 }", "'init' is not a number"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path, old, new, message):
    spec = small(tmp_path, old=old, new=new)
    with pytest.raises(InputError, match=message) as caught:
        planned(spec)
    assert "\n" not in str(caught.value)


def planned(spec):
    check(spec, cells(spec, "quick"))


def test_unknown_tables_and_files():
    with pytest.raises(InputError, match="unknown table 'table9'; pass one of table1"):
        load_spec("table9", PAPER)
    with pytest.raises(InputError, match="cannot read"):
        read_spec(PAPER / "nothing.toml")


def test_the_checkout_that_softsym_runs_from():
    assert paper_folder() == PAPER
    assert default_results() == PAPER / "results"


def test_a_folder_called_paper_is_not_enough(tmp_path):
    (tmp_path / "paper").mkdir()
    assert find_paper_folder(tmp_path) is None
    with pytest.raises(InputError, match="in the repository, not in the installed package; clone it"):
        paper_folder(tmp_path)
    (tmp_path / "paper" / MARK).write_text("")
    assert paper_folder(tmp_path) == tmp_path / "paper"


def test_installed_without_its_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(table_spec, "__file__", str(tmp_path / "lib" / "a" / "b" / "c.py"))
    inside = tmp_path / "clone" / "deep" / "inside"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert default_results().name == "softsym-results"
    (tmp_path / "clone" / "paper").mkdir()
    (tmp_path / "clone" / "paper" / MARK).write_text("")
    assert default_results() == tmp_path / "clone" / "paper" / "results"
