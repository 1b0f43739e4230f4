"""How matrices move columns before a group is known."""

import numpy as np
import pytest
from scipy.linalg import expm

import softsym as ss
from softsym.errors import InputError
from softsym.inference.propose.matrix_action import actions, basis_of

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("rep", "size"), [("2V + S", 7), ("T(2)", 9), ("P + V", 6), ("2P + S", 7)])
def test_velocities_are_derivatives_of_motions(rep, size):
    X = RNG.standard_normal((5, size))
    source, target = actions(X, X[:, :1], ss.rep(rep), ss.rep("S"))
    assert source.dim == 3
    for A in basis_of(3, source.affine)[::2]:
        numeric = (source.transform(expm(1e-5 * A), X) - source.transform(expm(-1e-5 * A), X)) / 2e-5
        assert np.allclose(source.velocity(A[None], X)[0], numeric, atol=1e-8)
        assert not target.velocity(A[None], X[:, :1]).any()


def test_translations_act_on_points_alone():
    X = RNG.standard_normal((5, 6))
    source, _ = actions(X, X[:, :3], ss.rep("P + V"), ss.rep("V"))
    shift = np.zeros((4, 4))
    shift[0, 3] = 1.0
    assert np.array_equal(source.velocity(shift[None], X)[0], np.tile([1.0, 0, 0, 0, 0, 0], (5, 1)))


def test_units_are_those_of_copies():
    X = RNG.standard_normal((100, 6)) * [1, 1, 1, 50, 50, 50] + [0, 0, 0, 7, 0, 0]
    source, _ = actions(X, X[:, :1], ss.rep("2V"), ss.rep("S"))
    assert len(set(source.unit[:3].tolist())) == len(set(source.unit[3:].tolist())) == 1
    assert np.allclose(source.scaled(X).mean(0), 0, atol=1e-12)


@pytest.mark.parametrize(("reps", "sizes", "message"), [
    (("2V", "S"), (7, 1), "7 input and 1 output columns are not 2V and S of any space"),
    (("2S", "S"), (2, 1), "have only scalars"),
    (("V*Grid(1,1)", "S"), (3, 1), "groups are proposed for scalars, vectors, tensors and points"),
    (("P*V", "S"), (9, 1), "a point is no factor of a tensor"),
])  # fmt: skip
def test_refusals(reps, sizes, message):
    X, Y = (np.ones((5, size)) for size in sizes)
    with pytest.raises(InputError, match=message):
        actions(X, Y, *map(ss.rep, reps))
