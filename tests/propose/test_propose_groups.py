"""`ss.propose` from end to end."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.propose import propose_candidates
from softsym.propose.algebra import angle
from softsym.propose.propose_groups import usual_groups
from tests.propose.target_functions import TARGETS, rows


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("rotated", [False, True])
def test_algebras_that_theory_knows(name, rotated):
    X, Y, rep_in, rep_out, Q = rows(name, 300, 0.02, rotated=rotated)
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
    assert found.groups[:2] == (ss.E(3), ss.SE(3))
    centre = ss.propose(X, (X[:, :3] + 2 * X[:, 3:]) / 3, "2P", "P")
    assert len(centre.generators) == 12  # all affine maps
    fixed = ss.propose(X, X[:, :3] * np.sum(X[:, 3:] ** 2, axis=1, keepdims=True), "2P", "V")
    assert fixed.algebra == "so(3)"


def spring(n, noise):
    """Two masses on a spring of length one, a tenth of a period later."""
    rng = np.random.default_rng(0)
    start = rng.standard_normal((n, 12))
    x, y, v, w = np.split(start.copy(), 4, axis=1)
    for _ in range(20):
        length = np.linalg.norm(y - x, axis=1, keepdims=True)
        force = 0.01 * (length - 1) * (y - x) / length
        v, w = v + force, w - force
        x, y = x + 0.005 * v, y + 0.005 * w
    Y = np.concatenate([x, y, v, w], axis=1)
    return start, Y + noise * Y.std() * rng.standard_normal(Y.shape)


def test_motion_that_is_nearly_the_identity_does_not_respect_every_matrix():
    found = ss.propose(*spring(160, 0.001), "4V", "4V")
    assert len(found.generators) <= 3
    assert all(group.is_orthogonal for group in found.groups)


def test_a_nearly_linear_target_function_has_one_rotation():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    apart = X - [0.0, 0.0, 0.5]
    Y = X - 0.05 * apart * np.linalg.norm(apart, axis=1, keepdims=True)
    found = ss.propose(X, Y + 0.001 * Y.std() * rng.standard_normal(Y.shape), "V", "V")
    assert (found.algebra, len(found.generators)) == ("so(2)", 1)


def test_candidates_for_a_fit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    listed = propose_candidates(X, np.cross(X[:, :3], X[:, 3:]), "2V", "V")
    assert ss.SO(3) in listed.groups
    with_exchanges = propose_candidates(X, np.cross(X[:, :3], X[:, 3:]), "2x(V)", "V")
    assert with_exchanges.describe() == "the data propose SO(3); S(2) is judged too"
    assert with_exchanges.groups[-1] == ss.Trivial(3) * ss.S(2)
    nothing = propose_candidates(X, rng.standard_normal((200, 3)), "2V", "V")
    assert nothing.usual == nothing.groups == (ss.O(3), *(ss.O(2).about(axis) for axis in "zyx"))
    assert "no group (the fit explains only" in nothing.describe()


def test_row_groups_stay_together():
    X, Y, rep_in, rep_out, _ = rows("cross product", 200, 0.02)
    labels = np.repeat(np.arange(20), 10)
    assert ss.propose(X, Y, rep_in, rep_out, row_groups=labels).algebra == "so(3)"
    with pytest.raises(InputError, match="all rows are of one row group"):
        ss.propose(X, Y, rep_in, rep_out, row_groups=np.zeros(200))
    with pytest.raises(InputError, match="one label for each of 200 rows"):
        ss.propose(X, Y, rep_in, rep_out, row_groups=labels[:5])


def test_constant_outputs():
    assert (
        ss.propose(np.random.default_rng(0).standard_normal((30, 3)), np.ones((30, 1)), "V", "S").note
        == "the outputs do not vary"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.ones((5, 3))}, "5 rows and `Y` has 30"),
        ({"X": np.ones((5, 3)), "Y": np.ones((5, 1))}, "at least 20 are needed"),
        ({"X": np.full((30, 3), np.nan)}, "`X` is nan in row 0"),
        ({"tolerance": 0.0}, "`tolerance` must be positive"),
        ({"rep_in": "2V"}, "3 input and 1 output columns are not 2V"),
    ],
)
def test_refusals(change, message):
    given = {"X": np.ones((30, 3)), "Y": np.ones((30, 1)), "rep_in": "V", "rep_out": "S", **change}
    with pytest.raises(InputError, match=message):
        ss.propose(**given)


def test_a_function_that_grows_with_its_inputs_is_scaling():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    Y = np.sqrt(X**2 + 0.5 * np.sum(X**2, axis=1, keepdims=True))
    found = ss.propose(X, Y + 0.02 * Y.std() * rng.standard_normal(Y.shape), "V", "V")
    assert found.algebra == "scaling"


def test_usual_groups_are_those_about_coordinate_axes_in_space_only():
    assert usual_groups(3, ss.SO) == (ss.SO(3), *(ss.group(f"SO(2)@{axis}") for axis in "zyx"))
    assert usual_groups(4, ss.O) == (ss.O(4),)
