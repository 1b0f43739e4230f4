import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from softsym.cli.main import repeat_option
from softsym.data.formats import FORMATS, DataFile, format_of, suffixes
from softsym.data.table import read_table
from softsym.datasets.parse import is_task, read_data
from softsym.errors import InputError


@dataclass(frozen=True)
class ToyFile(DataFile):
    """Spaces between numbers."""

    @classmethod
    def open(cls, path):
        return cls(path, tuple(path.read_text().splitlines()[0].split()))

    def size(self, columns):
        return 8 * len(columns)

    def numbers(self, columns, *, keep_missing=False):
        lines = self.path.read_text().splitlines()[1:]
        return np.array([[float(cell) for cell in line.split()] for line in lines])[:, columns]

    @staticmethod
    def write(path, names, values, std):
        path.write_text("\n".join([" ".join(names), *(" ".join(map(str, row)) for row in values)]))


@pytest.fixture
def toy(tmp_path):
    """A new format: one class and one line of the list."""
    FORMATS.register(".toy", ToyFile)
    path = tmp_path / "d.toy"
    path.write_text("a b c\n1 2 3\n4 5 6\n")
    yield path
    FORMATS.forget(".toy")


def test_a_new_format_is_known_everywhere(toy):
    table = read_table(toy, "c,a")
    assert (table.x_names, table.y_names) == (("c", "a"), ("b",))
    np.testing.assert_array_equal(table.X, [[3, 1], [6, 4]])
    assert read_data(str(toy), "a", need_y=False)[0].X.tolist() == [[1], [4]]
    assert not is_task("not_there_yet.toy")
    assert repeat_option(["--groups", "O(3)", "d.toy"]) == ["--groups", "O(3)", "d.toy"]
    with pytest.raises(InputError, match=r"ends in \.npz, \.csv, \.tsv, \.parquet, \.feather, \.arrow, \.toy"):
        format_of(Path("data.dat"))


def test_predictions_can_be_written_in_a_new_format(toy):
    assert ".toy" in suffixes()
    format_of(toy).write(toy, ["p", "q"], np.array([[1.0, 2.0]]), None)
    np.testing.assert_array_equal(read_table(toy, "p").Y, [[2.0]])


@pytest.mark.parametrize("suffix", suffixes())
def test_every_format_keeps_the_contract(suffix, tmp_path):
    """What a format writes it can read again, and columns come in the order asked for."""
    known = format_of(Path(f"d{suffix.upper()}"))
    assert issubclass(known, DataFile)
    values = np.random.default_rng(0).standard_normal((5, 3))
    path = tmp_path / f"d{suffix}"
    if known.knows_inputs:
        np.savez(path, X=values, x_names=np.array(["a", "b", "c"]))
    else:
        known.write(path, ["a", "b", "c"], values, None)
    file = known.open(path)
    assert (file.path, file.names) == (path, ("a", "b", "c"))
    assert file.choose("c,a", None, need_y=False) == ([2, 0], [])
    np.testing.assert_array_equal(file.numbers([2, 0]), values[:, [2, 0]])
    assert file.size([0, 1, 2]) >= file.size([0]) > 0


def test_the_list_costs_nothing():
    code = (
        "import sys; from softsym.data.formats import suffixes; suffixes();"
        "print([name for name in ('numpy', 'polars', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_labels_of_a_new_format_are_its_numbers(toy):
    toy.write_text("a b day\n1 2 3\n4 5 6\n7 8 3\n")
    table = read_table(toy, "a", row_groups="day")
    assert (table.x_names, table.y_names, table.row_groups.tolist()) == (("a",), ("b",), [0, 1, 0])


@pytest.mark.parametrize(
    ("name", "what"), [("d.xlsx", "an Excel workbook; save the sheet as CSV"), ("d.pkl", "never opened")]
)
def test_other_files_are_refused_by_name(tmp_path, name, what):
    with pytest.raises(InputError, match=what):
        format_of(tmp_path / name)
