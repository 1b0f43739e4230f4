import os
import re
import warnings

import numpy as np
import polars as pl
import pytest

import softsym as ss
import softsym.data.table as table_module
from softsym.data import readers, split
from softsym.data.table import MINIMUM_ROWS, Table, check_fit, open_file, read_table
from softsym.errors import DataWarning, InputError
from tests.data.reading import refuses


def test_no_such_file(tmp_path):
    refuses("there is no file .*nothing.csv; pass the path of an existing one", tmp_path / "nothing.csv", "a")


def test_folder(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    refuses("folder.csv is a folder; pass a file in it", tmp_path / "folder.csv", "a")


@pytest.mark.parametrize("name", ["data.dat", "data", "data.npz.gz"])
def test_unknown_ending(write, name):
    refuses(r"cannot tell what .*; pass a file that ends in \.npz, \.csv, \.tsv, \.parquet", write(name, "a"))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied"), "no permission to read .*d.csv"),
        (OSError(5, "Input/output error"), "cannot read .*d.csv: Input/output error"),
    ],
)
def test_unreadable(write, monkeypatch, error, message):
    path = write("d.csv", "a,b\n1,2\n")

    def refuse(*arguments, **options):
        raise error

    monkeypatch.setattr(type(path), "open", refuse)
    refuses(message, path, "a")


