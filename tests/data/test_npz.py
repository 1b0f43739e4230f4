import numpy as np
import pytest

from softsym.data.readers import NpzFile
from softsym.data.table import read_table
from softsym.errors import DataWarning
from tests.data.reading import predictions, refuses, survives_damage


def test_reads_arrays(pack):
    found = read_table(pack(X=np.arange(6, dtype=np.int32).reshape(3, 2), Y=np.array([True, False, True])))
    np.testing.assert_array_equal(found.X, [[0, 1], [2, 3], [4, 5]])
    np.testing.assert_array_equal(found.Y, [[1], [0], [1]])
    assert (found.x_names, found.y_names) == (("x0", "x1"), ("y0",))
    assert found.X.dtype == np.float64


def test_names(pack):
    path = pack(X=np.eye(2), Y=np.ones(2), x_names=np.array(["mass", "speed"]))
    found = read_table(path, "speed")
    assert (found.x_names, found.X.tolist()) == (("speed",), [[0.0], [1.0]])
    refuses("--x-columns: `X` of .* has no column 'sped'; did you mean 'speed'", path, "sped")


def test_outputs_only_if_needed(pack):
    assert read_table(pack(X=np.eye(2)), need_y=False).Y is None
    assert read_table(pack(X=np.eye(2), Y=np.eye(2)), y_columns="y1", need_y=False).Y.tolist() == [[0.0], [1.0]]


def test_more_axes_are_flattened_and_told(pack):
    path = pack(X=np.arange(12.0).reshape(2, 2, 3), Y=np.ones(2))
    with pytest.warns(DataWarning, match=r"`X` has shape \(2, 2, 3\); each row is flattened to 6 columns"):
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
)
def test_mistakes(pack, arrays, message):
    refuses(message, pack(**arrays))


def test_damage(pack, write):
    content = pack(X=np.ones((100, 20)), Y=np.ones(100)).read_bytes()
    refuses("is no .npz archive, or a damaged one", write("data.npz", content[: len(content) // 2]))
    refuses("data.npz is empty", write("data.npz", b""))
    refuses("is no .npz archive", write("data.npz", b"hello"))
    torn = bytearray(content)
    torn[500] ^= 0xFF
    refuses("`X` is damaged: Bad CRC-32", write("data.npz", bytes(torn)))


def test_outputs_that_cannot_be_used_do_not_matter_unless_asked_for(pack):
    for Y in (np.array(["a", "b"]), np.ones(5), np.array([1, None], dtype=object), np.ones((0, 3))):
        path = pack(X=np.eye(2), Y=Y)
        assert read_table(path, need_y=False).X.tolist() == np.eye(2).tolist()
        refuses("Y", path)
        refuses("Y", path, y_columns="y0", need_y=False)


def test_nothing_is_loaded_to_see_what_is_there(pack, monkeypatch):
    path = pack(X=np.zeros((4, 3, 2)), Y=np.ones(4))
    monkeypatch.setattr(np, "load", None)
    file = NpzFile.open(path)
    assert file.names == ("x0", "x1", "x2", "x3", "x4", "x5", "y0")
    assert (file.rows, file.inputs) == (4, 6)
    assert file.size([0]) >= 4 * 6 * 8
    assert file.size([0, 6]) >= file.size([0]) + 4 * 8


def test_columns_in_any_order(pack):
    X, Y = np.arange(6.0).reshape(2, 3), np.array([[7.0, 8.0], [9.0, 10.0]])
    file = NpzFile.open(pack(X=X, Y=Y))
    np.testing.assert_array_equal(file.numbers([4, 0, 3, 2]), np.hstack([X, Y])[:, [4, 0, 3, 2]])
    assert file.numbers([]).shape == (2, 0)


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_never_end_in_another_error(pack):
    values = np.random.default_rng(0).standard_normal((50, 3))
    survives_damage(pack(X=values, Y=values[:, 0], x_names=np.array(["a", "b", "c"])))


def test_predictions_are_outputs(tmp_path):
    names, values, std = predictions()
    NpzFile.write(tmp_path / "p.npz", names, values, std)
    with np.load(tmp_path / "p.npz", allow_pickle=False) as stored:
        assert stored["y_names"].tolist() == names
        np.testing.assert_array_equal(stored["Y"], values)
        np.testing.assert_array_equal(stored["std"], std)
    NpzFile.write(tmp_path / "p.npz", names, values, None)
    with np.load(tmp_path / "p.npz", allow_pickle=False) as stored:
        assert sorted(stored) == ["Y", "y_names"]


@pytest.mark.parametrize("labels", [["a", "b", "a"], [2.5, 1, 2.5], [7, 3, 7], [True, False, True], [b"a", b"b", b"a"]])
def test_labels_are_an_array_of_their_own(pack, labels):
    path = pack(X=np.eye(3), Y=np.ones(3), flight=np.array(labels))
    table = read_table(path, row_groups="flight")
    assert table.row_groups.tolist() == [0, 1, 0]
    assert table.X.shape == (3, 3)
    assert read_table(path).row_groups is None


@pytest.mark.parametrize(
    ("flight", "message"),
    [
        (
            np.zeros(2),
            r"--row-groups: .*`flight` must hold a text or a number for each of 3 rows, got float64 of shape \(2,\)",
        ),
        (np.zeros((3, 1)), r"of shape \(3, 1\)"),
        (np.array(["a", {}, "b"], dtype=object), r"got object of shape \(3,\)"),
        (np.array([1.0, np.nan, 1.0]), "data.npz: 'flight' has no label in row 1, counted from 0"),
    ],
)
def test_what_cannot_be_labels(pack, flight, message):
    refuses(message, pack(X=np.eye(3), Y=np.ones(3), flight=flight), row_groups="flight")
    refuses(
        "--row-groups: .*has no array `trip`; it holds X, Y, flight",
        pack(X=np.eye(3), Y=np.ones(3), flight=flight),
        row_groups="trip",
    )
