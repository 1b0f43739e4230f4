import numpy as np
import pytest

import softsym as ss
from softsym.inference.kernels import Kernel, UnconstrainedKernel, equivariant_kernel
from softsym.inference.kernels.kernel_blocks import output_blocks
from softsym.inference.likelihood.gaussian_process import Component, ConditionedGP, blocks_of

SMOOTH = Kernel("rbf", 1.4)


@pytest.fixture(scope="module")
def gp():
    rng = np.random.default_rng(0)
    G, rep_in, rep_out = ss.SO(3), ss.rep("2V"), ss.rep("2V + S")
    X = rng.standard_normal((25, 6))
    Y = np.concatenate([np.cross(X[:, :3], X[:, 3:]), X[:, :3], X[:, :1] * X[:, 1:2]], axis=1)
    Y += 0.1 * rng.standard_normal(Y.shape)
    blocks = output_blocks(rep_out, [G])
    components = [
        Component(equivariant_kernel(G, rep_in, rep_out), SMOOTH, 0.7, ("SO(3)",)),
        Component(UnconstrainedKernel(G, rep_in), SMOOTH, 0.3),
    ]
    return ConditionedGP.fit(components, blocks, X, Y, [1e-2] * len(blocks))


def test_prediction_is_the_posterior_written_out(gp):
    new = np.random.default_rng(1).standard_normal((4, 6))
    mean, std = gp.predict(new, return_std=True)
    block, fit = gp.blocks[0], gp.fits[0]
    assert block.size == 3
    together = np.concatenate([gp.X, new])
    joint = sum(
        c.weight / units[0] * c.grams([block], together, together)[0]
        for c, units in zip(gp.components, gp.units, strict=True)
    )
    joint = joint.reshape(3, 29, 3, 29)
    old = joint[:, :25, :, :25].reshape(75, 75) + fit.noise * np.eye(75)
    cross, diagonal = joint[:, 25:, :, :25].reshape(12, 75), joint[:, 25:, :, 25:].reshape(12, 12)
    expected = cross @ np.linalg.solve(old, block.read(gp.Y))
    variance = fit.scale * (np.diag(diagonal - cross @ np.linalg.solve(old, cross.T)) + fit.noise)
    assert np.allclose(block.read(mean), expected)
    square = variance.reshape(
        3, 4
    ).T  # the basis is the identity up to a rotation: compare what rotations keep
    assert np.allclose(np.sum(std[:, :3] ** 2, axis=1), square.sum(1))


def test_chunks_do_not_matter(gp, monkeypatch):
    new = np.random.default_rng(1).standard_normal((9, 6))
    whole = gp.predict(new, return_std=True)
    monkeypatch.setattr("softsym.inference.likelihood.gaussian_process.CHUNK", 1000)
    for a, b in zip(whole, gp.predict(new, return_std=True), strict=True):
        assert np.allclose(a, b)


def test_restored_is_the_same(gp):
    again = ConditionedGP.restored(gp.components, gp.blocks, gp.X, gp.Y, gp.noises)
    assert np.array_equal(again.predict(gp.X)[0], gp.predict(gp.X)[0])


def test_leave_out_errors(gp):
    errors = gp.leave_out_errors()
    rest = np.arange(1, 25)
    less = ConditionedGP.restored(gp.components, gp.blocks, gp.X[rest], gp.Y[rest], gp.noises)
    less.units = gp.units
    expected = gp.Y[0] - less.predict(gp.X[:1])[0][0]
    assert errors[0] == pytest.approx(expected, abs=0.05)  # units of 24 rows differ a little from those of 25


def test_without_any_group_every_output_is_predicted():
    """Of six vectors one column each was, once only an unconstrained kernel was left."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 18))
    Y = X @ rng.standard_normal((18, 18))
    unconstrained = Component(UnconstrainedKernel(ss.O(3), ss.rep("6V")), Kernel("polynomial", 1), 1.0)
    blocks = blocks_of([unconstrained], ss.rep("6V"), Y)
    assert sorted(np.concatenate([block.columns.ravel() for block in blocks])) == list(range(18))
    gp = ConditionedGP.fit([unconstrained], blocks, X, Y, [1e-8])
    assert np.allclose(gp.predict(X)[0], Y, atol=1e-3 * np.abs(Y).max())
