"""Points under affine groups: translations and rigid motions get verdicts of their own, mixed with groups of vectors."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.inference.points import act_on_points, lift, linear_part, read_columns

CANDIDATES = ["SE(3)", "Translation(3)", "O(3)"]


def verdicts(X, Y, rep_in, rep_out, groups=CANDIDATES):
    return {row.name: row.verdict for row in ss.evidence(X, Y, rep_in, rep_out, groups)}


@pytest.fixture(scope="module")
def masses():
    """Two masses on a spring: positions, velocities, forces on the first."""
    rng = np.random.default_rng(1)
    points, velocities = rng.standard_normal((2, 300, 6))
    apart = points[:, :3] - points[:, 3:]
    force = -apart * np.tanh((apart**2).sum(axis=1, keepdims=True))
    return points, velocities, force + 0.01 * rng.standard_normal(force.shape)


def test_masses_on_a_spring_have_rigid_motions_and_rotations(masses):
    points, _, force = masses
    assert verdicts(points, force, "2P", "D") == {"SE(3)": "exact", "Translation(3)": "exact", "O(3)": "exact"}
    far = verdicts(points + [100.0, 0.0, 0.0] * 2, force, "2P", "D", ["SE(3)", "Translation(3)"])
    assert far == {"SE(3)": "exact", "Translation(3)": "exact"}


def test_a_trap_breaks_translations_alone(masses):
    points, _, force = masses
    found = verdicts(points, force - 0.5 * points[:, :3], "2P", "D")
    assert found["O(3)"] == "exact"
    assert found["SE(3)"] in ("soft", "absent")
    assert found["Translation(3)"] in ("soft", "absent")


def test_a_projectile_has_translations_and_no_rotations():
    rng = np.random.default_rng(0)
    X, step = rng.standard_normal((300, 6)) * [3.0, 3.0, 3.0, 1.0, 1.0, 1.0], 0.2
    Y = X[:, :3] + step * X[:, 3:] + [0.0, 0.0, -4.9 * step**2] + 0.002 * rng.standard_normal((300, 3))
    found = verdicts(X, Y, "P + D", "P", [*CANDIDATES, "SE(2)@z"])
    assert found == {"SE(3)": "absent", "Translation(3)": "exact", "O(3)": "absent", "SE(2)@z": "exact"}


def test_columns_of_points_are_differences_and_a_mean_point():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((4, 10)), rng.standard_normal((4, 3))
    found = read_columns(X, Y, ss.rep("S + 3P"), ss.rep("P"), [ss.E(3), ss.Translation(3), ss.SO(3)])
    assert str(found.rep_in) == "S + 3V"
    assert [action.has_translations for action in found.actions] == [True, True, False]
    assert [str(action.rep_in) for action in found.actions] == ["S + 2V", "S + 2V", "S + 3V"]
    by = np.array([1.0, 2.0, 3.0])
    moved = X + np.concatenate([[0.0], np.tile(by, 3)])
    again = read_columns(moved, Y + by, ss.rep("S + 3P"), ss.rep("P"), [ss.E(3)])
    assert np.allclose(again.X[:, :-3], found.X[:, :-3])
    assert np.allclose(again.Y, found.Y)
    assert np.allclose(again.X[:, -3:] - found.X[:, -3:], by)


def test_linear_parts_and_lifted_groups():
    assert linear_part(ss.SE(2))[0] == ss.SO(2)
    about, directions = linear_part(ss.group("SE(2)@z"))
    assert about == ss.group("SO(2)@z")
    assert np.allclose(directions.T @ directions, np.diag([1.0, 1.0, 0.0]))
    assert linear_part(lift(ss.O(3)))[0] == ss.O(3)
    assert len(linear_part(lift(ss.O(3)))[1]) == 0
    plane = np.zeros((2, 4, 4))
    plane[0, 0, 3] = plane[1, 1, 3] = 1.0
    shifts = ss.Group.from_generators(lie_algebra=plane, name="shifts of the plane")
    _, directions = linear_part(shifts)
    assert np.allclose(directions.T @ directions, np.diag([1.0, 1.0, 0.0]))
    with pytest.raises(InputError, match=r"O\(2\) acts on R\^2, the points are in R\^3"):
        act_on_points(ss.O(2), [ss.Trivial(3)])


def test_what_does_not_fit_is_refused():
    X, Y = np.random.default_rng(0).standard_normal((2, 30, 6))
    with pytest.raises(InputError, match="`Y` has 6 columns, P in 3 dimensions has 3"):
        ss.evidence(X, Y, "2P", "P", ["SE(3)"])
    with pytest.raises(InputError, match="has no points P"):
        ss.evidence(X, Y[:, :3], "2D", "P", ["SE(3)"])


def test_even_functions_of_differences_keep_their_translations():
    """Polynomials explain nothing of the cosine of an angle; smooth features that are tried after them must not be judged by that."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((300, 3, 3))
    a, b = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    lengths = np.sqrt((0.3 + (a * a).sum(axis=1)) * (0.3 + (b * b).sum(axis=1)))
    cosine = ((a * b).sum(axis=1) / lengths)[:, None]
    homogeneous = np.concatenate([points, np.ones((300, 3, 1))], axis=2).reshape(300, 12)
    noise = 0.05 * cosine.std() * rng.standard_normal(cosine.shape)
    found = verdicts(homogeneous, cosine + noise, "3V", "S", ["E(3)", "Translation(3)"])
    assert set(found.values()) <= {"exact", "undecided"}


