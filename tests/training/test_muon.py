"""Muon: orthogonal steps for matrices, Adam's for the rest."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.training.muon import Muon, orthogonalised


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("shape", [(2, 5, 8), (3, 8, 5), (1, 1, 6), (2, 7, 7)])
def test_singular_values_come_near_one_and_singular_vectors_stay(shape):
    M = random(*shape)
    U, S, V = torch.linalg.svd(M, full_matrices=False)
    Q = orthogonalised(M)
    inside = U.mT @ Q @ V.mT
    sizes = inside.diagonal(dim1=1, dim2=2)
    large = 0.05 * S.max() < S
    assert (inside - torch.diag_embed(sizes)).abs().max() < 1e-9
    assert ((sizes[large] > 0.6) & (sizes[large] < 1.25)).all()


def test_commutes_with_orthogonal_changes_of_basis():
    M = random(1, 5, 8)
    A, B = torch.linalg.qr(random(5, 5, seed=1))[0], torch.linalg.qr(random(8, 8, seed=2))[0]
    torch.testing.assert_close(orthogonalised(A @ M @ B), A @ orthogonalised(M) @ B, atol=1e-10, rtol=0)


def test_zero_stays_zero():
    assert not orthogonalised(torch.zeros(1, 3, 4)).any()


@pytest.mark.parametrize(("optimizer", "stays"), [(Muon, True), (torch.optim.Adam, False)])
def test_the_step_of_an_equivariant_gradient_is_equivariant_unlike_adams(optimizer, stays):
    space = ss.equivariant_maps("2T(2)", "S + T(2)", "O(3)")
    weight = nn.Parameter(space.project(random(10, 18)))
    steps, before = optimizer([weight], lr=0.1), weight.detach().clone()
    for seed in range(3):
        weight.grad = space.project(random(10, 18, seed=seed))
        steps.step()
    moved = weight.detach() - before
    outside = (moved - space.project(moved)).norm() / moved.norm()
    assert (outside < 1e-12) if stays else (outside > 0.01)


def test_what_is_no_matrix_moves_as_by_adam():
    ours, theirs = nn.Parameter(random(7)), nn.Parameter(random(7))
    mine, adam = Muon([ours], lr=0.1, eps=1e-6), torch.optim.Adam([theirs], lr=0.1, eps=1e-6)
    for seed in range(5):
        ours.grad, theirs.grad = random(7, seed=seed), random(7, seed=seed)
        mine.step()
        adam.step()
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)


def test_a_first_step_is_as_long_as_the_rate_says_and_decay_is_decoupled():
    weight = nn.Parameter(random(4, 9))
    before = weight.detach().clone()
    weight.grad = random(4, 9, seed=1)
    Muon([weight], lr=0.1, shrink=0.5).step()
    step = 0.95 * before - weight.detach()
    torch.testing.assert_close(step, 0.1 * 0.2 * 3 * orthogonalised(weight.grad[None])[0], atol=1e-12, rtol=0)


def test_empty_matrices_and_missing_gradients_are_left_alone():
    empty, idle = nn.Parameter(torch.zeros(0, 3)), nn.Parameter(torch.ones(2, 2))
    empty.grad = torch.zeros(0, 3)
    Muon([empty, idle], lr=0.1, shrink=0.5).step()
    assert torch.equal(idle, torch.ones(2, 2))


def test_a_closure_computes_gradients_and_its_loss_is_returned():
    weight = nn.Parameter(random(2, 3))
    before, optimizer = weight.detach().clone(), Muon([weight], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure).detach()) == pytest.approx(float(before.square().sum()))
    assert not torch.equal(weight, before)
