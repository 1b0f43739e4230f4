import numpy as np

import softsym as ss
from softsym.inference.kernels import Kernel, Plain, output_blocks
from softsym.inference.likelihood.gaussian_process import Component, Process
from softsym.inference.likelihood.sources import best_noise_by_sources, by_sources, whole_sources

G, V = ss.Trivial(2), ss.rep("2S")


def test_errors_that_rows_share_are_taken_for_noise():
    rng = np.random.default_rng(0)
    sources = np.repeat(np.arange(20), 8)
    X = rng.standard_normal((20, 2))[sources] + 0.05 * rng.standard_normal((160, 2))
    Y = np.sin(X) + 0.5 * rng.standard_normal((20, 2))[sources]
    components, blocks = [Component(Plain(G, V), Kernel("rbf", 0.7), 1.0)], output_blocks(V, [G])
    likely = Process.fit(components, blocks, X, Y, [1e-2]).noises
    _, (noise,) = by_sources(components, blocks, X, Y, sources, Plain(G, V), [Kernel("rbf", 0.7)])
    assert noise > 2 * likely[0]
    fresh = rng.standard_normal((300, 2))
    errors = [
        np.mean((Process.restored(components, blocks, X, Y, [one]).predict(fresh)[0] - np.sin(fresh)) ** 2)
        for one in (noise, likely[0])
    ]
    assert errors[0] < errors[1]


def test_sources_are_taken_whole():
    sources = np.array([3, 1, 3, 2, 1, 2, 2, 0])
    rows = whole_sources(sources, 5)
    assert set(sources[rows]) == {3, 1}
    assert len(rows) == 4
    assert len(set(sources[whole_sources(sources, 1)])) == 2


def test_a_better_kernel_without_symmetry_is_taken():
    rng = np.random.default_rng(0)
    sources, X = np.repeat(np.arange(20), 4), rng.standard_normal((80, 2))
    Y = X @ [[1.0, 2.0], [0.5, 1.0]]
    components, blocks = [Component(Plain(G, V), Kernel("rbf", 0.1), 1.0)], output_blocks(V, [G])
    linear = Kernel("polynomial", 1)
    chosen, noises = by_sources(components, blocks, X, Y, sources, Plain(G, V), [Kernel("rbf", 0.1), linear])
    assert [component.kernel for component in chosen] == [linear]
    assert len(noises) == len(blocks)
    assert best_noise_by_sources(linear.gram(X, X), Y, 1, sources)[1] < 1e-6 * np.sum(Y**2)
