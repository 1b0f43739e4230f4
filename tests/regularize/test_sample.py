"""Augmentation, the sample-based penalty and the Jacobian penalty."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.regularize import GroupAugmentation, JacobianPenalty, SamplePenalty
from tests.nn.networks import normal

SAMPLED = ["O(3)", "SO(2)@z", "S(3)", "SL(3)", "Scaling(3)", "SO(3) | Scaling(3)"]


@pytest.mark.parametrize("G", SAMPLED)
def test_pairs_of_an_equivariant_function_stay_pairs(G):
    f = ss.nn.EMLP("S + 2V", "V + S", G, width=30, layers=3).double().eval()
    x = normal(10, 7, dtype=torch.float64)
    y = f(x).detach()
    transformed, target = GroupAugmentation("S + 2V", "V + S", G, seed=4)(x, y)
    assert torch.allclose(f(transformed), target, atol=1e-9)
    assert not torch.allclose(transformed, x, atol=1e-3)
    assert torch.equal(transformed[:, 0], x[:, 0])  # scalars stay


def test_every_sample_gets_its_own_element_and_every_batch_new_ones():
    augment = GroupAugmentation("V", "V", "SO(3)")
    x = torch.tensor([[1.0, 0.0, 0.0]]).repeat(5, 1)
    (first, also), (second, _) = augment(x, x), augment(x, x)
    assert torch.equal(first, also)
    assert torch.pdist(first).min() > 1e-3
    assert not torch.allclose(first, second, atol=1e-3)
    assert torch.allclose(first.norm(dim=1), torch.ones(5), atol=1e-6)


def test_seeded():
    x = normal(4, 3)
    a, b, c = (GroupAugmentation("V", "V", "O(3)", seed=seed)(x, x)[0] for seed in (1, 1, 2))
    assert torch.equal(a, b)
    assert not torch.allclose(a, c)


def test_elements_follow_from_seed_and_step_whatever_was_drawn_before():
    x = normal(4, 3)
    fresh, used = (GroupAugmentation("V", "V", "O(3)", seed=5) for _ in range(2))
    for _ in range(3):
        used(x, x)
    assert torch.equal(fresh(x, x, step=7)[0], used(x, x, step=7)[0])
    assert not torch.allclose(fresh(x, x, step=8)[0], fresh(x, x, step=7)[0])
    third = GroupAugmentation("V", "V", "O(3)", seed=5)
    assert torch.equal(third(x, x)[0], fresh(x, x, step=0)[0])  # calls are counted from zero
    f = ss.nn.MLP("V", "V", "O(3)", width=8)
    fresh_penalty, used_penalty = (SamplePenalty("V", "V", "O(3)", seed=5) for _ in range(2))
    used_penalty(f, x)
    assert fresh_penalty(f, x, step=3).item() == used_penalty(f, x, step=3).item()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_keeps_precision_and_empty_batches(dtype):
    augment = GroupAugmentation("2V", "S", "O(3)")
    x, y = augment(torch.ones(3, 6, dtype=dtype), torch.ones(3, 1, dtype=dtype))
    assert x.dtype == y.dtype == dtype
    assert augment(torch.ones(0, 6), torch.ones(0, 1))[0].shape == (0, 6)


def test_wrong_sizes():
    augment = GroupAugmentation("2V", "V", "O(3)")
    with pytest.raises(
        InputError, match=r"2V -> V under O\(3\) has sizes 6 -> 3, got x of shape \(4, 5\) and y of shape \(4, 3\)"
    ):
        augment(torch.zeros(4, 5), torch.zeros(4, 3))
    with pytest.raises(InputError, match=r"and y of shape \(4, 2\)"):
        augment(torch.zeros(4, 6), torch.zeros(4, 2))


@pytest.mark.parametrize("G", SAMPLED)
def test_penalty_is_zero_for_an_equivariant_function_only(G):
    equal = ss.nn.EMLP("S + 2V", "V + S", G, width=30, layers=3).double()
    free = ss.nn.MLP("S + 2V", "V + S", G, width=30, layers=3).double()
    x = normal(10, 7, dtype=torch.float64)
    assert SamplePenalty("S + 2V", "V + S", G)(equal, x).item() < 1e-18
    assert SamplePenalty("S + 2V", "V + S", G)(free, x).item() > 1e-4


def test_penalty_by_hand():
    """f(x) = (x_1, 0): for a rotation by any angle |f(gx) - g f(x)|^2 is known."""
    keep = torch.tensor([[1.0, 0.0], [0.0, 0.0]]).double()
    x = normal(7, 2, dtype=torch.float64)
    g = torch.tensor(ss.SO(2).sample(7, 0))
    expected = torch.stack([(keep @ h @ v - h @ keep @ v).square().sum() for h, v in zip(g, x, strict=True)])
    penalty = SamplePenalty("V", "V", "SO(2)", seed=0)(lambda v: v @ keep.T, x)
    assert penalty.item() == pytest.approx(expected.mean().item(), rel=1e-12)


def test_penalty_is_differentiable_seeded_and_takes_a_known_prediction():
    f = ss.nn.MLP("2V", "V", "O(3)", width=8)
    x = normal(5, 6)
    first, again, other = (SamplePenalty("2V", "V", "O(3)", seed=s)(f, x) for s in (3, 3, 4))
    assert first.item() == again.item() != other.item()
    known = SamplePenalty("2V", "V", "O(3)", seed=3)(f, x, f(x))
    assert known.item() == pytest.approx(first.item(), rel=1e-6)
    first.backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in f.parameters() if p.ndim == 2)


def test_descending_the_penalty_makes_a_function_more_equivariant():
    f = ss.nn.MLP("2V", "V", "O(3)", width=16, layers=3)
    x, penalty = normal(64, 6), SamplePenalty("2V", "V", "O(3)")
    optimizer = torch.optim.Adam(f.parameters(), lr=1e-2)
    start = SamplePenalty("2V", "V", "O(3)", seed=9)(f, x).item()
    for _ in range(15):
        optimizer.zero_grad()
        penalty(f, x).backward()
        optimizer.step()
    assert SamplePenalty("2V", "V", "O(3)", seed=9)(f, x).item() < 0.7 * start


def test_few_elements_are_applied_together():
    """Rows of the same element of a finite group in one product; the same as one by one."""
    x, y = normal(40, 9, dtype=torch.float64), normal(40, 2, dtype=torch.float64)
    parts = ss.D(4).sample_parts(40, 3 * 1_000_003 + 5)
    a, b = (torch.tensor(ss.rep(text).rho("D(4)", parts)) for text in ("Grid(3,3)", "V"))
    transformed, target = GroupAugmentation("Grid(3,3)", "V", "D(4)", seed=3)(x, y, step=5)
    assert torch.allclose(transformed, torch.einsum("nij,nj->ni", a, x), atol=1e-12)
    assert torch.allclose(target, torch.einsum("nij,nj->ni", b, y), atol=1e-12)


X = torch.randn(7, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_jacobian_penalty_is_the_limit_of_small_rotations():
    def f(x):
        return torch.sin(x[:, :3]) * x[:, 3:]

    G = ss.SO(3)
    expected = 0.0
    for A in G.lie_algebra:
        g = torch.matrix_exp(torch.tensor(1e-5 * A / np.linalg.norm(A, 2)))
        transformed = torch.cat([X[:, :3] @ g.T, X[:, 3:] @ g.T], 1)
        expected += ((f(transformed) - f(X) @ g.T) / 1e-5).square().sum(-1).mean() / 3
    assert float(JacobianPenalty("2V", "V", G)(f, X)) == pytest.approx(float(expected), rel=1e-3)


def test_equivariant_functions_have_none_and_it_can_be_learned_from():
    penalty = JacobianPenalty("2V", "V", "SO(3)")
    assert float(penalty(lambda x: torch.linalg.cross(x[:, :3], x[:, 3:]), X)) < 1e-20
    net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).double()
    penalty(net, X).backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in list(net.parameters())[:3])


def test_products_of_groups_and_groups_without_rotations():
    product = ss.group("SO(3) * S(2)")
    assert float(JacobianPenalty("V", "V", product)(lambda x: 2 * x, X)) < 1e-20
    with pytest.raises(InputError, match=r"S\(3\) has no continuous part"):
        JacobianPenalty("V", "V", "S(3)")
