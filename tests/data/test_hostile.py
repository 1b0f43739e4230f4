"""Files that promise more than they hold, are damaged, or have names that programs obey: refused in one line, in little memory."""

import gzip
import io
import os
import shlex
import tracemalloc
import zipfile

import numpy as np
import polars
import pytest

import softsym.limits
from softsym.data import readers
from softsym.data.columns import Header, explain_missing_options
from softsym.data.formats import open_file
from softsym.data.readers import DelimitedFile
from softsym.data.table import read_table
from softsym.errors import DataWarning, InputError
from tests.data.reading import refuses


@pytest.fixture
def small_memory(monkeypatch):
    """A machine with 50 MB left."""
    monkeypatch.setattr(softsym.limits, "free_memory", lambda: 50e6)


def npz_with_header(path, shape, descr="<f8", payload=b"", size=None):
    """An archive whose array X has a header of its own."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + payload
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", array)
        archive.writestr("Y.npy", array)
    return path


@pytest.mark.parametrize(
    "shape", ["(2, 1000000000000)", "(1000000000000, 2)", "(60, -3)", "(3, 7)", "(10**9, 10**9)", "(True, 2)"]
)
def test_headers_of_archives_are_not_believed(tmp_path, shape):
    path = npz_with_header(tmp_path / "d.npz", shape, payload=bytes(160))
    tracemalloc.start()
    try:
        refuses("`X` is damaged", path)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


def test_an_archive_that_unpacks_to_more_than_the_memory(tmp_path, small_memory):
    np.savez_compressed(tmp_path / "d.npz", X=np.zeros((2_000_000, 3)), Y=np.zeros(2_000_000))
    assert (tmp_path / "d.npz").stat().st_size < 200_000
    tracemalloc.start()
    try:
        refuses("d.npz needs about .* GB of memory, 0.1 GB are free; choose fewer columns", tmp_path / "d.npz")
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


def test_sizes_in_the_list_of_an_archive_are_not_believed(tmp_path):
    np.savez_compressed(tmp_path / "d.npz", X=np.zeros((60, 3)), Y=np.zeros(60))
    data = bytearray((tmp_path / "d.npz").read_bytes())
    start = data.find(b"PK\x01\x02")
    data[start + 24 : start + 28] = (10**9).to_bytes(4, "little")
    (tmp_path / "d.npz").write_bytes(data)
    refuses("is no .npz archive, or a damaged one", tmp_path / "d.npz")


def test_text_that_unpacks_to_more_than_the_memory(tmp_path, small_memory):
    path = tmp_path / "d.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"a,b\n")
        for _ in range(200):
            file.write(b"1,2\n" * 100_000)
    tracemalloc.start()
    try:
        refuses("d.csv.gz, unpacked, needs about .* GB of memory", path, "a")
        assert tracemalloc.get_traced_memory()[1] < 60e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["d.csv", "d.csv.gz"])
def test_a_line_without_end_is_no_table(tmp_path, name):
    data = b"a,b\n" + b"1" * (1 << 25)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    refuses("line 2 has more than 16,777,216 bytes; it is no table", tmp_path / name, "a")


def test_a_parquet_file_of_more_rows_than_fit(tmp_path, small_memory):
    polars.DataFrame({"a": np.zeros(5_000_000), "b": np.zeros(5_000_000)}).write_parquet(tmp_path / "d.parquet")
    assert (tmp_path / "d.parquet").stat().st_size < 100_000
    refuses("d.parquet needs about .* GB of memory", tmp_path / "d.parquet", "a")
    assert read_table(tmp_path / "d.parquet", "a", most_rows=100).X.shape == (100, 1)


def test_columns_of_other_types_are_refused_before_they_are_read(tmp_path, monkeypatch):
    frame = polars.DataFrame(
        {"a": [1.0, 2.0], "t": ["x" * 100_000] * 2, "d": polars.Series(["2026-01-01"] * 2).str.to_date()}
    )
    frame.write_parquet(tmp_path / "d.parquet")
    refuses(r"column 't' holds String such as 'x+ \.\.\. x+', which are no numbers", tmp_path / "d.parquet", "a", "t")
    refuses("column 'd' holds Date such as datetime.date", tmp_path / "d.parquet", "a", "d")


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
@pytest.mark.filterwarnings("ignore")
def test_damaged_columns_are_refused_in_one_line(tmp_path, suffix):
    rng, path, buffer = np.random.default_rng(0), tmp_path / f"d.{suffix}", io.BytesIO()
    frame = polars.DataFrame(rng.standard_normal((50, 3)), schema=list("abc"))
    frame.write_parquet(buffer) if suffix == "parquet" else frame.write_ipc(buffer)
    whole, used, refusals = buffer.getvalue(), 0, []
    for _ in range(150):
        data = bytearray(whole)
        for place in rng.integers(6, len(data) - 6, size=rng.integers(1, 4)):
            data[place] = rng.integers(256)
        path.write_bytes(data)
        try:
            read_table(path, "a", drop_missing=True)
            used += 1
        except InputError as error:
            refusals.append(str(error))
    assert min(used, len(refusals)) > 5
    assert all(map(str.isprintable, refusals))


@pytest.mark.parametrize("name", [b"gr\xf6sse.csv", b"line\nend.csv", b"\x1b[31mred.csv", "\u202e.csv".encode()])
def test_names_of_files_that_terminals_obey(tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    path.write_text("a,b\n1,x\n")
    with pytest.raises(InputError) as caught:
        read_table(path, "a", "b")
    assert str(caught.value).isprintable()
    with pytest.raises(InputError) as caught:
        raise InputError(explain_missing_options(str(path), ["a", "b"], ()))
    assert str(caught.value).isprintable()


def test_names_of_columns_that_terminals_obey():
    header = Header("d.csv", ("x\x1b[31m\u202e", "y"))
    with pytest.raises(InputError) as caught:
        header.select("z\n\x1b[0m", "--x-columns")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ['=HYPERLINK("http://evil")', "+1+1", "-x", "@sum", "\tx"])
def test_names_of_columns_that_spreadsheets_run(tmp_path, name):
    DelimitedFile.write(tmp_path / "p.csv", [name, "y"], np.ones((2, 2)), None)
    assert open_file(tmp_path / "p.csv").names[0].startswith("'")
    assert open_file(tmp_path / "p.csv").names[1] == "y"


MISSING = "day,x,y\nmon,1,2\nmon,,3\ntue,4,nan\nwed,5,6\ntue,7,NA\nwed,8,9\n"


@pytest.mark.parametrize("suffix", ["csv", "semicolons.csv", "parquet", "npz"])
def test_rows_that_lack_a_value_can_be_left_out(tmp_path, suffix):
    path = tmp_path / f"d.{suffix}"
    values = np.array([[1, 2], [np.nan, 3], [4, np.nan], [5, 6], [7, np.nan], [8, 9]])
    if suffix == "npz":
        np.savez(path, X=values[:, :1], Y=values[:, 1:], day=np.array(["mon", "mon", "tue", "wed", "tue", "wed"]))
    elif suffix == "parquet":
        frame = polars.DataFrame(
            {"day": ["mon", "mon", "tue", "wed", "tue", "wed"], "x": values[:, 0], "y": values[:, 1]}
        )
        frame.with_columns(polars.col("x").fill_nan(None)).write_parquet(path)
    else:
        path.write_text(MISSING.replace(",", ";") if "semi" in suffix else MISSING)
    columns = () if suffix == "npz" else ("x", "y")
    refuses("leave such (lines|rows) out with --drop-missing", path, *columns, row_groups="day")
    with pytest.warns(DataWarning, match="3 of 6 rows lack a value and are left out"):
        table = read_table(path, *columns, row_groups="day", drop_missing=True)
    assert table.X.tolist() == [[1], [5], [8]]
    assert table.Y.tolist() == [[2], [6], [9]]
    assert table.row_groups.tolist() == [0, 1, 1]


def test_nothing_is_left(tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n,1\n2,\n")
    refuses("every row of .* lacks a value", tmp_path / "d.csv", "x", "y", drop_missing=True)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_command_to_copy_leaves_text_out_and_reads_the_file(tmp_path, suffix):
    path = tmp_path / f"with space.{suffix}"
    names = ["when", "sample id", "x1", "y1", "z1", "fx", "fy", "fz", "it's, odd"]
    rows = [["2026-01-01", f"s{k}", *range(k, k + 6), 1.5] for k in range(4)]
    frame = polars.DataFrame(rows, schema=names, orient="row")
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    text = explain_missing_options(str(path), names, open_file(path).text_columns())
    assert "\n" not in text
    words = shlex.split(text.partition("to copy: ")[2])
    assert words[:3] == ["softsym", "discover", str(path)]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    table = read_table(words[2], options["--x-columns"], options["--y-columns"])
    assert table.x_names == ("x1", "y1", "z1", "it's, odd")
    assert options["--in"] == "V + S"


@pytest.mark.parametrize("count", [b"\x79", b"\x7a"], ids=["-61", "61"])
def test_pages_of_parquet_that_cannot_have_so_many_values(tmp_path, count):
    """A page of -61 values ended the process: polars asked for 2^61 bytes."""
    path = tmp_path / "d.parquet"
    polars.DataFrame({"x": np.arange(60) / 7, "y": np.ones(60)}).write_parquet(path)
    data = path.read_bytes()
    number = data.index(b"\x2c\x15\x78") + 2  # the header of a data page, its first field: 60 values
    path.write_bytes(data[:number] + count + data[number + 1 :])
    refuses("a damaged one: a page of -?61 values in a column of 60", path, "x", "y")


@pytest.mark.parametrize("suffix", ["arrow", "feather"])
def test_blocks_of_arrow_beyond_the_file_are_refused_without_panics(tmp_path, suffix, capfd):
    path = tmp_path / f"d.{suffix}"
    polars.DataFrame({"x": np.arange(600) / 7, "y": np.ones(600)}).write_ipc(path)
    assert open_file(path).names == ("x", "y")
    data = path.read_bytes()
    path.write_bytes(data[:1000] + data[3000:])
    refuses("a damaged one: a block of .* bytes at .* in a file of", path, "x", "y")
    assert capfd.readouterr().err == ""


def test_a_list_of_a_page_header_ends_with_the_file():
    """Ten bytes may promise 2^60 truth values; reading them took ten seconds and a gigabyte before it was stopped."""
    with pytest.raises(ValueError, match="cut short"):
        readers._thrift(io.BytesIO(b"\xf1" + b"\xff" * 8 + b"\x0f"), 9)
