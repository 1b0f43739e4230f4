"""Specs of tables: the real ones are sound, and mistakes are named in one line before anything runs."""

import pytest
from lab.tests.experiments.small import PAPER, small

from softsym.errors import InputError
from softsym_lab.experiments.grid import cells, check
from softsym_lab.experiments.published import benchmarks
from softsym_lab.experiments.table_spec import BENCHMARKS, ORDER, load_spec, read_spec


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
        (
            'model = "mlp"',
            'model = "mlp"\ncolour = "red"',
            r"columns\.0\.colour: Extra inputs are not permitted",
        ),
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
