"""The regularizer on networks that softsym did not write: values against dense twins, and all of its operations."""

import numpy as np
import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import BrokenSymmetryWarning, InputError, UntracedWarning
from tests.maps.nets import Decoder, FlatCNN, OwnAttention, ResNet, Sequence, SetTransformer, SmallCNN, scrambled
from tests.twin import reynolds_projector, twin_tensor_basis

FINITE = {
    "cnn": (FlatCNN, "Grid(8,8)", "4S", ["C(4)", "O(1)@2[0]"]),
    "resnet": (ResNet, "3S", "5S", ["C(4)", "O(1)@2[1]"]),
    "decoder": (Decoder, "Grid(6,6)", "Grid(6,6)", ["D(4)", "O(1)@2[0]"]),
    "lstm": (lambda: Sequence(bidirectional=True), "V", "V", ["C(4)@z", "C(2)@x"]),
    "transformer": (SetTransformer, "V", "V", ["C(4)@z", "C(2)@x"]),
}
LARGEST = 600
"""Parameters up to this size are compared with dense twins."""


def setting(name, strength=None):
    build, rep_in, rep_out, groups = FINITE[name]
    torch.manual_seed(0)
    model = scrambled(build())
    strength = strength or {ss.group(G).name: 0.5 + k for k, G in enumerate(groups)}
    return model, ss.EquivarianceRegularizer(model, groups, rep_in, rep_out, strength=strength)


@pytest.mark.parametrize("name", FINITE)
def test_residuals_gradients_and_steps_agree_with_dense_twins(name):
    model, per = setting(name)
    small = [n for n, p in model.named_parameters() if p.numel() <= LARGEST]
    assert len(small) > 3
    per().backward()
    before = {n: model.get_parameter(n).detach().clone() for n in small}
    expected = {}
    for n in small:
        flat = before[n].numpy().ravel()
        projectors = [reynolds_projector(per.proposal[n].factors, G) for G in per.groups]
        K = sum(s * (np.eye(len(flat)) - P) for s, P in zip(per.strengths.values(), projectors, strict=True))
        gradient = model.get_parameter(n).grad
        assert np.allclose(gradient.numpy().ravel(), K @ flat, atol=1e-12)
        expected[n] = np.linalg.solve(np.eye(len(flat)) + 0.1 * K, flat)
    per.prox_(0.1)
    for n in small:
        assert np.allclose(model.get_parameter(n).detach().numpy().ravel(), expected[n], atol=1e-12)


def test_continuous_groups_agree_with_null_spaces():
    model = scrambled(OwnAttention())
    per = ss.EquivarianceRegularizer(model, ["O(2)@z", "O(2)@x"], "V", "V")
    before = model.embed.weight.detach().numpy().copy().ravel()
    Q = twin_tensor_basis(per.proposal["embed.weight"].factors, ss.group("O(2)@x"))
    per.project_("O(2)@x")
    assert np.allclose(model.embed.weight.detach().numpy().ravel(), Q @ Q.T @ before, atol=1e-12)


@pytest.mark.parametrize("name", FINITE)
def test_single_precision(name):
    model, per = setting(name)
    double = per().item()
    model.float()
    assert per().item() == pytest.approx(double, rel=1e-5)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # of torch, where it leaves what it compiles
@pytest.mark.parametrize("name", ["cnn", "transformer"])
def test_compiled_autocast_and_fabric_give_the_same_value(name):
    from lightning_fabric import Fabric

    model, per = setting(name)
    model.float()
    expected = per().item()
    with torch.autocast("cpu", torch.bfloat16):
        assert per().item() == pytest.approx(expected, rel=1e-6)
    compiled = torch.compile(model, backend="eager")
    assert per().item() == pytest.approx(expected, rel=1e-6)
    again = ss.EquivarianceRegularizer(
        compiled, per.groups, FINITE[name][1], FINITE[name][2], strength=dict(per.strengths)
    )
    assert again().item() == pytest.approx(expected, rel=1e-6)
    assert torch.compile(lambda: per() + 1.0, backend="eager")().item() == pytest.approx(expected + 1, rel=1e-6)
    wrapped = Fabric(accelerator="cpu", devices=1).setup(model)
    per().backward()
    assert wrapped.module is model
    assert all(model.get_parameter(n).grad is not None for n in per.proposal)


SHAPES = {"cnn": (1, 8, 8), "resnet": (3, 8, 8), "decoder": (1, 6, 6), "lstm": (5, 3), "transformer": (5, 3)}
"""Of one input of each."""


