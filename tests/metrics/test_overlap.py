import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.metrics.transform import OrbitOverlap, nearest, orbit_overlap, sample_nontrivial, transform_rows

SIZES = [50, 300, 3000]


def cone(n, half_angle=0.2, vectors=1, seed=0):
    """Vectors that all point nearly up."""
    rng = np.random.default_rng(seed)
    height = rng.uniform(np.cos(half_angle), 1.0, n * vectors)
    angle, side = rng.uniform(0, 2 * np.pi, n * vectors), np.sqrt(1 - height**2)
    directions = np.stack([side * np.cos(angle), side * np.sin(angle), height], axis=1)
    return (directions * rng.uniform(0.5, 1.5, (n * vectors, 1))).reshape(n, -1)


def isotropic(n, columns, seed=0):
    return np.random.default_rng(seed).standard_normal((n, columns))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("rep", ["V", "5S + 5V", "T(2)"])
@pytest.mark.parametrize("group", ["O(3)", "O(2)@z", "C(4)@x"])
def test_isotropic_data_cover_rotations(n, rep, group):
    X = isotropic(n, ss.rep(rep).size(group))
    assert orbit_overlap(X, rep, group).value > 0.85


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("vectors", [1, 5])
def test_a_cone_covers_rotations_about_its_axis_only(n, vectors):
    X = cone(n, vectors=vectors)
    rep = f"{vectors}V"
    assert orbit_overlap(X, rep, "O(3)").value < 0.1
    assert orbit_overlap(X, rep, "O(2)@x").grade == "hardly"
    assert orbit_overlap(X, rep, "O(2)@z").value > 0.85


@pytest.mark.parametrize("n", SIZES)
def test_flat_data_in_many_dimensions(n):
    X = (isotropic(n, 18).reshape(n, 6, 3) * [1.0, 1.0, 0.03]).reshape(n, 18)
    assert orbit_overlap(X, "6V", "O(3)").value < 0.1
    assert orbit_overlap(X, "6V", "O(2)@z").value > 0.85


def test_wider_cones_cover_more():
    values = [orbit_overlap(cone(1000, angle), "V", "O(3)").value for angle in (0.1, 0.5, 1.0, 2.0, np.pi)]
    assert values == sorted(values)
    assert values[0] < 0.05
    assert values[-1] > 0.9


def test_all_vectors_up_is_seen_in_their_mean():
    X = (isotropic(1000, 60).reshape(-1, 20, 3) + np.array([0, 0, 1])).reshape(-1, 60)
    assert orbit_overlap(X, "20V", "O(3)").grade == "hardly"
    assert orbit_overlap(X, "20V", "O(2)@z").grade == "well"


def test_a_scalar_that_tells_the_direction():
    v = isotropic(1000, 3)
    assert orbit_overlap(np.column_stack([v[:, 2], v]), "S + V", "O(2)@z").value > 0.85
    assert orbit_overlap(np.column_stack([v[:, 2], v]), "S + V", "O(3)").value < 0.6
    assert orbit_overlap(np.column_stack([np.linalg.norm(v, axis=1), v]), "S + V", "O(3)").value > 0.85


def test_groups_of_two_elements_are_not_covered_by_the_identity():
    X = np.abs(isotropic(500, 3)) + 0.5
    assert orbit_overlap(X, "V", "Group('flip', discrete=[[[-1,0,0],[0,-1,0],[0,0,-1]]])").value < 0.05
    assert orbit_overlap(X, "V", "S(3)").value > 0.85


def test_scaling_and_the_orbits_of_non_compact_groups():
    assert orbit_overlap(np.exp(np.random.default_rng(0).uniform(-6, 6, (1000, 1))), "V", "Scaling(1)").value > 0.5
    sphere = isotropic(1000, 9)
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    assert orbit_overlap(sphere, "3V", "Scaling(3)").value < 0.4


