import numpy as np
import pytest

import softsym as ss
from softsym.inference.kernels import Kernel, UnconstrainedKernel, equivariant_kernel
from softsym.inference.kernels.kernel_blocks import output_blocks
from softsym.inference.likelihood.marginal import best_noise
from softsym.inference.likelihood.profile import UnconstrainedFit, _within, profile

CUBIC = Kernel("polynomial", 3)


def profiled(text, Y, X, rep_in="2V", rep_out="V", kernel=CUBIC, weights=None):
    G, rep_in, rep_out = ss.group(text), ss.rep(rep_in), ss.rep(rep_out)
    blocks = output_blocks(rep_out, [G])
    unconstrained = UnconstrainedFit.fit(kernel, blocks, X, Y, weights=weights)
    return profile(
        equivariant_kernel(G, rep_in, rep_out), kernel, blocks, X, Y, unconstrained, weights=weights
    )


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6))
    return X, np.cross(X[:, :3], X[:, 3:]), 0.1 * rng.standard_normal((80, 3))


def test_exact_symmetry(data):
    X, truth, noise = data
    found = profiled("SO(3)", truth + noise, X)
    assert found.best == 0.0
    assert found.interval[0] == 0.0
    assert found.interval[1] < 0.05
    assert found.log_evidence > 50
    assert found.errors[0] < found.errors[2]


@pytest.mark.parametrize("size", [0.3, 1.0])
def test_broken_symmetry_has_its_size_in_the_interval(data, size):
    X, truth, noise = data
    along = size * np.stack(
        [X[:, 2], 0 * X[:, 0], 0 * X[:, 0]], axis=1
    )  # x-hat z: no part of it is kept by SO(3)
    along -= np.stack([0 * X[:, 0], 0 * X[:, 0], -X[:, 0]], axis=1) * size / 2
    along[:, 0] -= size * X[:, 2] / 2  # symmetric and traceless
    Y = truth + along
    found = profiled("SO(3)", Y + noise, X)
    violation = np.sqrt(np.mean(along**2) / np.mean((Y - Y.mean(0)) ** 2))
    assert found.against > 10
    assert found.interval[0] * 0.9 <= violation <= found.interval[1] * 1.1


def test_the_unconstrained_kernel_lies_on_the_path(data):
    """At the a where shares are those of k I itself, the likelihood is the unconstrained one, up to the blocks' own noise."""
    X, truth, noise = data
    Y, G = truth + noise, ss.SO(3)
    (block,) = output_blocks(ss.rep("V"), [G])
    (gram,) = equivariant_kernel(G, ss.rep("2V"), ss.rep("V")).grams([CUBIC], [block], X)[0:1][0]
    (whole,) = UnconstrainedKernel(G, ss.rep("2V")).grams([CUBIC], [block], X)[0]
    share = 1 - np.trace(gram) / np.trace(whole)
    unit, rest = gram * (240 / np.trace(gram)), (whole - gram) * (240 / np.trace(whole - gram))
    on_path = best_noise((1 - share) * unit + share * rest, block.read(Y)).value
    assert on_path == pytest.approx(UnconstrainedFit.fit(CUBIC, [block], X, Y).value, abs=0.05)


def test_a_group_that_does_nothing():
    X = np.random.default_rng(0).standard_normal((30, 2))
    found = profiled("O(3)", X[:, :1] ** 2, X, "2S", "S")
    assert found.is_trivial
    assert found.interval == (0.0, 0.0)


def test_noise_is_never_exact():
    rng = np.random.default_rng(3)
    uppers = [
        profiled("SO(3)", rng.standard_normal((40, 3)), rng.standard_normal((40, 6))).interval[1]
        for _ in range(3)
    ]
    assert min(uppers) > 0.1


def test_interval_of_a_parabola():
    shares = np.array([0.0, 0.01, 0.03, 0.05, 0.08, 0.1, 0.3])
    low, high = _within(shares, -50 * np.log(np.maximum(shares, 1e-3) / 0.05) ** 2)
    assert low == pytest.approx(0.05 * np.exp(-np.sqrt(1.92 / 50)), rel=0.1)
    assert high == pytest.approx(0.05 * np.exp(np.sqrt(1.92 / 50)), rel=0.1)


def test_rows_count_by_their_weights(data):
    """Every other row is a hundred times as noisy: with weights, what is found is what the others say."""
    X, truth, noise = data
    odd = np.arange(len(X)) % 2 == 1
    Y = truth + noise * np.where(odd, 100.0, 1.0)[:, None]
    weights = np.where(odd, 1e-4, 1.0)
    counting, alone = profiled("SO(3)", Y, X, weights=weights), profiled("SO(3)", Y[~odd], X[~odd])
    assert counting.best == alone.best == 0.0
    assert counting.interval[1] < 2 * alone.interval[1] < 0.5 * profiled("SO(3)", Y, X).interval[1]
    assert counting.log_evidence == pytest.approx(alone.log_evidence, rel=0.2)
    same = profiled("SO(3)", Y, X, weights=np.ones(len(X)))
    assert np.array_equal(same.values, profiled("SO(3)", Y, X).values)
