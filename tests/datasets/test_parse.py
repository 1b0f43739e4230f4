"""Data sets by their text, and data by file or text."""

import subprocess
import sys

import numpy as np
import pytest

import softsym as ss
from softsym.datasets import CosSim, Inertia, registered_tasks, task
from softsym.datasets import task as read_task
from softsym.datasets.parse import Arguments, check_task_name, is_task, read_data, task_parameters, task_table
from softsym.errors import InputError

ALL = [
    *(f"inertia:{variant}" for variant in Inertia.variants()),
    *(f"cossim:{variant}" for variant in CosSim.variants()),
    *(f"golfball:wind={axis}" for axis in ("none", "x", "y", "z")),
]
MORE = ["golfball:wind=y,speed=5.5,drag=0.01,gravity=1.6"]


@pytest.mark.parametrize("text", ALL + MORE)
def test_text_forms_parse_back(text):
    found = task(text)
    assert str(found) == found.name == text
    assert task(found.name) == found
    assert hash(task(found.name)) == hash(found)
    assert task(found) is found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("inertia", "inertia:Oz(2)"),
        ("inertia:O(2)@x", "inertia:Ox(2)"),
        ("cossim", "cossim:SO(3)+S(3)"),
        ("cossim:both", "cossim:SO(3)+S(3)"),
        ("cossim:SO(3),S(3)", "cossim:SO(3)+S(3)"),
        ("cossim:Scaling(3)", "cossim:S(3)"),
        ("golfball", "golfball:wind=none"),
        (" golfball : speed=5, wind=x ", "golfball:wind=x"),
    ],
)
def test_other_spellings(text, name):
    assert task(text).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inertai", "unknown task 'inertai'; did you mean inertia\\? Known: inertia, cossim, golfball"),
        ("", "unknown task ''; Known"),
        ("inertia:Ow(2)", r"task 'inertia:Ow\(2\)': unknown variant 'Ow\(2\)'.*Known: O\(3\), Ox\(2\)"),
        ("inertia:O(3),c=1", "unknown option 'c'; inertia takes none"),
        ("cossim:all", "unknown variant 'all'"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(InputError, match=message):
        task(text)


def test_not_a_text():
    with pytest.raises(InputError, match="a task is its text such as 'inertia:Oz\\(2\\)', got int"):
        task(3)


def test_registry():
    assert {text.split(":")[0] for text in ALL + MORE} <= set(registered_tasks())


def test_tasks_of_the_laboratory_are_named_where_it_is_not_installed(monkeypatch):
    monkeypatch.setattr("softsym.datasets.parse.registered_tasks", lambda: {"inertia": None})
    with pytest.raises(
        InputError, match="unknown task 'mocap'; it is a task of the laboratory: pip install softsym-lab"
    ):
        task("mocap")


@pytest.mark.parametrize(
    ("text", "expected"), [("golfball:wind=y", True), ("inertia", True), ("no/such.csv", False), (".", False)]
)
def test_a_file_or_a_task(text, expected):
    assert is_task(text) is expected


def test_a_file_wins_over_a_task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_task("inertia")
    (tmp_path / "inertia").write_text("")
    assert not is_task("inertia")


def test_what_is_neither_is_refused_with_a_hint():
    with pytest.raises(InputError, match=r"'inertai' is neither a file nor a task; did you mean inertia\?"):
        is_task("inertai")
    with pytest.raises(InputError, match=r"task 'golfbal:x': unknown task 'golfbal'; did you mean golfball\?"):
        check_task_name("golfbal:x")
    check_task_name("golfball:wind=x")


def test_reading_a_task_refuses_the_same_names():
    with pytest.raises(InputError, match="unknown task 'inertai'"):
        task("inertai")


def test_names_alone_import_nothing_heavy():
    code = "import sys, softsym.datasets.parse; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "name", "variant", "options"),
    [
        ("inertia", "inertia", "", {}),
        (" inertia : Oz(2) ", "inertia", "Oz(2)", {}),
        ("golfball:wind=y, speed=5", "golfball", "", {"wind": "y", "speed": "5"}),
        ("motion:scale-aware,records=/a, b/c=d", "motion", "scale-aware", {"records": "/a, b/c=d"}),
        ("table_tennis:/x, y.npz,every=2", "table_tennis", "/x, y.npz", {"every": "2"}),
        ("cossim:SO(3),S(3)", "cossim", "SO(3),S(3)", {}),
        ("a:b=", "a", "", {"b": ""}),
    ],
)
def test_parts_of_a_text(text, name, variant, options):
    arguments = Arguments.read(text)
    assert (arguments.name, arguments.variant, dict(arguments.options)) == (name, variant, options)


