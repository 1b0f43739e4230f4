import gzip

import numpy as np
import polars
import pytest

from softsym.data import readers
from softsym.data.readers import ColumnarFile, DelimitedFile
from softsym.data.table import read_table
from softsym.errors import InputError
from tests.data.reading import predictions, refuses, survives_damage


def test_reads_named_columns(write):
    found = read_table(write("d.csv", "m,x,y,f\n1,2,3,4\n5,6,7.5,8e0\n"), "x,y,m", "f")
    np.testing.assert_array_equal(found.X, [[2, 3, 1], [6, 7.5, 5]])
    np.testing.assert_array_equal(found.Y, [[4], [8]])
    assert (found.x_names, found.y_names) == (("x", "y", "m"), ("f",))
    assert found.X.dtype == found.Y.dtype == np.float64
    assert found.source.endswith("d.csv")


def test_what_is_not_given_is_the_rest(write):
    path = write("d.csv", "m,x,y,f\n1,2,3,4\n")
    assert read_table(path, "m..y").y_names == ("f",)
    assert read_table(path, None, "f").x_names == ("m", "x", "y")
    found = read_table(path, need_y=False)
    assert (found.Y, found.x_names, found.y_names) == (None, ("m", "x", "y", "f"), ())


def test_tabs(write):
    np.testing.assert_array_equal(read_table(write("d.tsv", "a\tb\n1\t2\n"), "a").Y, [[2]])
    np.testing.assert_array_equal(read_table(write("d.TSV", "a\tb\n1\t2\n"), "a").Y, [[2]])


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4",
        "\ufeffa,b\n1,2\n3,4\n",
        "a, b\n1, 2 \n 3, 4\n",
        '"a","b"\n"1","2"\n"3","4"\n',
        "a,b\n\n1,2\n\n3,4\n\n\n",
        "a,b\n1,2\n3,4\n,\n",
        "a,b\n1,2.0\n3e0,+4\n",
        "note,a,b\nfirst,1,2\nNA,3,4\n",
        '"a\n",b\n1,2\n3,4\n',
    ],
)
def test_ways_to_write_the_same(write, text):
    path = write("d.csv", text)
    np.testing.assert_array_equal(read_table(path, "a", "b").X, [[1], [3]])
    np.testing.assert_array_equal(read_table(path, "a", "b").Y, [[2], [4]])


def test_booleans_and_whole_numbers_are_numbers(write):
    found = read_table(write("d.csv", "a,b,c\ntrue,1,True\nfalse,12345678901234567890123,FALSE\n"), "a,b", "c")
    np.testing.assert_array_equal(found.X, [[1, 1], [0, 12345678901234567890123.0]])
    np.testing.assert_array_equal(found.Y, [[1], [0]])


def test_unnamed_columns_get_a_number(write):
    assert read_table(write("d.csv", ",a\n0,1\n1,2\n"), "a").y_names == ("column1",)


@pytest.mark.parametrize("name", ["d.csv", "d.csv.gz", "semicolons.csv"])
def test_polars_and_the_reader_by_line_agree(tmp_path, name, monkeypatch):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((200, 5)) * 10.0 ** rng.integers(-300, 300, (200, 5))
    text = "\n".join(["a,b,c,d,e", *(",".join(map(repr, row)) for row in values.tolist())])
    text = text.replace(",", ";").replace(".", ",") if "semicolons" in name else text
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    file = DelimitedFile.open(tmp_path / name)
    columns = [3, 0, 4]
    np.testing.assert_array_equal(file._numbers_by_line(columns), values[:, columns])
    monkeypatch.setattr(DelimitedFile, "_numbers_by_line", lambda *given: pytest.fail("read twice"))
    np.testing.assert_array_equal(file.numbers(columns), values[:, columns])


