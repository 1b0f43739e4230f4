"""What every network promises as a module."""

import copy
import io

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.nn.network import HasPrior, get_prior, hidden_reps
from tests.nn.networks import AXES, NETWORKS, SIZE_IN, SIZE_OUT, normal

every = pytest.mark.parametrize("name", NETWORKS)
modes = pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])


def gradients(net: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    net.zero_grad()
    net(x).square().sum().backward()
    return [p.grad.clone() for p in net.parameters() if p.grad is not None]


@every
def test_training_and_evaluation_agree(name):
    net = NETWORKS[name](0).double()
    x = normal(6, SIZE_IN, dtype=torch.float64)
    assert net.train()(x).shape == (6, SIZE_OUT)
    assert torch.allclose(net.train()(x), net.eval()(x), atol=1e-10)
    for a, b in zip(gradients(net.train(), x), gradients(net.eval(), x), strict=True):
        assert torch.allclose(a, b, atol=1e-9)


@every
def test_state_is_the_same_in_both_modes_and_only_parameters(name):
    net = NETWORKS[name](0)
    train = {k: v.clone() for k, v in net.train().state_dict().items()}
    net(normal(3, SIZE_IN))
    evaluated = net.eval().state_dict()
    assert list(train) == list(evaluated) == [k for k, _ in net.named_parameters()]
    assert all(torch.equal(train[k], evaluated[k]) for k in train)


@every
def test_saved_and_loaded(name):
    net, other = NETWORKS[name](0), NETWORKS[name](1)
    x = normal(4, SIZE_IN)
    assert not torch.allclose(net(x), other(x), atol=1e-4)
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(net(x), other(x))
    assert torch.equal(net.eval()(x), other.eval()(x))


@every
def test_saved_as_a_whole(name):
    net = NETWORKS[name](0)
    file = io.BytesIO()
    torch.save(net, file)
    file.seek(0)
    again = torch.load(file, weights_only=False)
    assert torch.equal(net(normal(4, SIZE_IN)), again(normal(4, SIZE_IN)))


@every
def test_copies_are_independent(name):
    net = NETWORKS[name](0)
    twin = copy.deepcopy(net)
    x = normal(4, SIZE_IN)
    before = net(x).detach()
    assert torch.equal(twin(x), before)
    with torch.no_grad():
        for p in twin.parameters():
            p.add_(0.1)
    assert torch.equal(net(x), before)
    assert not torch.allclose(twin(x), before, atol=1e-3)


@every
@modes
def test_precision(name, training):
    net = NETWORKS[name](0).train(training)
    x = normal(4, SIZE_IN)
    single = net(x)
    double = net.to(torch.float64)(x.double())
    assert (single.dtype, double.dtype) == (torch.float32, torch.float64)
    assert torch.allclose(single.double(), double, atol=1e-4, rtol=1e-4)
    back = net.to(torch.float32)(x)
    assert torch.allclose(back, single, atol=1e-5)
    assert all(b.dtype in (torch.float32, torch.int64) for b in net.buffers())


@every
@modes
def test_batches_of_any_shape(name, training):
    net = NETWORKS[name](0).double().train(training)
    x = normal(2, 3, SIZE_IN, dtype=torch.float64)
    flat = net(x.view(6, SIZE_IN))
    assert torch.allclose(net(x), flat.view(2, 3, SIZE_OUT), atol=1e-10)
    assert torch.allclose(net(x[0, 0]), flat[0], atol=1e-10)
    assert torch.allclose(net(x.transpose(0, 1)), flat.view(2, 3, SIZE_OUT).transpose(0, 1), atol=1e-10)


@every
@modes
@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_empty_batches(name, training, shape):
    net = NETWORKS[name](0).train(training)
    out = net(torch.zeros(*shape, SIZE_IN))
    assert out.shape == (*shape, SIZE_OUT)
    if training:
        out.sum().backward()


@every
def test_seeds(name):
    first, again, other = NETWORKS[name](3), NETWORKS[name](3), NETWORKS[name](4)
    same = [torch.equal(p, q) for p, q in zip(first.parameters(), again.parameters(), strict=True)]
    assert all(same)
    x = normal(4, SIZE_IN)
    assert not torch.allclose(first(x), other(x), atol=1e-4)
    torch.manual_seed(123)
    assert all(torch.equal(p, q) for p, q in zip(first.parameters(), NETWORKS[name](3).parameters(), strict=True))


@every
def test_a_generator_is_a_seed(name):
    generator = torch.Generator().manual_seed(3)
    drawn = NETWORKS[name](generator)
    assert all(torch.equal(p, q) for p, q in zip(drawn.parameters(), NETWORKS[name](3).parameters(), strict=True))
    after = NETWORKS[name](generator)  # the generator has moved on
    assert not all(torch.equal(p, q) for p, q in zip(drawn.parameters(), after.parameters(), strict=True))


@pytest.mark.parametrize(
    ("name", "training"), [*((name, True) for name in NETWORKS), ("SoftMLP", False), ("MixedEMLP", False)]
)
def test_compiled_in_one_graph(name, training):
    net = NETWORKS[name](0).train(training)
    x = normal(4, SIZE_IN)
    compiled = torch.compile(net, backend="eager", fullgraph=True)
    assert torch.allclose(compiled(x), net(x), atol=1e-5)
    torch.compiler.reset()


@every
def test_exported(name):
    net = NETWORKS[name](0).eval()
    x = normal(4, SIZE_IN)
    with torch.no_grad():
        program = torch.export.export(net, (x,))
        assert torch.allclose(program.module()(x), net(x), atol=1e-5)


@every
def test_mixed_precision(name):
    net = NETWORKS[name](0).train()
    x = normal(8, SIZE_IN)
    with torch.autocast("cpu", torch.bfloat16):
        out = net(x)
        loss = out.float().square().mean()
    loss.backward()
    exact = net(x).detach()
    assert ((out.detach().float() - exact).norm() / exact.norm()).item() < 0.1
    for p in net.parameters():
        assert p.grad is None or (p.grad.dtype == torch.float32 and torch.isfinite(p.grad).all())
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in net.parameters())


