"""Reading arrays of files."""

import numpy as np
import pytest

from softsym.errors import InputError
from softsym_lab.tasks.recorded.arrays import check_shape, read_arrays


def message(path, match, **arrays):
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=match):
        read_arrays(path, ("a", "b"), "an .npz of the flow")


def test_what_is_wrong_is_said_in_one_line(tmp_path):
    path = tmp_path / "odd.npz"
    with pytest.raises(InputError, match=r"there is no file .*odd\.npz; pass an \.npz of the flow"):
        read_arrays(path, (), "an .npz of the flow")
    message(path, "has no array `b`; it needs a, b", a=np.zeros(2))
    message(path, "`b` must be numbers, got <U1", a=np.zeros(2), b=np.array(["x"]))
    message(path, "`a` contains NaN or infinity", a=np.array([np.nan]), b=np.zeros(2))
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(InputError, match="as an archive of plain arrays"):
        read_arrays(path, (), "an .npz of the flow")


def test_objects_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "o.npz", a=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="as an archive of plain arrays"):
        read_arrays(tmp_path / "o.npz", ("a",), "numbers")


def test_shapes(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, a=np.ones((4, 3), dtype=int))
    arrays = read_arrays(path, ("a",), "numbers")
    assert check_shape(path, arrays, "a", (None, 3)).dtype == np.float64
    for shape in ((None, 2), (4,), (5, 3)):
        with pytest.raises(InputError, match=r"`a` must have shape \(.*\), got \(4, 3\)"):
            check_shape(path, arrays, "a", shape)