@pytest.mark.parametrize(
    "rule",
    [lambda: ss.strengths.OneShot(4, 2.0, window=2), lambda: ss.strengths.Continuous(2), lambda: ss.strengths.Fixed()],
    ids=["one-shot", "continuous", "fixed"],
)
@pytest.mark.parametrize("name", FINITE)
def test_strength_controllers_in_a_loop(name, rule):
    model, per = setting(name, strength=1.0)
    rule = rule()
    rule.begin(per.strengths)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    x = torch.randn(6, *SHAPES[name], dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    before = per.totals()
    for epoch in range(1, 6):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        per.prox_(0.01)
        per.strengths = rule.on_epoch_end(per.residuals(), epoch)
    after, values = per.totals(), per.strengths
    assert all(after[group] < before[group] for group in before)
    if isinstance(rule, ss.strengths.Fixed):
        assert set(values.values()) == {1.0}
    else:
        assert values[min(after, key=after.get)] == max(values.values()) == 1.0 > min(values.values())


def test_a_strength_for_each_group_and_layer():
    _, per = setting("cnn")
    layers = per.by_layer()
    assert set(layers) == {"conv1", "conv2", "fc1", "fc2"}
    assert sum(one() for one in layers.values()).item() == pytest.approx(per().item(), rel=1e-12)
    layers["conv1"].strengths["C(4)"] = 0.0
    assert layers["conv1"].totals()["C(4)"] > 0
    layers["fc1"].project_("C(4)")
    residuals = per.residuals()["C(4)"]
    assert residuals["fc1"] < 1e-20 < residuals["fc2"]


def test_what_users_try_first():
    """Each works, or says what it leaves alone and why."""
    broken = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8), 1, enable_nested_tensor=False)
    with (
        pytest.warns(UntracedWarning, match="layers.0.norm1.weight, layers.0.norm2.weight: scales each"),
        pytest.warns(BrokenSymmetryWarning, match=r"breaks O\(3\) here: layer_norm in 'layers.0.norm1' acts"),
    ):
        per = ss.EquivarianceRegularizer(broken, ["O(3)"], "2V", "2V")
    alone = "left alone: layers.0.norm1.weight: scales each coordinate of 2V by itself, which breaks O(3)"
    assert alone in str(per.describe())
    for model, ends, groups in (
        (nn.Conv2d(1, 4, 3), ("S", "4S"), ["C(4)"]),
        (nn.LSTM(3, 8), ("V", "8S"), ["C(4)@z"]),
        (nn.Bilinear(3, 3, 3), ("V", "V"), ["O(3)"]),
    ):
        if isinstance(model, nn.Bilinear):
            with pytest.raises(InputError, match="pass an input as `example`"):
                ss.EquivarianceRegularizer(model, groups, *ends)
            pair = (torch.zeros(2, 3), torch.zeros(2, 3))
            per = ss.EquivarianceRegularizer(model, groups, "2V", "V", example=pair)
            assert str(per.proposal["weight"]) == "V * V -> V"
            continue
        per = ss.EquivarianceRegularizer(model, groups, *ends)
        assert per().item() > 0
        text = str(per.describe())
        assert all(name in text for name, _ in model.named_parameters())


def test_nothing_to_regularise():
    with (
        pytest.raises(InputError, match="no parameter of the model can be regularised"),
        pytest.warns(BrokenSymmetryWarning),
    ):
        ss.EquivarianceRegularizer(nn.Sequential(nn.ReLU(), nn.Softmax(-1)), "C(4)", "V", "V")


@pytest.mark.parametrize("groups", [["C(4)"], ["O(1)@2[0]", "O(1)@2[1]"]], ids=str)
def test_initial_weights_are_equivariant_and_keep_their_norm(groups):
    torch.manual_seed(0)
    net = SmallCNN()
    lengths = [p.norm().item() for p in net.parameters()]
    per = ss.EquivarianceRegularizer(
        net, [*groups, "D(4)"], "Grid(12,12)", "2S", strength={**dict.fromkeys(groups, 3.0), "D(4)": 0.0}
    )
    per.initialize_()
    residuals = per.totals()
    assert max(residuals[group] for group in groups) < 1e-8
    for before, parameter in zip(lengths, net.parameters(), strict=True):
        if parameter.dim() > 1:
            assert parameter.norm().item() == pytest.approx(before, rel=1e-4)
    x = torch.randn(3, 1, 12, 12)
    with torch.no_grad():
        transformed = torch.rot90(x, 1, (2, 3)) if groups == ["C(4)"] else x.flip(3)
        assert torch.allclose(net(x), net(transformed), atol=1e-5)


def test_initialize_keeps_weights_that_would_vanish_and_does_nothing_without_strength():
    net = nn.Linear(3, 1)  # under O(3) only zero leads from a vector to a scalar
    per = ss.EquivarianceRegularizer(net, ["O(3)"], "V", "S", strength=0.0)
    before = net.weight.clone()
    per.initialize_()
    assert torch.equal(net.weight, before)
    per.strengths["O(3)"] = 1.0
    per.initialize_()
    assert torch.equal(net.weight, before)


def test_the_old_name_of_initialize_warns():
    per = ss.EquivarianceRegularizer(nn.Linear(3, 3, bias=False), ["O(3)"], "V", "V")
    with pytest.warns(DeprecationWarning, match="initialize_"):
        per.start_()
    assert per.totals()["O(3)"] < 1e-10