def test_much_memory_is_announced(write, pack, monkeypatch):
    content = "a,b,c\n" + "1.25,2,3\n" * 1000
    monkeypatch.setattr(table_module, "MEMORY_WARNING", 10_000)
    with pytest.warns(DataWarning, match=r"d.csv needs about 0.0 GB of memory; choose fewer columns"):
        read_table(write("d.csv", content), "a")
    with pytest.warns(DataWarning, match="data.npz needs about"):
        read_table(pack(X=np.ones((1000, 2)), Y=np.ones(1000)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(write("d.csv", content), "a", need_y=False)
        monkeypatch.setattr(table_module, "MEMORY_WARNING", 30_000)
        read_table(write("d.csv", content), "a")


def test_arrays_are_contiguous_whatever_the_format(write, pack):
    for table in (
        read_table(write("d.csv", "a,b,c\n1,2,3\n4,5,6\n"), "c,a"),
        read_table(pack(X=np.eye(3), Y=np.eye(3)), "x2,x0"),
    ):
        assert table.X.flags.c_contiguous
        assert table.Y.flags.c_contiguous


def test_duplicates_are_found_once(monkeypatch):
    calls = []

    def counted(X):
        calls.append(X)
        return split.duplicate_groups(X)

    monkeypatch.setattr(table_module, "duplicate_groups", counted)
    table = Table(np.array([[1.0], [2.0], [1.0]]), None, ("x",), (), "here")
    assert not calls
    assert table.duplicates.tolist() == [1, 0, 1]
    assert table.duplicates is table.duplicates
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.npz"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="is a pipe or a device; write what it gives to a file"):
        open_file(tmp_path / name)


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_a_sample_of_a_larger_file_is_the_same_whatever_the_format(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr(readers, "SLICE", 7)  # so that rows come from many slices
    X = np.arange(150.0).reshape(50, 3)
    path = tmp_path / f"rows.{suffix}"
    if suffix == "npz":
        np.savez(path, X=X[:, :2], Y=X[:, 2:], run=np.arange(50) // 2)
        chosen = {}
    else:
        frame = pl.DataFrame({"x": X[:, 0], "y": X[:, 1], "z": X[:, 2], "run": np.arange(50) // 2})
        frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
        chosen = {"x_columns": "x,y", "y_columns": "z"}
    rows = np.sort(np.random.default_rng(3).choice(50, 20, replace=False, shuffle=False))
    table = read_table(path, **chosen, row_groups="run", most_rows=20, seed=3)
    assert np.array_equal(table.X, X[rows, :2])
    assert np.array_equal(table.Y, X[rows, 2:])
    assert table.total == 50
    labels = (rows // 2).tolist()
    assert [labels.index(label) for label in labels] == [table.row_groups.tolist().index(k) for k in table.row_groups]
    whole = read_table(path, **chosen, most_rows=50)
    assert np.array_equal(whole.X, X[:, :2])


def test_a_wrong_row_is_found_wherever_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "SLICE", 7)
    X = np.ones((50, 2))
    X[31, 1] = np.nan
    pl.DataFrame({"x": X[:, 0], "y": X[:, 1]}).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match=r"row 32: column 'y' is nan"):
        read_table(tmp_path / "rows.parquet", "x", "y", most_rows=5)


def test_a_sample_holds_few_rows_in_memory(tmp_path, monkeypatch):
    n = 400_000
    pl.DataFrame({"x": np.arange(n, dtype=float), "y": np.ones(n)}).write_parquet(tmp_path / "rows.parquet")
    monkeypatch.setattr(readers, "SLICE", 10_000)
    seen = []
    read = readers.ColumnarFile.slice
    monkeypatch.setattr(readers.ColumnarFile, "slice", lambda *a, **k: seen.append(read(*a, **k)) or seen[-1])
    table = read_table(tmp_path / "rows.parquet", "x", "y", most_rows=1000)
    assert len(table.X) == 1000
    assert max(len(frame) for frame in seen) == 10_000


def random_table(n=100, p=20, q=9):
    rng = np.random.default_rng(0)
    names = [tuple(f"{letter}{k}" for k in range(size)) for letter, size in (("x", p), ("y", q))]
    return Table(rng.normal(size=(n, p)), rng.normal(size=(n, q)), *names, "data.csv")


def test_good():
    assert check_fit(random_table(), "5S + 5V", "T(2)", ["O(3)", "O(2)@z"]) == 0
    assert check_fit(random_table(), None, None, ()) == 0


@pytest.mark.parametrize(
    ("reps", "message"),
    [
        (
            ("6V", "T(2)"),
            "6V under O(3) has size 18, X has 20 columns; pass another representation as --in or other --x-columns",
        ),
        (("5S + 5V", "V"), "V under O(3) has size 3, Y has 9 columns; pass another representation as --out"),
    ],
)
def test_sizes_come_first(reps, message):
    with pytest.raises(InputError, match=re.escape(message)):
        check_fit(random_table(n=3), *reps, ["O(3)"])


def test_constant_outputs():
    table = random_table()
    table.Y[:] = 2.5
    with pytest.raises(InputError, match=r"every output of data.csv is constant \(y0 = 2.5, y1 = 2.5, y2"):
        check_fit(table, "5S + 5V", "T(2)", ["O(3)"])
    table.Y[3, 4] = 1.0
    check_fit(table, "5S + 5V", "T(2)", ["O(3)"])


def test_few_rows():
    with pytest.raises(InputError, match=r"data.csv has 49 rows; at least 50 are needed"):
        check_fit(random_table(MINIMUM_ROWS - 1), "5S + 5V", "T(2)", ["O(3)"])
    check_fit(random_table(MINIMUM_ROWS), "5S + 5V", "T(2)", ["O(3)"])


def test_repeated_rows():
    some, many = random_table(), random_table()
    some.X[10:20] = some.X[0]
    assert check_fit(some, "5S + 5V", "T(2)", ["O(3)"]) == 10
    many.X[:60] = many.X[0]
    with pytest.raises(InputError, match="has 100 rows but only 41 different inputs; at least 50"):
        check_fit(many, "5S + 5V", "T(2)", ["O(3)"])


def test_without_outputs():
    table = random_table()
    inputs = Table(table.X, None, table.x_names, (), "data.csv")
    assert check_fit(inputs, "5S + 5V", None, ["O(3)"]) == 0


def test_vectors_beside_points_have_their_size():
    table = Table(
        np.random.default_rng(0).standard_normal((60, 6)),
        np.random.default_rng(1).standard_normal((60, 3)),
        (),
        (),
        "pairs",
    )
    assert check_fit(table, "2P", "V", ["SE(3)"]) == 0
    assert check_fit(table, "2P", "V", ["O(3)", "Translation(3)"]) == 0
    with pytest.raises(InputError, match=r"2P under O\(2\) has size 4, X has 6 columns"):
        check_fit(table, "2P", "V", ["O(2)"])


@pytest.mark.parametrize(("size", "word"), [(1e155, "large"), (1e-155, "small")])
def test_numbers_whose_squares_are_none_are_refused(size, word):
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(
        InputError, match=f"an output of it is as {word} as .*; squares of that cannot be computed with"
    ):
        check_fit(Table(X, size * X, ("x", "y", "z"), ("u", "v", "w"), "it"), "V", "V", ["O(3)"])
    with pytest.raises(InputError, match="a value of `y` is as"):
        ss.SoftEquivariantRegressor("V", "V", ["O(3)"]).fit(X, size * X)
    with pytest.raises(InputError, match="a value of `Y` is as"):
        ss.evidence(X, size * X, "V", "V", ["O(3)"])
    with pytest.raises(InputError, match="a value of `X` is as"):
        ss.SoftEquivariantGP("V", "V", ["O(3)"]).fit(size * X, X)
