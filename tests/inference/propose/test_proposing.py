"""`ss.propose` from end to end."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.inference.propose.algebra.closure import angle
from tests.inference.propose.target_functions import TARGETS, rows


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("rotated", [False, True])
def test_algebras_that_theory_knows(name, rotated):
    X, Y, rep_in, rep_out, Q = rows(name, 400, 0.02, rotated=rotated)
    found = ss.propose(X, Y, rep_in, rep_out)
    assert found.algebra == TARGETS[name][4]
    for group in found.groups:
        assert ss.group(str(group)) == group
    if name == "along z":
        truth = np.einsum("ij,kjl,ml->kim", Q, ss.SO(2).about("z").lie_algebra, Q)
        assert angle(found.generators, truth) < 3.0


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_claimed_on_pure_noise(seed):
    rng = np.random.default_rng(seed)
    found = ss.propose(rng.standard_normal((200, 6)), rng.standard_normal((200, 3)), "2V", "V")
    assert (len(found.generators), found.groups) == (0, ())
    assert "explains only" in found.note


def test_an_algebra_that_has_no_name_gets_none():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    Y = X[:, :1] * X[:, 1:2] + 0.1 * X[:, :1] ** 2 * X[:, 1:2] ** 2
    found = ss.propose(X, Y, "V", "S")  # squeezes of the plane, and whatever moves z alone
    assert "unnamed" in found.algebra
    assert len(found.generators) == 4


def test_translations_of_points():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    apart = X[:, :3] - X[:, 3:]
    Y = apart * np.sum(apart**2, axis=1, keepdims=True) / 4
    found = ss.propose(X, Y + 0.01 * Y.std() * rng.standard_normal(Y.shape), "2P", "V")
    assert found.algebra == "se(3)"
    assert found.groups[0] == ss.SE(3)
    centre = ss.propose(X, (X[:, :3] + 2 * X[:, 3:]) / 3 + 0.01 * rng.standard_normal((300, 3)), "2P", "P")
    assert len(centre.generators) == 12  # all affine maps
    fixed = ss.propose(X, X[:, :3] * np.sum(X[:, 3:] ** 2, axis=1, keepdims=True), "2P", "V")
    assert fixed.algebra == "so(3)"


def test_constant_outputs():
    assert (
        ss.propose(np.random.default_rng(0).standard_normal((30, 3)), np.ones((30, 1)), "V", "S").note
        == "the outputs do not vary"
    )


@pytest.mark.parametrize(("change", "message"), [
    ({"X": np.ones((5, 3))}, "5 rows and `Y` has 30"),
    ({"X": np.ones((5, 3)), "Y": np.ones((5, 1))}, "at least 20 are needed"),
    ({"X": np.full((30, 3), np.nan)}, "contains NaN"),
    ({"tolerance": 0.0}, "`tolerance` must be positive"),
    ({"rep_in": "2V"}, "3 input and 1 output columns are not 2V"),
])  # fmt: skip
def test_refusals(change, message):
    given = {"X": np.ones((30, 3)), "Y": np.ones((30, 1)), "rep_in": "V", "rep_out": "S", **change}
    with pytest.raises(InputError, match=message):
        ss.propose(**given)


def test_rotations_are_listed_next_to_an_algebra_without_a_name():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    found = ss.propose(X, X + [0.4, 0.8, 0.0] + 0.01 * rng.standard_normal(X.shape), "V", "V")
    assert found.algebra == "unnamed, dimension 6"
    assert any(group.name.startswith("SO(2)@(0.4") for group in found.groups)


def test_a_function_that_grows_with_its_inputs_is_scaling():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 3))
    Y = np.sqrt(X**2 + 0.5 * np.sum(X**2, axis=1, keepdims=True))
    found = ss.propose(X, Y + 0.02 * Y.std() * rng.standard_normal(Y.shape), "V", "V")
    assert found.algebra == "scaling"