def test_particles_that_are_points():
    """Exchanges, rotations and translations of the points themselves, in one list of candidates."""
    rng = np.random.default_rng(0)
    masses, points = (
        rng.uniform(1.0, 2.0, (400, 3)),
        rng.standard_normal((400, 3, 3)) + rng.standard_normal((400, 1, 3)),
    )
    pairs = [(0, 1), (0, 2), (1, 2)]
    squares = np.stack([((points[:, i] - points[:, j]) ** 2).sum(axis=1) for i, j in pairs], axis=1)
    energy = (np.stack([masses[:, i] * masses[:, j] for i, j in pairs], axis=1) * np.exp(-squares / 4.0)).sum(axis=1)
    X, noise = np.concatenate([masses, points.reshape(400, 9)], axis=1), 0.01 * rng.standard_normal(400)
    found = verdicts(X, (energy + noise)[:, None], "3x(S + P)", "S", ["E(3)", "E(3) * S(3)", "S(3)"])
    assert found == {"E(3)": "exact", "E(3) * S(3)": "exact", "S(3)": found["S(3)"]}
    assert found["S(3)"] in ("exact", "undecided")
    found = verdicts(X, (energy + 0.5 * points[:, 0, 0])[:, None], "3x(S + P)", "S", ["Translation(3)", "S(3)"])
    assert found["Translation(3)"] != "exact"
    assert found["S(3)"] != "exact"


@pytest.mark.parametrize("seed", range(3))
def test_translations_are_not_refuted_by_what_features_cannot_follow(seed):
    """A centre of mass without noise: features without rotations follow it to 3 % only, and none of that depends on where it is."""
    rng = np.random.default_rng(seed)
    masses, points = (
        rng.uniform(1.0, 2.0, (500, 4)),
        rng.standard_normal((500, 4, 3)) + rng.standard_normal((500, 1, 3)),
    )
    centre = (masses[..., None] * points).sum(axis=1) / masses.sum(axis=1)[:, None]
    X = np.concatenate([masses, points.reshape(500, 12)], axis=1)
    table = ss.evidence(X, centre, "4S + 4P", "P", ["SE(3)", "Translation(3)"])
    assert table["SE(3)"].verdict == "exact"
    assert table["Translation(3)"].p_value > 1e-3


@pytest.mark.parametrize(("rows", "seed"), [(600, 0), (600, 1), pytest.param(60_000, 0, marks=pytest.mark.slow)])
def test_translations_hold_where_velocities_depend_on_positions(rows, seed):
    """Drag: what smooth features cannot follow of it is a function of the velocity, which tells much about the position."""
    rng = np.random.default_rng(seed)
    position = 2.0 * rng.standard_normal((rows, 3))
    velocity = np.cross([0.0, 0.0, 1.0], position) + 0.5 * position + 0.4 * rng.standard_normal((rows, 3))
    air = velocity - [1.0, 0.0, 0.0]
    drag = -np.linalg.norm(air, axis=1, keepdims=True) * air
    X, noise = np.concatenate([position, velocity], axis=1), 0.1 * rng.standard_normal(drag.shape)
    table = ss.evidence(X, drag + noise, "P + D", "V", ["Translation(3)"])
    assert table["Translation(3)"].p_value > 1e-3
    thinner = drag * np.exp(-0.15 * position[:, 2:])
    table = ss.evidence(X, thinner + noise, "P + D", "V", ["Translation(3)"])
    assert table["Translation(3)"].p_value < 1e-3
