"""Scalings as part of the model: exact where the weights say so, and seen by the regularizer as any other group."""

import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.metrics import layer_distances
from softsym.nn import ScaleCanonical, SoftMLP, count_parameters, soft_network
from softsym.nn.gate import Gated
from softsym.nn.scale_canonical import input_sizes
from tests.nn.networks import gap, normal, variation

REP_IN, REP_OUT = "S + 3V + T(2)", "S + V + T(2) + V'"
GROUPS = ["SO(3)", "Scaling(3)"]
COLUMN = "network.blocks.0.linear.weight"


def net_of(rep_in=REP_IN, rep_out=REP_OUT, groups=GROUPS, **options):
    net = ScaleCanonical(rep_in, rep_out, groups, width=24, layers=3, usual_size=1.3, seed=1, **options).double()
    for module in net.modules():
        if isinstance(module, Gated):
            module.soft.data.zero_()  # the soft path of the gates breaks rotations
    return net


def rows(n=30, rep_in=REP_IN):
    return normal(n, ss.rep(rep_in).size("SO(3)"), dtype=torch.float64)


@pytest.mark.parametrize("rep_out", ["S", "2V", "T(2)", "V' + T(1,1)", REP_OUT])
@pytest.mark.parametrize("rep_in", ["3V", "T(2)", REP_IN, "S + V + V'"])
def test_projected_onto_a_group_it_is_equivariant_to_that_group(rep_in, rep_out):
    x = rows(rep_in=rep_in)
    for onto in (*GROUPS, "SO(3) | Scaling(3)"):
        net = net_of(rep_in, rep_out)
        assert min(gap(net, rep_in, rep_out, G, x) for G in GROUPS) > 1e-3
        assert ss.EquivarianceRegularizer(net, GROUPS).project_(onto) > 0
        for G in GROUPS:
            error = gap(net, rep_in, rep_out, G, x)
            assert error < 1e-10 if G in onto else error > 1e-3
        assert variation(net(x).detach()) > 1e-3


def test_the_residual_of_scalings_is_that_of_one_column():
    net = net_of()
    per = ss.EquivarianceRegularizer(net, GROUPS)
    column = net.get_parameter(COLUMN).detach()[:, 0]
    layers = per.residuals()["Scaling(3)"]
    assert layers.pop("network.blocks.0.linear") == pytest.approx(float(column.square().sum()) / 2)
    assert set(layers.values()) == {0.0}
    assert list(per.strengths) == list(per.totals()) == GROUPS
    before = [p.detach().clone() for p in per.stacked.parameters]
    per.strengths = {"SO(3)": 0.0, "Scaling(3)": 3.0}
    per.prox_(0.5)
    before[0][:, 0] /= 1 + 0.5 * 3.0
    for parameter, expected in zip(per.stacked.parameters, before, strict=True):
        assert torch.allclose(parameter, expected, atol=1e-14)


@pytest.mark.parametrize("groups", [GROUPS, ["O(2)@x", "O(2)@z", "Scaling(3)"], ["Scaling(3)"]])
def test_the_proximal_step_agrees_with_a_dense_solve(groups):
    strengths = dict(zip(groups, (0.7, 3.0, 40.0), strict=False))
    net = ScaleCanonical("S + 2V", "V", groups, hidden="4S + 2V + T(2)", layers=2).double()
    per = ss.EquivarianceRegularizer(net, groups, strength=strengths)
    one = torch.eye(per.stacked.size, dtype=torch.float64)
    K = sum(strengths[G.name] * (one - per._projector(G).project(one)) for G in per.groups)
    w = per.stacked.flat()
    per.prox_(0.3)
    assert torch.allclose(per.stacked.flat(), torch.linalg.solve(one + 0.3 * K, w), atol=1e-12)


def test_every_parameter_and_input_gets_a_gradient():
    net, x = net_of("3V", "S + V"), rows(rep_in="3V").requires_grad_()
    (net(x).square().sum() + ss.EquivarianceRegularizer(net, GROUPS)() + net.prior()).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())
    assert net.get_parameter(COLUMN).grad[:, 0].abs().min() > 0
    assert torch.autograd.gradcheck(net, rows(2, "3V").requires_grad_(), check_undefined_grad=False)


