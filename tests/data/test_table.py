import re
import warnings

import numpy as np
import polars
import pytest

import softsym.data.table as table_module
from softsym.data import delimited
from softsym.data.table import MINIMUM_ROWS, Table, check_fit, duplicate_groups, read_table
from softsym.errors import DataWarning, InputError


@pytest.fixture
def write(tmp_path):
    """Writes a file and gives its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.fixture
def pack(tmp_path):
    """Writes an archive and gives its path."""

    def packed(**arrays):
        path = tmp_path / "data.npz"
        np.savez(path, **arrays)
        return path

    return packed


def refuses(message, path, *arguments, **options):
    with pytest.raises(InputError, match=message) as caught:
        read_table(path, *arguments, **options)
    assert "\n" not in str(caught.value)


class TestText:
    def test_reads_named_columns(self, write):
        found = read_table(write("d.csv", "m,x,y,f\n1,2,3,4\n5,6,7.5,8e0\n"), "x,y,m", "f")
        np.testing.assert_array_equal(found.X, [[2, 3, 1], [6, 7.5, 5]])
        np.testing.assert_array_equal(found.Y, [[4], [8]])
        assert (found.x_names, found.y_names) == (("x", "y", "m"), ("f",))
        assert found.X.dtype == found.Y.dtype == np.float64
        assert found.source.endswith("d.csv")

    def test_what_is_not_given_is_the_rest(self, write):
        path = write("d.csv", "m,x,y,f\n1,2,3,4\n")
        assert read_table(path, "m..y").y_names == ("f",)
        assert read_table(path, None, "f").x_names == ("m", "x", "y")
        found = read_table(path, need_y=False)
        assert (found.Y, found.x_names, found.y_names) == (None, ("m", "x", "y", "f"), ())

    def test_tabs(self, write):
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
    def test_ways_to_write_the_same(self, write, text):
        path = write("d.csv", text)
        np.testing.assert_array_equal(read_table(path, "a", "b").X, [[1], [3]])
        np.testing.assert_array_equal(read_table(path, "a", "b").Y, [[2], [4]])

    def test_booleans_and_whole_numbers_are_numbers(self, write):
        found = read_table(
            write("d.csv", "a,b,c\ntrue,1,True\nfalse,12345678901234567890123,FALSE\n"), "a,b", "c"
        )
        np.testing.assert_array_equal(found.X, [[1, 1], [0, 12345678901234567890123.0]])
        np.testing.assert_array_equal(found.Y, [[1], [0]])

    def test_unnamed_columns_get_a_number(self, write):
        assert read_table(write("d.csv", ",a\n0,1\n1,2\n"), "a").y_names == ("column1",)

    def test_fast_and_plain_reader_agree(self, write):
        rng = np.random.default_rng(0)
        values = rng.standard_normal((200, 5)) * 10.0 ** rng.integers(-300, 300, (200, 5))
        lines = ["a,b,c,d,e", *(",".join(map(repr, row)) for row in values.tolist())]
        file = delimited.DelimitedFile.open(write("d.csv", "\n".join(lines)))
        columns = [3, 0, 4]
        np.testing.assert_array_equal(delimited._fast(file, columns), values[:, columns])
        np.testing.assert_array_equal(delimited._plain(file, columns), values[:, columns])

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
            ("a,b\n1," + "z" * 99 + "\n", "holds 'z{37}...', which"),
            ("a,b\n1,2\n\n3,\n,6\n", r"line 4: column 'b' has no value \(2 lines with missing values\)"),
            ("a,b\n1,2\n3\n", r"line 3: column 'b' has no value \(1 line with"),
            ("a,b\n1,2\nNA,3\n", r"line 3: column 'a' has no value \(1 line with"),
            ("a,b\n1,2\n3,nan\ninf,NaN\n", r"line 3: column 'b' is nan \(2 lines with NaN or infinity\)"),
            ("a,b\n1,-inf\n", r"line 2: column 'b' is -inf \(1 line with NaN or infinity\); leave such"),
            ("a,b\n1,1e999\n", r"line 2: column 'b' is 1e999 \(1 line"),
            ("a,b\n1,2\n3,4,5\n", r"line 3 has 3 cells, but line 1 names 2 columns; quote cells"),
            ("a,b\n1,2,3\n4,5,6\n", "line 2 has 3 cells, but line 1 names 2 columns"),
            ("a;b\n1,5;2\n", "columns separated by semicolons; a .csv file must have commas"),
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
    def test_mistakes(self, write, content, message):
        refuses(message, write("d.csv", content), "a", "b")

    def test_mistakes_elsewhere_do_not_matter(self, write):
        path = write("d.csv", "id,a,b,c\nfirst,1,2,\nsecond,3,4,nan\n")
        np.testing.assert_array_equal(read_table(path, "a", "b").X, [[1], [3]])
        refuses(
            r"line 2: column 'id' holds 'first', which is no number; choose other --x-columns", path, "a,b"
        )

    def test_choice(self, write):
        path = write("d.csv", "a,b\n1,2\n")
        refuses("pass --x-columns or --y-columns or both .* its columns are a, b", path)
        refuses(r"--x-columns: .*d.csv has no column 'aa'; did you mean 'a'\?", path, "aa")
        refuses("column 'a' of .* is chosen by --x-columns and by --y-columns", path, "a", "a..b")

    def test_bad_byte_at_the_seam_of_two_pieces(self, write, monkeypatch):
        from softsym.data import encoding

        monkeypatch.setattr(encoding, "CHUNK", 4)
        assert read_table(write("d.csv", "a,\xe4\n1,2\n"), "a").y_names == ("\xe4",)
        refuses("byte 0xc3 at position 3, line 1", write("d.csv", b"a,b\xc3\n1,2\n"), "a")
        refuses("byte 0xff at position 8, line 3", write("d.csv", b"a,b\n1,2\n\xff,2\n"), "a")


class TestParquet:
    @pytest.fixture
    def frame(self):
        return polars.DataFrame(
            {"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "c": [True, False, True], "t": ["x", "y", None], "v": [[1.0], [2.0], [3.0]]}
        )  # fmt: skip

    @pytest.fixture
    def save(self, tmp_path):
        def saved(frame):
            frame.write_parquet(tmp_path / "d.parquet")
            return tmp_path / "d.parquet"

        return saved

    def test_reads_named_columns(self, save, frame):
        found = read_table(save(frame), "b,a", "c")
        np.testing.assert_array_equal(found.X, [[0.5, 1], [1.5, 2], [2.5, 3]])
        np.testing.assert_array_equal(found.Y, [[1], [0], [1]])
        assert found.x_names == ("b", "a")

    def test_mistakes(self, save, frame):
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
    def test_values(self, save, frame, values, message):
        refuses(message, save(frame.with_columns(b=polars.Series(values))), "a", "b")

    def test_damage(self, write, save, frame):
        content = save(frame).read_bytes()
        refuses("d.parquet is no Parquet file, or a damaged one", write("d.parquet", content[:-20]), "a", "b")
        refuses("no Parquet file", write("d.parquet", b"a,b\n1,2\n"), "a", "b")
        refuses("d.parquet is empty", write("d.parquet", b""), "a", "b")


class TestArchive:
    def test_reads_arrays(self, pack):
        found = read_table(
            pack(X=np.arange(6, dtype=np.int32).reshape(3, 2), Y=np.array([True, False, True]))
        )
        np.testing.assert_array_equal(found.X, [[0, 1], [2, 3], [4, 5]])
        np.testing.assert_array_equal(found.Y, [[1], [0], [1]])
        assert (found.x_names, found.y_names) == (("x0", "x1"), ("y0",))
        assert found.X.dtype == np.float64

    def test_names(self, pack):
        path = pack(X=np.eye(2), Y=np.ones(2), x_names=np.array(["mass", "speed"]))
        found = read_table(path, "speed")
        assert (found.x_names, found.X.tolist()) == (("speed",), [[0.0], [1.0]])
        refuses("--x-columns: `X` of .* has no column 'sped'; did you mean 'speed'", path, "sped")

    def test_outputs_only_if_needed(self, pack):
        assert read_table(pack(X=np.eye(2)), need_y=False).Y is None
        assert read_table(pack(X=np.eye(2), Y=np.eye(2)), y_columns="y1", need_y=False).Y.tolist() == [
            [0.0],
            [1.0],
        ]

    def test_more_axes_are_flattened_and_told(self, pack):
        path = pack(X=np.arange(12.0).reshape(2, 2, 3), Y=np.ones(2))
        with pytest.warns(
            DataWarning, match=r"`X` has shape \(2, 2, 3\); each row is flattened to 6 columns"
        ):
            found = read_table(path)
        np.testing.assert_array_equal(found.X, np.arange(12.0).reshape(2, 6))

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({"Y": np.ones(3)}, "has no array `X`; it holds Y. Write it with numpy.savez"),
            ({"X": np.ones(3)}, "has no array `Y`; it holds X."),
            ({"x": np.ones(3), "y": np.ones(3)}, "has no array `X`; it holds x, y."),
            ({"X": np.array([1, "a", None], dtype=object), "Y": np.ones(3)}, "`X` is an array of Python objects"),
            ({"X": np.array(["a", "b"]), "Y": np.ones(2)}, "`X` holds <U1, not real numbers"),
            ({"X": np.ones(2, dtype=complex), "Y": np.ones(2)}, "`X` holds complex128, not real numbers"),
            ({"X": np.ones((0, 3)), "Y": np.ones(0)}, r"`X` of shape \(0, 3\) has no rows"),
            ({"X": np.float64(3), "Y": np.ones(1)}, r"`X` of shape \(\) has no rows"),
            ({"X": np.ones((3, 2)), "Y": np.ones(4)}, "X has 3 rows and Y has 4; the first axis of both"),
            (
                {"X": np.array([[0, 0], [0, np.nan], [np.inf, 0]]), "Y": np.ones(3)},
                r"`X` is nan in row 1, column 1, counted from 0 \(2 rows with NaN or infinity\)",
            ),
            ({"X": np.ones(2), "Y": np.array([0, -np.inf])}, r"`Y` is -inf in row 1, column 0.*\(1 row with"),
            ({"X": np.ones((2, 2)), "Y": np.ones(2), "x_names": np.array(["a"])}, "`x_names` must hold 2 texts"),
            ({"X": np.ones((2, 1)), "Y": np.ones(2), "x_names": np.array([1])}, "`x_names` must hold 1 texts"),
        ],
    )  # fmt: skip
    def test_mistakes(self, pack, arrays, message):
        refuses(message, pack(**arrays))

    def test_damage(self, pack, write):
        content = pack(X=np.ones((100, 20)), Y=np.ones(100)).read_bytes()
        refuses("is no .npz archive, or a damaged one", write("data.npz", content[: len(content) // 2]))
        refuses("data.npz is empty", write("data.npz", b""))
        refuses("is no .npz archive", write("data.npz", b"hello"))
        torn = bytearray(content)
        torn[500] ^= 0xFF
        refuses("`X` is damaged: Bad CRC-32", write("data.npz", bytes(torn)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["d.npz", "d.parquet", "d.csv"])
def test_damaged_files_never_end_in_another_error(tmp_path, name):
    rng = np.random.default_rng(0)
    values, path = rng.standard_normal((50, 3)), tmp_path / name
    if name == "d.npz":
        np.savez(path, X=values, Y=values[:, 0])
    else:
        frame = polars.DataFrame({column: values[:, k] for k, column in enumerate("abc")})
        (frame.write_parquet if name == "d.parquet" else frame.write_csv)(path)
    good, messages = path.read_bytes(), []
    for _ in range(150):
        bad = bytearray(good)
        for place in (
            len(bad) - 1 - rng.integers(min(len(bad), rng.choice([400, 4000])), size=rng.integers(1, 5))
        ):
            bad[place] = rng.integers(256)
        path.write_bytes(bad)
        try:
            read_table(path, None if name == "d.npz" else "a")
        except InputError as error:
            messages.append(str(error))
    assert messages
    assert not any("\n" in message for message in messages)


class TestPath:
    def test_no_such_file(self, tmp_path):
        refuses(
            "there is no file .*nothing.csv; pass the path of an existing one", tmp_path / "nothing.csv", "a"
        )

    def test_folder(self, tmp_path):
        (tmp_path / "folder.csv").mkdir()
        refuses("folder.csv is a folder; pass a file in it", tmp_path / "folder.csv", "a")

    @pytest.mark.parametrize("name", ["data.xlsx", "data", "data.csv.gz"])
    def test_unknown_ending(self, write, name):
        refuses(
            r"cannot tell what .*; pass a file that ends in \.npz, \.csv, \.tsv, \.parquet", write(name, "a")
        )

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            (PermissionError(13, "Permission denied"), "no permission to read .*d.csv"),
            (OSError(5, "Input/output error"), "cannot read .*d.csv: Input/output error"),
        ],
    )
    def test_unreadable(self, write, monkeypatch, error, message):
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


def random_table(n=100, p=20, q=9):
    rng = np.random.default_rng(0)
    names = [tuple(f"{letter}{k}" for k in range(size)) for letter, size in (("x", p), ("y", q))]
    return Table(rng.normal(size=(n, p)), rng.normal(size=(n, q)), *names, "data.csv")


class TestFit:
    def test_good(self):
        assert check_fit(random_table(), "5S + 5V", "T(2)", ["O(3)", "O(2)@z"]) == 0
        assert check_fit(random_table(), None, None, ()) == 0

    @pytest.mark.parametrize(
        ("reps", "message"),
        [
            (
                ("6V", "T(2)"),
                "6V under O(3) has size 18, X has 20 columns; pass another representation as --in or other --x-columns",
            ),
            (
                ("5S + 5V", "V"),
                "V under O(3) has size 3, Y has 9 columns; pass another representation as --out",
            ),
        ],
    )
    def test_sizes_come_first(self, reps, message):
        with pytest.raises(InputError, match=re.escape(message)):
            check_fit(random_table(n=3), *reps, ["O(3)"])

    def test_constant_outputs(self):
        table = random_table()
        table.Y[:] = 2.5
        with pytest.raises(
            InputError, match=r"every output of data.csv is constant \(y0 = 2.5, y1 = 2.5, y2"
        ):
            check_fit(table, "5S + 5V", "T(2)", ["O(3)"])
        table.Y[3, 4] = 1.0
        check_fit(table, "5S + 5V", "T(2)", ["O(3)"])

    def test_few_rows(self):
        with pytest.raises(InputError, match=r"data.csv has 49 rows; at least 50 are needed"):
            check_fit(random_table(MINIMUM_ROWS - 1), "5S + 5V", "T(2)", ["O(3)"])
        check_fit(random_table(MINIMUM_ROWS), "5S + 5V", "T(2)", ["O(3)"])

    def test_repeated_rows(self):
        table = random_table()
        table.X[10:20] = table.X[0]
        assert check_fit(table, "5S + 5V", "T(2)", ["O(3)"]) == 10
        table.X[:60] = table.X[0]
        with pytest.raises(InputError, match="has 100 rows but only 41 different inputs; at least 50"):
            check_fit(table, "5S + 5V", "T(2)", ["O(3)"])

    def test_without_outputs(self):
        table = random_table()
        inputs = Table(table.X, None, table.x_names, (), "data.csv")
        assert check_fit(inputs, "5S + 5V", None, ["O(3)"]) == 0


def test_duplicate_groups():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0], [2.0, 4.0], [2.0, 3.0]])
    labels = duplicate_groups(X)
    assert labels.dtype == np.int64
    same = labels[:, None] == labels[None, :]
    np.testing.assert_array_equal(same, (X[:, None] == X[None, :]).all(-1))
    assert duplicate_groups(np.zeros((3, 0))).tolist() == [0, 0, 0]