@every
def test_trains(name):
    net = NETWORKS[name](0)
    x, y = normal(32, SIZE_IN), normal(32, SIZE_OUT, seed=1)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("name", [n for n in NETWORKS if n != "FrameAveraged"])
def test_bake_linear(name):
    net = NETWORKS[name](0).eval()
    plain = net.bake()
    x = normal(16, SIZE_IN)
    assert torch.allclose(plain(x), net(x), atol=1e-6)
    linears = plain.layers if name == "MLP" else [*(block.linear for block in plain.blocks), plain.last]
    assert all(type(layer) is nn.Linear for layer in linears)
    if name != "MLP":
        with torch.no_grad():
            plain.last.weight.zero_()
        assert net(x).abs().sum() > 0
        assert torch.allclose(net.double().bake()(x.double()), net(x.double()), atol=1e-12)


@pytest.mark.parametrize("name", ["MLP", "EMLP"])
def test_no_prior(name):
    net = NETWORKS[name](0)
    assert net.prior().item() == 0
    assert net.double().prior().dtype == torch.float64


def test_counts_trainable_numbers_only():
    layer = nn.Linear(3, 4)
    assert ss.nn.count_parameters(layer) == 16
    layer.bias.requires_grad_(False)
    assert ss.nn.count_parameters(layer) == 12


def test_printed():
    shown = repr(NETWORKS["EMLP"](0))
    assert "2S + 3V -> S + V, O(3), " in shown
    assert "parameters" in shown
    assert "size=40, gates=" in shown


@every
def test_wrong_width(name):
    net = NETWORKS[name](0)
    group = "SO\\(3\\)" if name == "RPP" else r".*"
    with pytest.raises(InputError, match=rf"2S \+ 3V under {group} has size 11, got an input of shape \(5, 12\)"):
        net(torch.zeros(5, 12))


@pytest.mark.parametrize("model", [ss.nn.EMLP, ss.nn.RPP, ss.nn.MixedEMLP, ss.nn.SoftMLP])
class TestBadArguments:
    def test_too_few_layers(self, model):
        with pytest.raises(InputError, match=r"a network needs at least 2 linear layers, got layers=1"):
            model("V", "V", "O(3)", width=10, layers=1)

    def test_wrong_number_of_hidden_representations(self, model):
        with pytest.raises(InputError, match=r"4 linear layers have 3 hidden representations, got 2"):
            model("V", "V", "O(3)", hidden=["2V", "2V"])

    def test_hidden_representation_the_group_cannot_act_on(self, model):
        with pytest.raises(InputError, match=r"Grid\(2,2\) has points of R\^2; O\(3\) acts on R\^3"):
            model("V", "V", "O(3)", hidden="Grid(2,2)")
        with pytest.raises(InputError, match=r"V\[1\] needs a direct product of at least 2 groups"):
            model("V", "V", "O(3)", hidden="V[1]")

    def test_no_width(self, model):
        with pytest.raises(InputError, match=r"a hidden representation needs width >= 1, got 0"):
            model("V", "V", "O(3)", width=0)

    def test_nonsense_texts(self, model):
        with pytest.raises(InputError):
            model("W", "V", "O(3)")
        with pytest.raises(InputError):
            model("V", "V", "Q(3)")