def test_quotes_inside_a_text_do_not_matter(write):
    path = write("d.csv", 'pipe,a,b\n5" steel,1,2\n3" steel,3,4\n')
    np.testing.assert_array_equal(read_table(path, "a", "b").X, [[1], [3]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "d.csv is empty; it needs a line of column names"),
        ("\n\n", "d.csv is empty"),
        ("a,b\n", "d.csv has column names but no rows"),
        ("a,b", "d.csv has column names but no rows"),
        ("a,b\n1,2\n3,x\n", r"d.csv, line 3: column 'b' holds 'x', which is no number"),
        ("a,b\n1,1_000\n", "line 2: column 'b' holds '1_000', which is no number"),
        ('a,b\n1,"2,5"\n', "column 'b' holds '2,5', which is no number"),
        ("a,b\n1," + "z" * 99 + "\n", "holds 'z+ ... z+', which"),
        ("a,b\n1,2\n\n3,\n,6\n", r"line 4: column 'b' has no value \(2 lines with missing values\)"),
        ("a,b\n1,2\n3\n", r"line 3: column 'b' has no value \(1 line with"),
        ("a,b\n1,2\nNA,3\n", r"line 3: column 'a' has no value \(1 line with"),
        ("a,b\n1,2\n3,nan\ninf,NaN\n", r"line 3: column 'b' is nan \(2 lines with NaN or infinity\)"),
        (
            "a,b\n1,-inf\n",
            r"line 2: column 'b' is -inf \(1 line with NaN or infinity\); correct it, or leave such lines out with --drop-missing",
        ),
        ("a,b\n1,1e999\n", r"line 2: column 'b' is 1e999 \(1 line"),
        ("a,b\n1,2\n3,4,5\n", r"line 3 has 3 cells, but line 1 names 2 columns; quote cells"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2 has 3 cells, but line 1 names 2 columns"),
        ("a|b\n1|2\n", "columns separated by bars; a .csv file must have commas"),
        ("a\tb\n1\t2\n", "columns separated by tabs; a .csv file must have commas"),
        ("1,2\n3,4\n", "line 1 of .*d.csv holds numbers only; it must hold the names"),
        ("a,b,a\n1,2,3\n", r"has the column name 'a' 2 times \(columns 1, 3\)"),
        (b"a,b\n1,2\n3,\xf6\n", r"not UTF-8 text: byte 0xf6 at position 10, line 3; save it as UTF-8"),
        (b"a,gr\xf6sse\n1,2\n", r"byte 0xf6 at position 4, line 1"),
        ("a,b\n1,2\n".encode("utf-16"), r"not UTF-8 text: byte 0xff at position 0, line 1"),
        ("a,b\n1,2\n".encode("utf-16-le"), r"not UTF-8 text: byte 0x00 at position 1, line 1"),
        ("a,b\n1,2\xe4".encode()[:-1], r"byte 0xc3 at position 7, line 2"),
        ('a,b\n1,"2\n3,4\n' + "5,6\n" * 50_000, "a double quote may not be closed"),
    ],
)
def test_mistakes(write, content, message):
    refuses(message, write("d.csv", content), "a", "b")


def test_mistakes_elsewhere_do_not_matter(write):
    path = write("d.csv", "id,a,b,c\nfirst,1,2,\nsecond,3,4,nan\n")
    np.testing.assert_array_equal(read_table(path, "a", "b").X, [[1], [3]])
    refuses(r"line 2: column 'id' holds 'first', which is no number; choose other --x-columns", path, "a,b")


def test_choice(write):
    path = write("d.csv", "a,b\n1,2\n")
    refuses("pass --x-columns or --y-columns or both .* its columns are a, b", path)
    refuses(r"--x-columns: .*d.csv has no column 'aa'; did you mean 'a'\?", path, "aa")
    refuses("column 'a' of .* is chosen by --x-columns and by --y-columns", path, "a", "a..b")


def test_bad_byte_at_the_seam_of_two_pieces(write, monkeypatch):
    monkeypatch.setattr(readers, "BLOCK", 4)
    assert read_table(write("d.csv", "a,\xe4\n1,2\n"), "a").y_names == ("\xe4",)
    refuses("byte 0xc3 at position 3, line 1", write("d.csv", b"a,b\xc3\n1,2\n"), "a")
    refuses("byte 0xff at position 8, line 3", write("d.csv", b"a,b\n1,2\n\xff,2\n"), "a")


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_never_end_in_another_error(write):
    values = np.random.default_rng(0).standard_normal((50, 3))
    lines = ["a,b,c", *(",".join(map(repr, row)) for row in values.tolist())]
    survives_damage(write("d.csv", "\n".join(lines)), "a")


@pytest.mark.parametrize("name", ["p.csv", "p.tsv"])
def test_what_is_written_reads_back(tmp_path, name):
    names, values, std = predictions()
    DelimitedFile.write(tmp_path / name, names, values, std)
    table = read_table(tmp_path / name, need_y=False)
    assert table.x_names == (*names, "e_std_", "e_std_std_", 'f, "g"_std_')
    np.testing.assert_array_equal(table.X, np.hstack([values, std]))
    DelimitedFile.write(tmp_path / name, names, values, None)
    np.testing.assert_array_equal(read_table(tmp_path / name, need_y=False).X, values)


def test_size_is_about_right(write):
    rows = 5_000
    file = DelimitedFile.open(write("d.csv", "a,b,c\n" + "1.25,2,3\n" * rows))
    assert file.size([0, 2]) == pytest.approx(8 * 2 * rows, rel=0.05)


@pytest.mark.parametrize("name", ["d.csv", "d.tsv"])
def test_labels_are_texts(write, name):
    content = 'day,x,y\n mon ,1,2\n\n"t,ue",3,4\nmon,5,6\n01,7,8\n1,9,0\n'
    path = write(name, content if name == "d.csv" else content.replace(",", "\t").replace("t\tue", "t,ue"))
    table = read_table(path, y_columns="y", row_groups="day")
    assert (table.x_names, table.y_names) == (("x",), ("y",))
    assert table.row_groups.tolist() == [0, 1, 0, 2, 3]
    assert len(table.X) == 5
    assert read_table(write("e.csv", "a,b\n1,2\n"), "a").row_groups is None


