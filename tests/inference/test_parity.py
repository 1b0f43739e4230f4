"""Pseudovectors that were called vectors are named, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

import softsym as ss
from softsym.inference.parity import has_reflections, rotation_subgroup

N = 300
CURL = np.zeros((3, 9))
for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    CURL[a, 3 * b + c], CURL[a, 3 * c + b] = 1.0, -1.0


def cross(X, first, second):
    return np.cross(X[:, first : first + 3], X[:, second : second + 3])


def square(X, start):
    return (X[:, start : start + 3] ** 2).sum(axis=1, keepdims=True)


AXIAL = {  # columns, function, types as given and as they are, and what is named
    "torque": (6, lambda X: cross(X, 0, 3), "2V", "V", "2V", "pV", "output columns 0..2"),
    "Lorentz": (9, lambda X: X[:, :3] + cross(X, 3, 6), "3V", "V", "2V + pV", "V", "input columns 6..8"),
    "Coriolis": (6, lambda X: -2 * cross(X, 0, 3), "2V", "V", "pV + V", "V", "input columns 0..2"),
    "rotating frame": (
        9,
        lambda X: -2 * cross(X, 0, 6) - np.cross(X[:, :3], cross(X, 0, 3)),
        "3V",
        "V",
        "pV + 2V",
        "V",
        "input columns 0..2",
    ),
    "vorticity": (9, lambda X: X @ CURL.T, "T(2)", "V", "T(2)", "pV", "output columns 0..2"),
    "angular momentum": (7, lambda X: X[:, :1] * cross(X, 1, 4), "S + 2V", "V", "S + 2V", "pV", "output columns 0..2"),
    "Magnus": (
        6,
        lambda X: 0.5 * cross(X, 3, 0) - 0.3 * np.sqrt(square(X, 0)) * X[:, :3],
        "2V",
        "V",
        "V + pV",
        "V",
        "input columns 3..5 transform as a pseudovector (pV), you said a vector",
    ),
    "Biot-Savart": (6, lambda X: cross(X, 3, 0) / (1 + square(X, 0)), "2V", "V", "2V", "pV", "output columns 0..2"),
    "precession": (
        6,
        lambda X: cross(X, 0, 3) - 0.5 * X[:, 3:],
        "2V",
        "V",
        "pV + V",
        "V",
        "input columns 0..2 transform as a pseudovector (pV), you said a vector",
    ),
    "two torques": (
        12,
        lambda X: cross(X, 0, 6) + cross(X, 3, 9),
        "4V",
        "V",
        "4V",
        "pV",
        "output columns 0..2 transform as a pseudovector (pV), you said a vector",
    ),
}


@pytest.mark.parametrize("name", AXIAL)
def test_pseudovectors_are_named(name):
    columns, function, rep_in, rep_out, true_in, true_out, named = AXIAL[name]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, columns))
    Y = function(X)
    Y = Y + 0.03 * Y.std() * rng.standard_normal(Y.shape)
    (row,) = ss.evidence(X, Y, rep_in, rep_out, ["O(3)"])
    assert row.verdict == "absent"
    assert named in row.note
    assert "as a pseudovector (pV), you said a vector" in row.note
    (right,) = ss.evidence(X, Y, true_in, true_out, ["O(3)"])
    assert right.verdict == "exact"


@pytest.mark.parametrize(
    "function",
    [
        lambda X: X[:, :3] + X[:, 3:] + cross(X, 0, 3),  # only if all are pseudovectors, and reflections rotations
        lambda X: cross(X, 0, 3) + np.array([0.0, 0.0, 2.0]),  # rotations do not hold
        lambda X: X[:, :3] * np.array([1.0, 2.0, 3.0]),
    ],
)
def test_other_violations_name_nothing(function):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, 6))
    Y = function(X)
    (row,) = ss.evidence(X, Y + 0.03 * rng.standard_normal(Y.shape), "2V", "V", ["O(3)"])
    assert row.verdict in ("absent", "soft")
    assert "transform" not in row.note


def test_rotation_subgroups():
    assert rotation_subgroup(ss.O(3)) == ss.SO(3)
    assert not has_reflections(rotation_subgroup(ss.D(6)))
    assert rotation_subgroup(ss.D(6)).order == 6
    assert has_reflections(ss.O(2).about("z"))
    assert not has_reflections(ss.SO(3))