def test_a_tiny_offset_does_not_count():
    steps = isotropic(1000, 18).reshape(-1, 6, 3)
    centred = steps - steps.mean(axis=1, keepdims=True)
    assert orbit_overlap((centred + np.array([0.0, 0.02, 0.0])).reshape(-1, 18), "6V", "O(2)@z").value > 0.8
    assert orbit_overlap((centred + np.array([0.0, 2.0, 0.0])).reshape(-1, 18), "6V", "O(2)@z").value < 0.2


@pytest.mark.parametrize(("rep", "group"), [("4S", "O(3)"), ("V", "Trivial(4)"), ("0", "O(3)")])
def test_groups_that_do_not_act(rep, group):
    X = isotropic(100, ss.rep(rep).size(group))
    X = X if X.shape[1] else np.zeros((100, 0))
    if rep == "0":
        with pytest.raises(InputError, match="overlap of 1 different rows cannot be estimated"):
            orbit_overlap(X, rep, group)
        return
    found = orbit_overlap(X, rep, group)
    assert (found.value, found.grade) == (1.0, "still")
    assert "does not act on these data" in found.meaning


def test_same_seed_same_value():
    X = cone(300, 1.0)
    assert orbit_overlap(X, "V", "O(3)", seed=3) == orbit_overlap(X, "V", "O(3)", seed=3)
    assert orbit_overlap(X, "V", "O(3)", seed=3) != orbit_overlap(X, "V", "O(3)", seed=4)


def test_repeated_rows_count_once():
    X = isotropic(200, 3)
    assert orbit_overlap(np.repeat(X, 20, axis=0), "V", "O(3)").value > 0.85


def test_units_do_not_matter():
    X = isotropic(500, 4)
    big = X * [1e6, 1e-3, 1e-3, 1e-3]
    assert abs(orbit_overlap(big, "S + V", "O(3)").value - orbit_overlap(X, "S + V", "O(3)").value) < 1e-6


def test_refusals():
    with pytest.raises(InputError, match="overlap of 19 different rows cannot be estimated; at least 20"):
        orbit_overlap(isotropic(19, 3), "V", "O(3)")
    with pytest.raises(InputError, match="`rep` has size 3"):
        orbit_overlap(isotropic(50, 4), "V", "O(3)")


@pytest.mark.parametrize(("value", "grade"), [(1.0, "well"), (0.7, "well"), (0.5, "partly"), (0.1, "hardly")])
def test_grades(value, grade):
    found = OrbitOverlap("O(3)", value)
    assert found.grade == grade
    assert ("cannot refute" in found.meaning) is (grade == "hardly")


@pytest.mark.parametrize("group", ["SO(2) * S(3)", "C(4)@z", "O(3)", "SL(3)"])
def test_transform_rows_against_whole_matrices(group):
    G = ss.group(group)
    rep = ss.rep("2S + 3V + T(2) + V" if G.dim == 3 else "S + 2V")
    X, parts = isotropic(30, rep.size(G)), G.sample_parts(30, seed=0)
    expected = np.einsum("nij,nj->ni", rep.rho(G, tuple(parts)), X)
    np.testing.assert_allclose(transform_rows(rep, G, parts, X), expected, atol=1e-12)


def test_sample_nontrivial():
    (found,) = sample_nontrivial(ss.rep("V"), ss.S(2), 50, np.random.default_rng(0))
    np.testing.assert_array_equal(found, np.tile([[0.0, 1.0], [1.0, 0.0]], (50, 1, 1)))
    flip = ss.Group.from_generators(discrete=[-np.eye(3)], name="flip")
    assert sample_nontrivial(ss.rep("T(2)"), flip, 5, np.random.default_rng(0)) is None


def test_nearest_against_sorting():
    points = isotropic(60, 4)
    distance = np.linalg.norm(points[:, None] - points[None], axis=-1)
    expected = np.argsort(distance, axis=1)[:, 1:6]
    np.testing.assert_array_equal(np.sort(nearest(points, 5)), np.sort(expected))
