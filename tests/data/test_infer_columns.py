"""Vectors inferred from names."""

import pytest

from softsym.data.columns import explain_missing_options, group_names, infer_columns


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["px", "py", "pz"], [("px", "py", "pz")]),
        (["x", "y"], [("x", "y")]),
        (["force_x", "force_y", "force_z", "index"], [("force_x", "force_y", "force_z"), ("index",)]),
        (["X1", "Y1", "Z1", "X2", "Y2", "Z2"], [("X1", "Y1", "Z1"), ("X2", "Y2", "Z2")]),
        (["mass", "max"], [("mass",), ("max",)]),
        (["x1", "x2", "y1", "y2"], [("x1", "y1"), ("x2", "y2")]),
    ],
)
def test_names_of_one_vector(names, expected):
    assert group_names(names) == expected


def test_representations_follow_the_order_of_columns():
    x, y = infer_columns(["x1", "y1", "z1", "m", "q", "vx", "vy", "vz", "ax", "ay", "az"])
    assert (x.rep, y.rep) == ("V + 2S + V", "V")
    assert x.columns == ("x1", "y1", "z1", "m", "q", "vx", "vy", "vz")


def test_no_guess_without_two_vectors():
    assert infer_columns(["a", "b"]) is None
    assert infer_columns(["x", "y", "z"]) is None
    assert infer_columns(["x1", "y1", "z1", "u_x", "u_y"]) is None
    assert "a guess" not in explain_missing_options("f.csv", ["a", "b"], ())


def test_advice_is_a_command_to_copy():
    text = explain_missing_options("f.csv", ["x1", "y1", "z1", "fx", "fy", "fz"], ())
    assert "its columns are x1, y1, z1, fx, fy, fz" in text
    assert "softsym discover f.csv --x-columns x1,y1,z1 --y-columns fx,fy,fz --in V --out V" in text


@pytest.mark.parametrize("stem", ["omega_", "torque_", "B", "B_", "spin_", "angular_momentum_", "angular_velocity1_"])
def test_pseudovectors_by_name(stem):
    x, y = infer_columns([*(f"r{axis}" for axis in "xyz"), *(f"{stem}{axis}" for axis in "xyz")])
    assert (x.rep, y.rep) == ("V", "pV")


@pytest.mark.parametrize("stem", ["b", "bar_", "spinach_", "v"])
def test_other_names_are_vectors(stem):
    assert infer_columns([f"{first}{axis}" for first in ("r", stem) for axis in "xyz"])[1].rep == "V"
