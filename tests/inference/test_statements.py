"""Calibration of the statements on data of known truth: p-values, intervals, costs, resolution."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.points import Action
from softsym.inference.sample import Sample
from softsym.inference.statements import examine, mean_interval


def statements(X, Y, rep_in, rep_out, group, seed=0, **options):
    sample = Sample.make(X, Y, ss.rep(rep_in), ss.rep(rep_out), [ss.group(group)], seed=seed, **options)
    found = ss.group(group)
    return examine(sample, Action(found, found, sample.rep_in), tolerance=0.05, noise=0.0)


def well(rng, n, c=0.0, m=4, stretch=(1.0, 1.0), noise=0.1):
    X = rng.standard_normal((n, 2)) * stretch
    angle, radius = np.arctan2(X[:, 1], X[:, 0]), np.hypot(X[:, 0], X[:, 1])
    return X, (radius**2 + c * np.cos(m * angle))[:, None] + noise * rng.standard_normal((n, 1))


@pytest.mark.parametrize("stretch", [(1.0, 1.0), (2.0, 0.7)])
def test_p_values_of_exact_functions_are_not_small(stretch):
    p_values = [
        statements(*well(np.random.default_rng(seed), 120, stretch=stretch), "V", "S", "SO(2)", seed).p_value
        for seed in range(24)
    ]
    assert np.mean(np.array(p_values) < 0.05) <= 0.2
    assert min(p_values) > 1e-4


def test_intervals_cover_the_violation_of_broken_functions():
    truth = np.sqrt(0.125 / 4.125)
    found = [statements(*well(np.random.default_rng(seed), 400, 0.5), "V", "S", "SO(2)", seed) for seed in range(8)]
    assert sum(each.interval[0] <= truth <= each.interval[1] for each in found) >= 7
    assert all(each.p_value < 1e-4 for each in found)
    assert all(each.least <= 1.1 * truth for each in found)


def test_the_upper_end_falls_with_the_number_of_rows():
    ends = [statements(*well(np.random.default_rng(0), n), "V", "S", "SO(2)").interval[1] for n in (100, 3_000)]
    assert ends[1] < 0.5 * ends[0]


def test_half_a_plane_reveals_little_of_its_reflection():
    rng = np.random.default_rng(0)
    X = np.abs(rng.standard_normal((200, 2))) * [1.0, 1.0]
    Y = (X**2).sum(1, keepdims=True) + 0.1 * rng.standard_normal((200, 1))
    half = statements(X, Y, "V", "S", "D(2)")
    whole = statements(X * np.sign(rng.standard_normal(X.shape)), Y, "V", "S", "D(2)")
    assert half.resolution < 0.4 < whole.resolution


def test_a_small_output_does_not_hide_behind_a_large_one():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    large, small = 100 * X * (X**2).sum(1, keepdims=True), X[:, [1, 0, 2]] * X[:, :1]
    Y = np.concatenate([large, small], axis=1)
    Y += 0.02 * Y.std(axis=0) * rng.standard_normal(Y.shape)
    found = statements(X, Y, "V", "2V", "O(3)")
    assert 0.3 < found.interval[0] < found.interval[1]  # every copy counts alike
    assert found.largest > 0.5


def test_equal_inputs_are_one_row_group():
    rng = np.random.default_rng(0)
    X, Y = well(rng, 60)
    X, Y = np.repeat(X, 5, axis=0), np.repeat(Y, 5, axis=0)
    sample = Sample.make(X, Y, ss.rep("V"), ss.rep("S"), [ss.SO(2)])
    assert int(sample.labels.max()) == 59
    assert all(len(np.unique(sample.folds[sample.labels == k])) == 1 for k in range(60))
    assert statements(X, Y, "V", "S", "SO(2)").p_value > 0.01


def test_linear_maps_that_every_matrix_respects_are_subtracted():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 6))
    Y = 3 * X[:, :3] - X[:, 3:] + 0.01 * np.cross(X[:, :3], X[:, 3:])
    (block,) = Sample.make(X, Y, ss.rep("2V"), ss.rep("V"), [ss.SO(3)]).blocks
    assert block.sizes[0] < 0.02 * block.whole[0]
    np.testing.assert_allclose((block.values + block.linear)[:, :, 0].std(), Y.std() / block.sizes[0], rtol=0.1)


def test_the_interval_of_a_mean_counts_row_groups():
    values, labels = np.repeat(np.random.default_rng(0).standard_normal(50), 10), np.repeat(np.arange(50), 10)
    alone = mean_interval(values, np.arange(500), 0.025)
    together = mean_interval(values, labels, 0.025)
    assert together[2] > 2.5 * alone[2]
    assert together[0] < 0 < together[1]


def test_where_only_zero_is_equivariant():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2))
    Y = np.stack([X[:, 0], X[:, 1], X[:, 0] * X[:, 1]], axis=1) + 0.05 * rng.standard_normal((100, 3))
    found = statements(X, Y, "2S", "V", "SO(3)")
    assert found.interval[0] > 0.9
    assert found.p_value < 0.01
