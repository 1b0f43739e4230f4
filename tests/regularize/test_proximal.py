"""The proximal step: against a dense solve, and by its properties."""

import contextlib

import pytest
import torch
from torch import nn

import softsym as ss
import softsym.native
from softsym.errors import InputError
from softsym.regularize import operator
from softsym.regularize.operator import projector

AXES = ["O(2)@x", "O(2)@y", "O(2)@z"]
STRENGTHS = {"O(2)@x": 0.7, "O(2)@y": 3.0, "O(2)@z": 40.0}


@pytest.fixture(params=["compiled", "torch only"], autouse=True)
def how(request):
    """Every property holds with and without compiled code."""
    with softsym.native.torch_only() if request.param == "torch only" else contextlib.nullcontext():
        yield


@pytest.fixture(params=["joint matrices", "types too large for them"])
def per(request, monkeypatch):
    if request.param != "joint matrices":
        monkeypatch.setattr(operator, "LARGEST_TYPE", 3)
    net = ss.nn.SoftMLP("2S + 2V", "T(2)", AXES, width=24, layers=3, seed=1).double()
    return ss.EquivarianceRegularizer(net, AXES, strength=STRENGTHS)


def projected(per, group, rows):
    """Rows (n, size) projected by the types of one group alone."""
    return projector(group, per.stacked.positions([group]), per.stacked.size).project(rows)


def dense(per):
    """K as a full matrix, from each group's own projector."""
    one = torch.eye(per.stacked.size, dtype=torch.float64)
    outside = [one - projected(per, group, one) for group in per.groups]
    return sum(strength * part for strength, part in zip(STRENGTHS.values(), outside, strict=True))


def put(per, flat):
    with torch.no_grad():
        for parameter, piece in zip(per.stacked.parameters, per.stacked.split(flat), strict=True):
            parameter.copy_(piece)


def prox(per, flat, step):
    put(per, flat)
    per.prox_(step)
    return per.stacked.flat()


def normal(per, seed):
    return torch.randn(per.stacked.size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(
    ("step", "tolerance"),
    [(0.0, 1e-12), (1e-3, 1e-12), (0.3, 1e-12), (1e4, 1e-10)],  # a dense solve loses digits to long steps itself
)
def test_agrees_with_a_dense_solve(per, step, tolerance):
    w = normal(per, 0)
    expected = torch.linalg.solve(torch.eye(len(w), dtype=w.dtype) + step * dense(per), w)
    assert torch.allclose(prox(per, w, step), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("step", [1e-3, 0.3, 1e4])
def test_agrees_with_a_dense_solve_in_single_precision(step):
    net = ss.nn.SoftMLP("2S + 2V", "T(2)", AXES, width=24, layers=3, seed=1)
    per = ss.EquivarianceRegularizer(net, AXES, strength=STRENGTHS)
    w = normal(per, 0)
    expected = torch.linalg.solve(torch.eye(len(w), dtype=w.dtype) + step * dense(per), w)
    assert torch.allclose(prox(per, w.float(), step).double(), expected, rtol=0, atol=1e-5)
    per.project_("O(3)")
    w = per.stacked.flat()
    assert (prox(per, w, step) - w).norm() <= 1e-7 * w.norm()


def test_is_firmly_non_expansive(per):
    a, b = normal(per, 0), normal(per, 1)
    difference = prox(per, a, 0.2) - prox(per, b, 0.2)
    assert difference.dot(difference) <= difference.dot(a - b) + 1e-12


def test_what_all_groups_allow_stays_and_nothing_else_does(per):
    per.project_("O(3)")
    w = per.stacked.flat()
    assert torch.allclose(prox(per, w, 5.0), w, atol=1e-12)
    put(per, projected(per, ss.group("O(2)@z"), normal(per, 2)[None])[0])
    w = per.stacked.flat()
    assert (prox(per, w, 5.0) - w).norm() > 1e-2


def test_a_long_step_ends_where_all_spaces_meet(per):
    w = normal(per, 3)
    far = prox(per, w, 1e5)
    assert torch.allclose(far, projected(per, ss.O(3), w[None])[0], atol=1e-3)


def test_is_the_minimiser(per):
    w, step = normal(per, 4), 0.1
    best = prox(per, w, step)

    def cost(flat):
        put(per, flat)
        return float((flat - w).square().sum() / (2 * step) + per().detach())

    least = cost(best)
    assert all(cost(best + 1e-3 * normal(per, seed)) > least for seed in range(5, 10))


def test_compiled_code_and_torch_agree(per):
    w = normal(per, 5)
    ours = prox(per, w, 0.3)
    with softsym.native.torch_only():
        theirs = prox(per, w, 0.3)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-13)


def test_parameters_in_any_layout_and_precision():
    """What compiled code cannot take in place gets the same values."""
    net = nn.Linear(6, 6).double()
    per = ss.EquivarianceRegularizer(net, AXES, "2V", "2V", strength=STRENGTHS)
    w = normal(per, 6)
    expected = prox(per, w, 0.3)
    net.weight.data = net.weight.data.T.contiguous().T
    assert torch.allclose(prox(per, w, 0.3), expected, rtol=0, atol=1e-14)
    assert not net.weight.is_contiguous()
    net.bfloat16()
    assert torch.allclose(prox(per, w.bfloat16(), 0.3).double(), expected, atol=0.05)


def test_nothing_is_computed_without_strengths(per, monkeypatch):
    w = normal(per, 0)
    put(per, w)
    per.strengths = dict.fromkeys(AXES, 0.0)
    monkeypatch.setattr("softsym.regularize.regularizer.Proximal", None)
    per.prox_(0.1)
    assert torch.equal(per.stacked.flat(), w)


def test_new_strengths_count_at_once(per):
    w = normal(per, 0)
    before = prox(per, w, 0.1)
    per.strengths = dict.fromkeys(AXES, 0.0)
    assert torch.equal(prox(per, w, 0.1), w)
    assert not torch.equal(before, w)


def test_works_on_kernels_and_in_single_precision():
    from softsym.maps import TensorMap, incoming, outgoing

    conv = nn.Conv2d(2, 3, 3, bias=False)
    kernel = TensorMap((outgoing("3S"), incoming("2S"), incoming("Grid(3,3)", shape=(3, 3))))
    per = ss.EquivarianceRegularizer(conv, ["D(4)"], reps={"weight": kernel}, strength=1.0)
    start = conv.weight.detach().clone()
    per.prox_(1e8)
    expected = kernel.space(ss.D(4)).project(start)
    assert torch.allclose(conv.weight, expected, atol=1e-5)


def test_wrong_use():
    net = nn.Linear(3, 3)
    with pytest.raises(InputError, match="no closed form for a dimensionless penalty"):
        ss.EquivarianceRegularizer(net, "O(3)", "V", "V", dimensionless=True).prox_(0.1)
    for step in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="prox_ needs a step that is finite and at least 0"):
            ss.EquivarianceRegularizer(net, "O(3)", "V", "V").prox_(step)