def test_nothing_is_given_twice():
    with pytest.raises(InputError, match="task 'a:b=1,b=2': the option 'b' is given twice"):
        Arguments.read("a:b=1,b=2")


def test_what_is_not_expected():
    arguments = Arguments.read("a:v,b=1")
    arguments.only("b", "c")
    with pytest.raises(InputError, match="unknown option 'b'; a takes c"):
        arguments.only("c")
    with pytest.raises(InputError, match="unknown option 'b'; a takes none"):
        arguments.only()
    with pytest.raises(InputError, match="did not expect 'v'; pass options as key=value"):
        arguments.no_variant()
    Arguments.read("a:b=1").no_variant()


def test_choice_of_a_variant():
    known, aliases = ("first", "second"), {"two": "second"}
    assert Arguments.read("a").choose("first", known) == "first"
    assert Arguments.read("a:second").choose("first", known) == "second"
    assert Arguments.read("a:two").choose("first", known, aliases) == "second"
    with pytest.raises(InputError, match=r"unknown variant 'secnd'; did you mean second\? Known: first, second"):
        Arguments.read("a:secnd").choose("first", known)


@pytest.mark.parametrize("text", ["x", "", "nan", "inf", "1e999"])
def test_numbers_are_finite(text):
    with pytest.raises(InputError, match="the option 'b' must be a number, got"):
        Arguments.read(f"a:b={text}").number("b", 0.0)


def test_numbers():
    arguments = Arguments.read("a:b=2.5,c=4")
    assert arguments.number("b", 0.0) == 2.5
    assert (arguments.integer("c", 0), arguments.integer("d", 7)) == (4, 7)
    with pytest.raises(InputError, match=r"the option 'b' must be a whole number, got '2.5'"):
        arguments.integer("b", 0)


def test_files(tmp_path):
    np.savez(tmp_path / "d.npz", X=np.eye(3), Y=np.ones(3))
    table, task = read_data(str(tmp_path / "d.npz"))
    assert task is None
    assert table.X.shape == (3, 3)


def test_tasks():
    table, task = read_data("inertia:Oz(2)")
    assert task.name == "inertia:Oz(2)"
    assert (table.X.shape, table.Y.shape) == ((1500, 20), (1500, 9))
    assert (table.x_names[0], table.y_names[-1], table.source) == ("x0", "y8", "inertia:Oz(2)")
    assert (read_data("inertia:Oz(2)", seed=1)[0].X != table.X).any()


def test_refusals():
    with pytest.raises(InputError, match=r"'inertai' is neither a file nor a task; did you mean inertia\?"):
        read_data("inertai")
    with pytest.raises(InputError, match="'inertia' is a task, which knows its columns"):
        read_data("inertia", "a..b")


@pytest.mark.parametrize("text", ["inertia:soft", "golfball"])
def test_whoever_asks_gets_the_same_numbers(text):
    one, task = read_data(text, seed=3)
    two = task_table(read_task(text), 3)
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.Y, two.Y)
    X, Y = (values.double().numpy() for values in task.observations(3))
    np.testing.assert_array_equal(one.X, X)
    np.testing.assert_array_equal(one.Y, Y)


def test_row_groups(tmp_path):
    np.savez(tmp_path / "d.npz", X=np.eye(3), Y=np.ones(3), day=np.array(["a", "b", "a"]))
    assert read_data(str(tmp_path / "d.npz"), row_groups="day")[0].row_groups.tolist() == [0, 1, 0]
    assert read_data("inertia:Oz(2)")[0].row_groups is None
    with pytest.raises(InputError, match="'inertia' is a task, which knows its row groups"):
        read_data("inertia", row_groups="day")


TEXTS = ["inertia:Oz(2)", "cossim:SO(3)", "golfball:wind=y"]


@pytest.mark.parametrize("text", TEXTS)
def test_an_estimator_takes_them(text):
    parameters = task_parameters(read_task(text))
    est = ss.SoftEquivariantRegressor.from_parameters(parameters)
    assert (est.rep_in, est.network.largest) == (parameters["rep_in"], parameters["largest"])
    assert [ss.group(name) for name in parameters["groups"]] == list(read_task(text).groups)
    assert ss.rep(parameters["rep_in"]) == read_task(text).rep_in
    assert ss.group(parameters["largest"]) == read_task(text).largest
    assert set(parameters) == {"rep_in", "rep_out", "groups", "largest"}  # numbers of training are the same for all
