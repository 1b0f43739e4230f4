"""Statements about every element of a group: calibrated under the null hypothesis, and not fooled by finite subgroups."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.exactness import Exactness, measure_exactness
from softsym.inference.shape import join_equal_inputs, output_blocks
from softsym.inference.verdict import LEAST_RESOLUTION, confirm_exact


def rows(target, n, noise, seed, d=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    t = target(X)
    return X, (t + noise * t.std() * rng.standard_normal(n))[:, None]


def polygon(corners, size):
    return lambda X: (X**2).sum(1) + size * np.cos(corners * np.arctan2(X[:, 1], X[:, 0]))


def icosahedral(X):
    phi = (1 + 5**0.5) / 2
    axes = np.array(
        [[0, 1, phi], [0, 1, -phi], [1, phi, 0], [1, -phi, 0], [phi, 0, 1], [phi, 0, -1]]
    ) / np.sqrt(1 + phi**2)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.linalg.norm(X, axis=1) + 3 * ((unit @ axes.T) ** 6).sum(1)


@pytest.mark.parametrize(
    ("target", "group", "d"),
    [
        (polygon(8, 0.5), "SO(2)", 2),
        (polygon(4, 0.5), "O(2)", 2),
        (icosahedral, "SO(3)", 3),
        (lambda X: (X**4).sum(1), "SO(4)", 4),
    ],
    ids=["octagon", "square", "icosahedron", "fourth powers"],
)
def test_functions_with_a_finite_subgroup_only_are_not_exact(target, group, d):
    X, Y = rows(target, 400, 0.05, 0, d)
    found = measure_exactness(X, Y, ss.rep("V"), ss.rep("S"), ss.group(group))
    assert confirm_exact(found, found.p_value, 0.05)[0] != "exact"
    assert found.interval[1] > 0.1


def test_an_octagon_is_soft_through_the_evidence():
    X, Y = rows(polygon(8, 0.5), 300, 0.05, 0)
    row = ss.evidence(X, Y, "V", "S", ["SO(2)"])[0]
    assert row.verdict in ("soft", "undecided")
    assert row.interval[1] > 0.1


@pytest.mark.parametrize("uneven", [False, True])
def test_score_test_is_calibrated(uneven):
    """Twelve null sets on even and on elliptic inputs: z-scores have about unit variance and no mean."""
    z = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((150, 2)) * ([1.0, 0.3] if uneven else 1.0)
        t = np.sin(2 * np.linalg.norm(X, axis=1))
        Y = (t + 0.1 * t.std() * rng.standard_normal(150))[:, None]
        z.append(measure_exactness(X, Y, ss.rep("V"), ss.rep("S"), ss.SO(2), seed=seed).p_value)
    assert np.mean(np.array(z) < 0.05) <= 0.25
    assert min(z) > 1e-4


def test_what_holds_is_confirmed():
    X, Y = rows(lambda X: np.sin(2 * np.linalg.norm(X, axis=1)), 300, 0.05, 0)
    found = measure_exactness(X, Y, ss.rep("V"), ss.rep("S"), ss.SO(2))
    assert confirm_exact(found, found.p_value, 0.05) == ("exact", "")
    assert found.resolution > 0.7


def test_orbits_that_no_row_visits_are_not_resolved():
    X, Y = rows(lambda X: np.sin(X[:, 1]) + X[:, 0] ** 2, 300, 0.05, 0)
    X[:, 0] = np.abs(X[:, 0])
    found = measure_exactness(
        X, Y, ss.rep("V"), ss.rep("S"), ss.group("Group('mirror', discrete=[[[-1,0],[0,1]]])")
    )
    assert found.resolution < LEAST_RESOLUTION
    assert confirm_exact(found, 1.0, 0.05)[0] == "undecided"


def test_few_rows_resolve_nothing():
    X, Y = rows(polygon(4, 0.0), 9, 0.0, 0)
    assert measure_exactness(X, Y, ss.rep("V"), ss.rep("S"), ss.SO(2)).resolution == 0.0


def test_vectors_and_tensors():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    Y = np.cross(X[:, :3], X[:, 3:]) + 0.02 * rng.standard_normal((200, 3))
    held, broken = (
        measure_exactness(X, Y, ss.rep("2V"), ss.rep("V"), ss.group(g)) for g in ("SO(3)", "O(3)")
    )
    assert held.interval[1] < 0.05
    assert held.p_value > 1e-3
    assert broken.p_value < 1e-6
    assert broken.interval[0] > 0.5


def test_the_same_seed_gives_the_same_statements():
    X, Y = rows(polygon(8, 0.2), 100, 0.1, 1)
    first, second = (measure_exactness(X, Y, ss.rep("V"), ss.rep("S"), ss.SO(2), seed=4) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("found", "p", "verdict"),
    [
        (Exactness(0.5, (0.0, 0.02), (0.0, 0.001), 0.9, 300), 0.5, "exact"),
        (Exactness(0.5, (0.0, 0.2), (0.0, 0.001), 0.9, 300), 0.5, "undecided"),
        (Exactness(0.5, (0.0, 0.02), (0.001, 0.01), 0.9, 300), 0.5, "undecided"),
        (Exactness(0.5, (0.0, 0.02), (-0.1, 0.1), 0.9, 300), 0.5, "exact"),
        (Exactness(0.5, (0.0, 0.02), (0.0, 0.001), 0.3, 300), 0.5, "undecided"),
        (Exactness(1e-3, (0.1, 0.2), (0.0, 0.01), 0.9, 300), 1e-3, "soft"),
        (Exactness(1e-3, (0.0, 0.02), (0.0, 0.001), 0.9, 300), 1e-3, "exact"),
        (Exactness(1e-9, (0.0, 0.02), (0.0, 0.001), 0.9, 300), 1e-9, "soft"),
        (Exactness(1e-9, (0.3, 0.4), (0.1, 0.2), 0.9, 300), 1e-9, "absent"),
        (Exactness(1e-9, (0.2, 0.4), (0.1, 0.2), 0.9, 300), 1e-9, "undecided"),
    ],
)
def test_the_rule(found, p, verdict):
    assert confirm_exact(found, p, 0.05)[0] == verdict


def test_equal_inputs_belong_together():
    X = np.array([[0.0], [1.0], [0.0], [2.0], [2.0], [3.0]])
    assert join_equal_inputs(X, None).tolist() == [0, 1, 0, 2, 2, 3]
    assert join_equal_inputs(X, np.array([0, 0, 1, 1, 2, 3])).tolist() == [0, 0, 0, 0, 0, 1]


def test_blocks_of_outputs_have_unit_size():
    Y = np.random.default_rng(0).standard_normal((50, 8)) * [1, 1e3, 2, 2, 2, 1e-3, 1e-3, 1e-3]
    sizes = [
        np.sqrt((values**2).sum(axis=1).mean(axis=0))
        for _, values in output_blocks(Y, ss.rep("2S + 2V"), ss.O(3))
    ]
    for size in sizes:
        np.testing.assert_allclose(size, 1.0)


def test_what_holds_for_a_group_holds_for_its_subgroups():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 6))
    Y = np.cross(X[:, :3], X[:, 3:]) + 0.05 * rng.standard_normal((90, 3))
    table = ss.evidence(X, Y, "2V", "V", ["SO(3)", "SO(2)@z", "C(4)@x"])
    assert [row.verdict for row in table] == ["exact", "exact", "exact"]
    assert table["SO(2)@z"].interval[1] <= table["SO(3)"].interval[1]
