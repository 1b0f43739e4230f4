import numpy as np
import polars
import pytest

from softsym.data.parquet import ParquetFile
from softsym.data.table import read_table
from softsym.errors import InputError
from tests.data.reading import predictions, refuses, survives_damage


@pytest.fixture
def frame():
    return polars.DataFrame(
        {"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "c": [True, False, True], "t": ["x", "y", None], "v": [[1.0], [2.0], [3.0]]}
    )  # fmt: skip


@pytest.fixture
def save(tmp_path):
    def saved(frame):
        frame.write_parquet(tmp_path / "d.parquet")
        return tmp_path / "d.parquet"

    return saved


def test_reads_named_columns(save, frame):
    found = read_table(save(frame), "b,a", "c")
    np.testing.assert_array_equal(found.X, [[0.5, 1], [1.5, 2], [2.5, 3]])
    np.testing.assert_array_equal(found.Y, [[1], [0], [1]])
    assert found.x_names == ("b", "a")


def test_mistakes(save, frame):
    path = save(frame)
    refuses("column 't' holds String such as 'x', which are no numbers", path, "a", "t")
    refuses("column 'v' holds List", path, "a", "v")
    refuses("pass --x-columns or --y-columns", path)
    refuses("has no column 'd'", path, "d")
    refuses("has columns but no rows", save(frame.head(0)), "a", "b")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, None, None], r"row 2: column 'b' has no value \(2 rows with missing values\)"),
        ([None, None, None], r"row 1: column 'b' has no value \(3 rows with"),
        ([1.0, 2.0, float("nan")], r"row 3: column 'b' is nan \(1 row with NaN or infinity\)"),
        ([1.0, float("-inf"), 1.0], r"row 2: column 'b' is -inf \(1 row with"),
    ],
)
def test_values(save, frame, values, message):
    refuses(message, save(frame.with_columns(b=polars.Series(values))), "a", "b")


def test_damage(write, save, frame):
    content = save(frame).read_bytes()
    refuses("d.parquet is no Parquet file, or a damaged one", write("d.parquet", content[:-20]), "a", "b")
    refuses("no Parquet file", write("d.parquet", b"a,b\n1,2\n"), "a", "b")
    refuses("d.parquet is empty", write("d.parquet", b""), "a", "b")


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_never_end_in_another_error(save):
    values = np.random.default_rng(0).standard_normal((50, 3))
    survives_damage(save(polars.DataFrame(values, schema=list("abc"))), "a")


def test_what_is_written_reads_back(tmp_path):
    names, values, spread = predictions()
    ParquetFile.write(tmp_path / "p.parquet", names, values, spread)
    table = read_table(tmp_path / "p.parquet", need_y=False)
    assert table.x_names == (*names, "e_std_", "e_std_std_", 'f, "g"_std_')
    np.testing.assert_array_equal(table.X, np.hstack([values, spread]))


def test_size(save, frame):
    assert ParquetFile.open(save(frame)).size([0, 1]) == 8 * 2 * 3


@pytest.mark.parametrize(
    "labels",
    [
        polars.Series(["a", "b", "a"]),
        polars.Series(["a", "b", "a"], dtype=polars.Categorical),
        polars.Series([2.5, 1.0, 2.5]),
        polars.Series(["2024-01-01", "2024-01-02", "2024-01-01"]).str.to_date(),
    ],
)
def test_labels_of_any_type(save, labels):
    frame = polars.DataFrame({"x": [1.0, 2.0, 3.0], "day": labels, "y": [1.0, 0.0, 1.0]})
    table = read_table(save(frame), "x", together="day")
    assert (table.x_names, table.y_names) == (("x",), ("y",))
    assert table.together.tolist() == [0, 1, 0]


def test_every_row_needs_a_label(save):
    frame = polars.DataFrame({"x": [1.0, 2.0], "y": [1.0, 0.0], "day": ["mon", None], "list": [[1], [2]]})
    refuses("row 2: column 'day' has no value", save(frame), "x", "y", together="day")
    refuses(
        "'list' holds a list in row 0, counted from 0; pass one text", save(frame), "x", "y", together="list"
    )


@pytest.mark.parametrize("name", ["d.feather", "d.arrow"])
def test_arrow_files_are_read_and_written(tmp_path, name):
    polars.DataFrame({"a": [1.0, 2.0], "b": [3, 4]}).write_ipc(tmp_path / name)
    assert read_table(tmp_path / name, "a", "b").Y.tolist() == [[3.0], [4.0]]
    ParquetFile.write(tmp_path / f"out-{name}", ["y"], np.ones((2, 1)), None)
    assert polars.read_ipc(tmp_path / f"out-{name}").columns == ["y"]
    (tmp_path / name).write_bytes(b"nonsense")
    with pytest.raises(InputError, match="is no Arrow file, or a damaged one"):
        read_table(tmp_path / name, "a", "b")