def test_a_label_may_be_an_input_if_it_is_chosen(write):
    table = read_table(write("d.csv", "day,x,y\n3,1,2\n4,1,2\n3,5,2\n"), "day,x", "y", row_groups="day")
    assert table.X[:, 0].tolist() == [3, 4, 3]
    assert table.row_groups.tolist() == [0, 1, 0]


def test_every_line_needs_a_label(write):
    for cell in ("", "NA"):
        path = write("d.csv", f"x,y,day\n1,2,mon\n3,4,{cell}\n")
        refuses("d.csv, line 3: column 'day' has no value; every row needs a label", path, "x", row_groups="day")
    refuses("--row-groups: .*d.csv has no column 'week'", path, "x", row_groups="week")


def test_semicolons_and_decimal_commas(write):
    path = write("d.csv", "a;b;c\n1,5;-2,25;3\n.5;1e3;7\n")
    np.testing.assert_array_equal(read_table(path, "a,b").X, [[1.5, -2.25], [0.5, 1000.0]])
    refuses("line 2: column 'a' holds '1,500,000', which is no number", write("e.csv", "a;b\n1,500,000;2\n"), "a", "b")


def test_packed_text(tmp_path):
    path = tmp_path / "d.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n"))
    np.testing.assert_array_equal(read_table(path, "a", "b").X, [[1.0], [3.0]])
    path.write_bytes(path.read_bytes()[:-9])
    refuses("d.csv.gz is no gzip file, or a damaged one", path, "a", "b")
    path.write_bytes(b"a,b\n1,2\n")
    refuses("d.csv.gz is no gzip file, or a damaged one", path, "a", "b")


@pytest.fixture
def frame():
    return polars.DataFrame(
        {
            "a": [1, 2, 3],
            "b": [0.5, 1.5, 2.5],
            "c": [True, False, True],
            "t": ["x", "y", None],
            "v": [[1.0], [2.0], [3.0]],
        }
    )


@pytest.fixture
def save(tmp_path):
    def saved(frame):
        frame.write_parquet(tmp_path / "d.parquet")
        return tmp_path / "d.parquet"

    return saved


def test_reads_named_columns_parquet(save, frame):
    found = read_table(save(frame), "b,a", "c")
    np.testing.assert_array_equal(found.X, [[0.5, 1], [1.5, 2], [2.5, 3]])
    np.testing.assert_array_equal(found.Y, [[1], [0], [1]])
    assert found.x_names == ("b", "a")


def test_mistakes_parquet(save, frame):
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


def test_files_that_are_not_whole_are_refused_before_polars_reads_them(write, save, frame, capfd):
    content = save(frame).read_bytes()
    refuses("it does not begin and end with PAR1", write("d.parquet", content[:-20]), "a", "b")
    refuses("it does not begin and end with PAR1", write("d.parquet", b"PAR1"[:3]), "a", "b")
    assert capfd.readouterr().err == ""


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_never_end_in_another_error_parquet(save):
    values = np.random.default_rng(0).standard_normal((50, 3))
    survives_damage(save(polars.DataFrame(values, schema=list("abc"))), "a")


def test_what_is_written_reads_back_parquet(tmp_path):
    names, values, std = predictions()
    ColumnarFile.write(tmp_path / "p.parquet", names, values, std)
    table = read_table(tmp_path / "p.parquet", need_y=False)
    assert table.x_names == (*names, "e_std_", "e_std_std_", 'f, "g"_std_')
    np.testing.assert_array_equal(table.X, np.hstack([values, std]))


def test_size(save, frame):
    assert ColumnarFile.open(save(frame)).size([0, 1]) == 8 * 2 * 3


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
    table = read_table(save(frame), "x", row_groups="day")
    assert (table.x_names, table.y_names) == (("x",), ("y",))
    assert table.row_groups.tolist() == [0, 1, 0]


def test_every_row_needs_a_label(save):
    frame = polars.DataFrame({"x": [1.0, 2.0], "y": [1.0, 0.0], "day": ["mon", None], "list": [[1], [2]]})
    refuses("row 2: column 'day' has no value", save(frame), "x", "y", row_groups="day")
    refuses("'list' holds a list in row 0, counted from 0; pass one text", save(frame), "x", "y", row_groups="list")


@pytest.mark.parametrize("name", ["d.feather", "d.arrow"])
def test_arrow_files_are_read_and_written(tmp_path, name):
    polars.DataFrame({"a": [1.0, 2.0], "b": [3, 4]}).write_ipc(tmp_path / name)
    assert read_table(tmp_path / name, "a", "b").Y.tolist() == [[3.0], [4.0]]
    ColumnarFile.write(tmp_path / f"out-{name}", ["y"], np.ones((2, 1)), None)
    assert polars.read_ipc(tmp_path / f"out-{name}").columns == ["y"]
    (tmp_path / name).write_bytes(b"nonsense")
    with pytest.raises(InputError, match="is no Arrow file, or a damaged one"):
        read_table(tmp_path / name, "a", "b")