@pytest.mark.parametrize("rep_in", ["3V", "T(2)"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rows_of_size_zero(rep_in, dtype):
    net, x = net_of(rep_in).to(dtype), torch.zeros(2, 9, dtype=dtype).requires_grad_()
    y = net(x)
    y.sum().backward()
    assert y.dtype == dtype
    assert y.isfinite().all()
    assert x.grad.isfinite().all()


def test_the_usual_size_is_the_median_and_is_kept():
    net, x = net_of(), 50 * rows(301)
    net.fit_size_(x)
    usual = float(net.usual_size)
    assert usual == pytest.approx(float(x[:, 1:10].norm(dim=1).median()), rel=1e-6)
    assert torch.equal(net(x[:4, :].reshape(2, 2, -1)).reshape(4, -1), net(x[:4]))
    again = ScaleCanonical(REP_IN, REP_OUT, GROUPS, width=24, layers=3).double()
    assert not torch.allclose(again(x), net(x))
    again.load_state_dict(net.state_dict())
    assert torch.equal(again(x), net(x))
    net.fit_size_(0 * x)
    assert float(net.usual_size) == 1.0


def test_inputs_of_the_usual_size_meet_the_network_as_they_are():
    net, x = net_of("3V", "V"), rows(rep_in="3V")
    x = x / x.norm(dim=1, keepdim=True) * 1.3
    seen = torch.cat([torch.zeros(len(x), 1), x], dim=1)
    assert torch.allclose(net(x), net.network(seen), atol=1e-6)


def test_sizes_have_degree_one():
    x, degrees = rows(rep_in="T(2)"), torch.full((9,), 2.0, dtype=torch.float64)
    assert torch.allclose(input_sizes(9 * x, degrees), 3 * input_sizes(x, degrees))


def test_it_is_a_network_with_one_more_input():
    net = ScaleCanonical("3V", "S", GROUPS, width=64, layers=3)
    plain = SoftMLP("3V", "S", "SO(3)", width=64, layers=3)
    column = net.get_parameter(COLUMN).shape[0]
    assert count_parameters(net) == count_parameters(plain) + column
    assert [str(rep) for rep in net.network.hidden] == 2 * ["25S + 7U + 2U*U"]
    assert "usual size 1" in repr(net)
    assert layer_distances(net, "Scaling(3)")[COLUMN] > 0 == layer_distances(net, "Scaling(3)")["network.last.weight"]


@pytest.mark.parametrize("init", ["soft", "half-soft"])
def test_initial_weights_are_near_the_largest_group(init):
    standard, near = (ScaleCanonical("3V", "S", GROUPS, width=24, init=name) for name in ("standard", init))
    ratio = near.get_parameter(COLUMN)[:, 0] / standard.get_parameter(COLUMN)[:, 0]
    assert torch.allclose(ratio, torch.tensor({"soft": 1e-3, "half-soft": 0.5}[init]).sqrt())


@pytest.mark.parametrize(
    ("rep_in", "groups", "largest", "kind"),
    [
        ("3V", ["SO(3)", "Scaling(3)"], None, ScaleCanonical),
        ("3V", ["Scaling(3)"], None, ScaleCanonical),
        ("3V", ["O(2)@x", "SO(3) | Scaling(3)", "Scaling(3)"], None, ScaleCanonical),
        ("3V", ["SO(3)"], None, SoftMLP),
        ("3S", ["SO(3)", "Scaling(3)"], None, SoftMLP),
        ("2V'", ["SO(3)", "Scaling(3)"], None, SoftMLP),
        ("3V", ["SL(3)", "Scaling(3)"], None, SoftMLP),
        ("3V", ["SO(3)", "Scaling(3)"], "GL(3)", SoftMLP),
        ("3V[0]", ["SO(3)", "Scaling(3)"], None, SoftMLP),
    ],
)
def test_which_network_is_taken(rep_in, groups, largest, kind):
    net = soft_network(rep_in, "S", groups, 12, 3, largest=largest)
    assert type(net) is kind
    assert net(torch.ones(2, ss.rep(rep_in).size("SO(3)"))).shape == (2, 1)


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="no candidate group is one of scalings; take SoftMLP"):
        ScaleCanonical("3V", "S", "SO(3)")
    with pytest.raises(InputError, match=r"ScaleCanonical cannot undo sizes: nothing in 3S grows"):
        ScaleCanonical("3S", "S", "Scaling(3)")
    with pytest.raises(InputError, match="usual size of an input is a positive number, got 0"):
        ScaleCanonical("3V", "S", "Scaling(3)", usual_size=0)
    with pytest.raises(InputError, match=r"3V under .* has size 9, got an input of shape \(2, 8\)"):
        net_of("3V")(torch.zeros(2, 8, dtype=torch.float64))