def test_hidden_points_that_the_group_does_not_keep():
    """Four pixels cannot be rotated by any angle: an exact network cannot be built on them."""
    with pytest.raises(InputError, match=r"Grid\(2,2\)"):
        ss.nn.EMLP("V", "V", "SO(2)", hidden="Grid(2,2)")


@pytest.mark.parametrize("model", [ss.nn.MixedEMLP, ss.nn.SoftMLP])
def test_groups_of_different_spaces(model):
    message = r"all groups must act on the same space, got O\(3\) on R\^3, O\(2\) on R\^2"
    with pytest.raises(InputError, match=message):
        model("V", "V", ["O(3)", "O(2)"])
    with pytest.raises(InputError, match=r"all groups must act on the same space"):
        model("V", "V", "O(3)", largest="O(2)")
    with pytest.raises(InputError, match=r"pass at least one group"):
        model("V", "V", [])


def test_proposed_hidden_representations():
    assert hidden_reps(128, 4, ss.O(3), None) == [ss.rep("38S + 12V + 3T(2) + T(3)")] * 3
    assert hidden_reps(128, 3, ss.O(3), None, round_up=True) == [ss.rep("54S + 18V + 6T(2) + 2T(3)")] * 2
    assert hidden_reps(1, 3, ss.O(3), ss.Vector) == [ss.Vector] * 2


def test_soft_networks_of_axis_groups_use_the_tensors_of_all_three():
    net = ss.nn.SoftMLP("5S + 5V", "T(2)", AXES, width=384, layers=2)
    assert net.hidden == (ss.rep("102S + 34V + 11T(2) + 3T(3)"),)


def test_hidden_representations_are_given_for_all_layers_or_for_each():
    assert hidden_reps(8, 3, ss.O(3), "2S + V") == [ss.rep("2S + V")] * 2
    assert hidden_reps(8, 3, ss.O(3), ["S", ss.Vector]) == [ss.rep("S"), ss.rep("V")]


@pytest.mark.parametrize("make", [ss.nn.MLP, ss.nn.EMLP])
def test_a_width_that_would_fill_the_memory_is_refused(make):
    with pytest.raises(InputError, match=r"width 1,000,000 .* GB to train; pass a width of at most"):
        make("V", "V", "O(3)", width=1_000_000)
    with pytest.raises(InputError, match="pass a width of at most"):
        ss.nn.SoftMLP("V", "V", ["O(3)"], width=1_000_000)


class Autoencoder(nn.Module):
    """Has a prior, which is a distribution and none of our business."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 3)
        self.prior = torch.distributions.Normal(0.0, 1.0)


def test_somebody_elses_prior_is_left_alone():
    assert get_prior(Autoencoder()) is None


@pytest.mark.parametrize("name", ["MLP", "EMLP", "RPP", "MixedEMLP", "SoftMLP"])
def test_the_networks_declare_theirs(name):
    net = getattr(ss.nn, name)("2V", "V", "O(3)", width=12, layers=2)
    assert isinstance(net, HasPrior)
    assert get_prior(net)().item() == net.prior().item()


def test_frame_averaging_passes_on_the_prior_of_what_it_wraps():
    inner = ss.nn.RPP("2V", "V", "O(3)", width=12, layers=2)
    averaged = ss.nn.FrameAveraged(inner, "2V", "V", "O(3)")
    assert get_prior(averaged)().item() == inner.prior().item() > 0
    plain = ss.nn.FrameAveraged(Autoencoder().inner, "2V", "V", "O(3)")
    assert plain.prior().item() == 0
    assert plain.double().prior().dtype == torch.float64
    assert plain(normal(2, 6, dtype=torch.float64)).shape == (2, 3)
