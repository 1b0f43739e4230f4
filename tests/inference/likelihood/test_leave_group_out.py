import numpy as np

import softsym as ss
from softsym.inference.kernels import Kernel, UnconstrainedKernel, output_blocks
from softsym.inference.likelihood.gaussian_process import Component, ConditionedGP
from softsym.inference.likelihood.leave_group_out import (
    best_noise_by_row_groups,
    choose_by_row_groups,
    whole_row_groups,
)

G, V = ss.Trivial(2), ss.rep("2S")


def test_errors_that_rows_share_are_taken_for_noise():
    rng = np.random.default_rng(0)
    row_groups = np.repeat(np.arange(20), 8)
    X = rng.standard_normal((20, 2))[row_groups] + 0.05 * rng.standard_normal((160, 2))
    Y = np.sin(X) + 0.5 * rng.standard_normal((20, 2))[row_groups]
    components, blocks = (
        [Component(UnconstrainedKernel(G, V), Kernel("rbf", 0.7), 1.0)],
        output_blocks(V, [G]),
    )
    likely = ConditionedGP.fit(components, blocks, X, Y, [1e-2]).noises
    _, (noise,) = choose_by_row_groups(
        components, blocks, X, Y, row_groups, UnconstrainedKernel(G, V), [Kernel("rbf", 0.7)]
    )
    assert noise > 2 * likely[0]
    fresh = rng.standard_normal((300, 2))
    errors = [
        np.mean(
            (ConditionedGP.restored(components, blocks, X, Y, [one]).predict(fresh)[0] - np.sin(fresh)) ** 2
        )
        for one in (noise, likely[0])
    ]
    assert errors[0] < errors[1]


def test_row_groups_are_taken_whole():
    row_groups = np.array([3, 1, 3, 2, 1, 2, 2, 0])
    rows = whole_row_groups(row_groups, 5)
    assert set(row_groups[rows]) == {3, 1}
    assert len(rows) == 4
    assert len(set(row_groups[whole_row_groups(row_groups, 1)])) == 2


def test_a_better_kernel_without_symmetry_is_taken():
    rng = np.random.default_rng(0)
    row_groups, X = np.repeat(np.arange(20), 4), rng.standard_normal((80, 2))
    Y = X @ [[1.0, 2.0], [0.5, 1.0]]
    components, blocks = (
        [Component(UnconstrainedKernel(G, V), Kernel("rbf", 0.1), 1.0)],
        output_blocks(V, [G]),
    )
    linear = Kernel("polynomial", 1)
    chosen, noises = choose_by_row_groups(
        components, blocks, X, Y, row_groups, UnconstrainedKernel(G, V), [Kernel("rbf", 0.1), linear]
    )
    assert [component.kernel for component in chosen] == [linear]
    assert len(noises) == len(blocks)
    assert best_noise_by_row_groups(linear.gram(X, X), Y, 1, row_groups)[1] < 1e-6 * np.sum(Y**2)
