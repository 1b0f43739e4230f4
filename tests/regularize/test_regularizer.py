"""The regularizer against its definition, and what its operations promise."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps import TensorMap, incoming, outgoing
from tests.nn.networks import normal
from tests.regularize.models import AXES, GROUPS, ROUTE, dense_bases, dense_residual, outside, soft_model
from tests.twin import reynolds_projector

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from skorch.callbacks import Callback


class SoftSymmetry(Callback):
    """Makes the regularizer when training begins, and takes its step after each batch; as in the docs, and pickled with its net."""

    def on_train_begin(self, net, **_):
        before = self.per.state_dict() if hasattr(self, "per") else None
        self.per = ss.EquivarianceRegularizer(net.module_, ["O(2)@z"], rep_in="2V", rep_out="V", strength=9.0)
        if before is not None:
            self.per.load_state_dict(before)

    def on_batch_end(self, net, training=False, **_):
        if training:
            self.per.prox_(net.optimizer_.param_groups[0]["lr"])


every = pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)


def strengths_of(groups: list[str]) -> dict[str, float]:
    return {ss.group(G).name: 0.5 + k for k, G in enumerate(groups)}


def setting(groups, **options):
    model = soft_model(groups)
    per = ss.EquivarianceRegularizer(model, groups, **options)
    bases = {ss.group(G).name: dense_bases(model, model.representations(), G) for G in groups}
    return model, per, bases


def dense_penalty(model, per, bases):
    return sum(per.strengths[name] * dense_residual(model, basis) for name, basis in bases.items())


def gradients(model, value):
    slopes = torch.autograd.grad(value, list(model.parameters()), allow_unused=True)
    return torch.cat([g.flatten() for g in slopes if g is not None])


@every
@pytest.mark.parametrize(("dtype", "tol"), [(torch.float64, 1e-12), (torch.float32, 1e-6)])
def test_agrees_with_the_dense_definition(groups, dtype, tol):
    model, per, bases = setting(groups, strength=strengths_of(groups))
    expected = dense_penalty(model, per, bases)
    slope = gradients(model, expected)
    model.to(dtype)
    value = per()
    assert value.shape == ()
    assert value.dtype == dtype
    assert abs(value.item() - expected.item()) <= tol * (1 + abs(expected.item()))
    assert (gradients(model, value) - slope).norm() <= tol * (1 + slope.norm())
    totals = per.totals()
    for name, basis in bases.items():
        R = dense_residual(model.double(), basis).item()
        assert totals[name] == pytest.approx(R, rel=10 * tol, abs=tol)


@every
def test_residuals_add_up(groups):
    model, per, bases = setting(groups, strength=strengths_of(groups))
    residuals, totals = per.residuals(), per.totals()
    assert list(residuals) == list(totals) == list(per.strengths)
    for name, layers in residuals.items():
        assert list(layers) == ["blocks.0.linear", "blocks.1.linear", "last"]
        assert sum(layers.values()) == pytest.approx(totals[name], rel=1e-12)
        weight, bias = outside(model, bases[name])[-2:]
        last = 0.5 * (weight.square().sum() + bias.square().sum()).item()
        assert layers["last"] == pytest.approx(last, rel=1e-10, abs=1e-20)
    assert per().item() == pytest.approx(sum(per.strengths[g] * R for g, R in totals.items()), rel=1e-10)


@every
def test_zero_if_and_only_if_equivariant(groups):
    model, per, _ = setting(groups)
    start = per.totals()
    for G in per.groups:
        trivial = per._projector(G).dim == per.stacked.size
        assert (start[G.name] < 1e-20) == trivial
        per.project_(G)
        assert per.totals()[G.name] < 1e-20
        with torch.no_grad():
            model.last.weight += 1e-3 * normal(*model.last.weight.shape, seed=8, dtype=torch.float64)
        assert (per.totals()[G.name] > 1e-10) == (not trivial)


@every
def test_projection_is_idempotent_and_its_distance_agrees_with_the_residual(groups):
    for G in groups:
        model, per, bases = setting(groups)
        before = per.totals()[ss.group(G).name]
        expected = [
            (model.get_parameter(n).flatten() - rest).detach()
            for n, rest in zip(bases[ss.group(G).name], outside(model, bases[ss.group(G).name]), strict=True)
        ]
        assert per.project_(G) == pytest.approx(math.sqrt(2 * before), rel=1e-10, abs=1e-12)
        for name, value in zip(bases[ss.group(G).name], expected, strict=True):
            assert torch.allclose(model.get_parameter(name).flatten(), value, atol=1e-12)
        assert per.project_(G) < 1e-12


@every
@pytest.mark.parametrize("dimensionless", [False, True])
def test_a_step_is_a_gradient_step(groups, dimensionless):
    model, per, _ = setting(groups, strength=strengths_of(groups), dimensionless=dimensionless)
    names = per.stacked.names
    before = [model.get_parameter(name).detach().clone() for name in names]
    others = {n: p.detach().clone() for n, p in model.named_parameters() if n not in names}
    slopes = torch.autograd.grad(per(), per.stacked.parameters)
    per.step_(0.03)
    for name, old, slope in zip(names, before, slopes, strict=True):
        assert torch.allclose(model.get_parameter(name), old - 0.03 * slope, atol=1e-12)
    assert all(torch.equal(model.get_parameter(n), p) for n, p in others.items())


def test_a_step_of_one_group_with_rate_one_over_its_strength_is_the_projection():
    model, per, _ = setting(["SL(2)@z"], strength=4.0)
    per.step_(0.25)
    assert per.totals()["SL(2)@z"] < 1e-20
    assert isinstance(model, nn.Module)


@every
def test_dimensionless_formula(groups):
    model, per, bases = setting(groups, strength=strengths_of(groups), dimensionless=True)
    n = per.stacked.size
    squares = sum(p.square().sum() for p in per.stacked.parameters)
    expected = 0.0
    for name, basis in bases.items():
        share = 1 - sum(Q.shape[1] for Q in basis.values()) / n
        if share:
            expected = expected + per.strengths[name] * dense_residual(model, basis) / squares / share
    assert per().item() == pytest.approx(expected.item(), rel=1e-10, abs=1e-14)
    assert torch.allclose(gradients(model, per()), gradients(model, expected), atol=1e-10)


def test_dimensionless_ignores_the_size_of_weights():
    model, per, _ = setting(AXES, dimensionless=True)
    before = per().item()
    with torch.no_grad():
        for p in per.stacked.parameters:
            p.mul_(17.0)
    assert per().item() == pytest.approx(before, rel=1e-10)
    plain = ss.EquivarianceRegularizer(model, AXES)
    assert plain().item() != pytest.approx(before, rel=1e-2)
    free = soft_model(AXES, width=40)
    with torch.no_grad():
        for p in free.parameters():
            p.normal_(generator=torch.Generator().manual_seed(0))
    for G in AXES:  # white weights have R = 1/2 whatever their number
        assert ss.EquivarianceRegularizer(free, [G], dimensionless=True)().item() == pytest.approx(0.5, rel=0.05)


def test_dimensionless_at_zero():
    model, per, _ = setting(AXES, dimensionless=True)
    with torch.no_grad():
        for p in per.stacked.parameters:
            p.zero_()
    value = per()
    value.backward()
    per.step_(0.1)
    assert value.item() == 0
    assert all(torch.isfinite(p).all() and torch.isfinite(p.grad).all() for p in per.stacked.parameters)
    assert isinstance(model, nn.Module)


@pytest.mark.parametrize("bias", [True, False])
def test_bare_linear_layer(bias):
    torch.manual_seed(0)
    layer = nn.Linear(6, 3, bias=bias).double()
    per = ss.EquivarianceRegularizer(layer, ["O(2)@z", "O(3)"], rep_in="2V", rep_out="V")
    W = layer.weight.detach()
    # O(3): each 3x3 block becomes its trace over three times one; no vector is invariant.
    R = sum(0.5 * (B - B.trace() / 3 * torch.eye(3)).square().sum() for B in (W[:, :3], W[:, 3:]))
    R = R + (0.5 * layer.bias.detach().square().sum() if bias else 0)
    assert per.totals()["O(3)"] == pytest.approx(R.item(), rel=1e-12)
    assert list(per.residuals()["O(3)"]) == ["linear"]
    per.project_("O(3)")
    assert torch.allclose(layer.weight[:, :3], W[:, :3].trace() / 3 * torch.eye(3).double())
    assert layer.bias is None or layer.bias.abs().max() < 1e-14


def test_chain_of_layers_with_proposed_or_given_hidden_representations():
    chain = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 20, bias=False), nn.Tanh(), nn.Linear(20, 3))
    proposed = ss.EquivarianceRegularizer(chain, AXES, rep_in="2V", rep_out="V")
    assert proposed.describe().rows[0].representation == f"2V -> {ss.hidden_rep(20, 'O(3)')}"
    assert list(proposed.residuals()["O(2)@x"]) == ["0", "2", "4"]
    given = ss.EquivarianceRegularizer(chain, AXES, "2V", "V", reps=["20S", "2S + 6V"])
    assert [row.representation for row in given.describe().rows] == [
        "2V -> 20S",
        "20S",
        "20S -> 2S + 6V",
        "2S + 6V -> V",
        "V",
    ]
    given().backward()
    given.project_("O(3)")
    assert not chain[0].weight.any()  # no O(3)-equivariant map leads from vectors to scalars
    assert max(given.totals().values()) < 1e-10


class Odd(nn.Module):
    """Linear layers in no order at all."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 1, bias=False)})
        self.free = nn.Linear(7, 7)

    def forward(self, x):
        return self.heads["a"](x), self.heads["b"](x)


def test_chosen_layers_of_any_module():
    torch.manual_seed(0)
    model = Odd()
    free = model.free.weight.detach().clone()
    per = ss.EquivarianceRegularizer(model, ["SO(2)@z"], reps={"heads.a": ("V", "V"), "heads.b": ("V", "S")})
    assert per.stacked.names == ("heads.a.weight", "heads.a.bias", "heads.b.weight")
    assert set(per.residuals()["SO(2)@z"]) == {"heads.a", "heads.b"}
    per.project_("SO(2)@z")
    W = model.heads["a"].weight.detach()
    assert W[0, 0] == pytest.approx(W[1, 1].item())
    assert W[0, 1] == pytest.approx(-W[1, 0].item())
    assert W[:2, 2].abs().max() < 1e-7
    assert model.heads["b"].weight[0, :2].abs().max() < 1e-7
    assert torch.equal(model.free.weight, free)


def test_one_group_as_text_or_value():
    layer = nn.Linear(3, 3)
    for G in ("O(3)", ss.O(3), [ss.O(3)]):
        assert list(ss.EquivarianceRegularizer(layer, G, "V", "V").strengths) == ["O(3)"]
    mine = ss.Group.from_generators(discrete=[[[0, 1], [1, 0]]], name="swap")
    per = ss.EquivarianceRegularizer(nn.Linear(2, 2), mine, "V", "V", strength={"swap": 2.0})
    assert per.strengths == {"swap": 2.0}


def test_any_group_of_the_same_space_can_be_projected_to():
    model, per, _ = setting(AXES)
    per.project_("O(2)@x | O(2)@z")
    assert max(per.totals().values()) < 1e-20
    with pytest.raises(InputError, match=r"O\(2\) acts on R\^2, the model's groups on R\^3"):
        per.project_("O(2)")
    assert isinstance(model, nn.Module)


def test_strengths_are_read_and_set():
    _, per, _ = setting(AXES, strength=2.0)
    assert dict(per.strengths) == dict.fromkeys(AXES, 2.0)
    before = per().item()
    per.strengths = dict.fromkeys(AXES, 4.0)
    assert per().item() == pytest.approx(2 * before, rel=1e-12)
    per.strengths["O(2)@x"] = 0.0
    per.strengths["O(2)@y"] = 0
    assert per().item() == pytest.approx(4 * per.totals()["O(2)@z"], rel=1e-10)
    per.strengths = dict.fromkeys(AXES, 0.0)
    assert per().item() == 0


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf"), "1", None])
def test_impossible_strengths(bad):
    model, per, _ = setting(["O(2)@z"])
    message = r"the strength of O\(2\)@z must be a number that is finite and at least 0, got "
    with pytest.raises(InputError, match=message):
        per.strengths["O(2)@z"] = bad
    with pytest.raises(InputError, match=message):
        per.strengths = {"O(2)@z": bad}
    with pytest.raises(InputError, match=message):
        ss.EquivarianceRegularizer(model, ["O(2)@z"], strength={"O(2)@z": bad})
    assert per.strengths["O(2)@z"] == 1.0


def test_strengths_of_unknown_or_missing_groups():
    model, per, _ = setting(AXES)
    with pytest.raises(InputError, match=r"unknown group 'O\(3\)'; the groups are O\(2\)@x, O\(2\)@y"):
        per.strengths["O(3)"] = 1.0
    with pytest.raises(InputError, match=r"unknown group 'O\(3\)'"):
        ss.EquivarianceRegularizer(model, AXES, strength={**dict.fromkeys(AXES, 1.0), "O(3)": 1.0})
    with pytest.raises(InputError, match=r"`strength` lacks O\(2\)@y, O\(2\)@z; give one for each group"):
        ss.EquivarianceRegularizer(model, AXES, strength={"O(2)@x": 1.0})


def test_bad_groups():
    model = soft_model(AXES)
    with pytest.raises(InputError, match=r"every group must be given once, got O\(3\), O\(3\)"):
        ss.EquivarianceRegularizer(model, ["O(3)", "O(3)"])
    with pytest.raises(InputError, match=r"all groups must act on the same space, got O\(3\) on R\^3, O\(2\) on"):
        ss.EquivarianceRegularizer(model, ["O(3)", "O(2)"])
    with pytest.raises(InputError, match=r"pass at least one group"):
        ss.EquivarianceRegularizer(model, [])


def test_state_survives():
    _, per, _ = setting(AXES)
    per.strengths["O(2)@y"] = 7.0
    _, other, _ = setting(AXES)
    other.load_state_dict(per.state_dict())
    assert dict(other.strengths) == dict(per.strengths)
    state = per.state_dict()
    per.strengths["O(2)@y"] = 1.0
    assert state == {"strengths": {"O(2)@x": 1.0, "O(2)@y": 7.0, "O(2)@z": 1.0}}


def test_follows_the_model_to_another_precision():
    model = soft_model(AXES).float()
    per = ss.EquivarianceRegularizer(model, AXES)
    single = per().item()
    model.double()
    double = per()
    assert double.dtype == torch.float64
    assert single == pytest.approx(double.item(), rel=1e-5)
    per.project_("O(2)@z")
    assert per.totals()["O(2)@z"] < 1e-20
    model.load_state_dict(soft_model(AXES, seed=1).state_dict())
    fresh = ss.EquivarianceRegularizer(model, AXES)
    assert per().item() == fresh().item()


def test_under_mixed_precision():
    """Inside autocast the penalty is what it is outside."""
    model = soft_model(AXES).float()
    per = ss.EquivarianceRegularizer(model, AXES)
    expected = per().item()
    with torch.autocast("cpu", torch.bfloat16):
        value = per()
        value.backward()
    assert value.item() == pytest.approx(expected, rel=1e-5)


def test_training_makes_the_strong_symmetry_hold():
    model = soft_model(AXES, width=20).float()
    per = ss.EquivarianceRegularizer(model, AXES, strength={"O(2)@x": 0.0, "O(2)@y": 0.0, "O(2)@z": 10.0})
    x = torch.randn(64, 7, generator=torch.Generator().manual_seed(0))
    y = torch.randn(64, 12, generator=torch.Generator().manual_seed(1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    start, losses = per.totals(), []
    for _ in range(40):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean() + per() + model.prior()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    end = per.totals()
    assert losses[-1] < losses[0]
    assert end["O(2)@z"] < 0.2 * start["O(2)@z"]
    assert end["O(2)@x"] > 5 * end["O(2)@z"]


def test_printed():
    per = ss.EquivarianceRegularizer(nn.Linear(3, 3), ["O(3)", "O(2)@z"], "V", "V", strength=0.5)
    assert repr(per) == "EquivarianceRegularizer(2 parameters; O(3): 0.5, O(2)@z: 0.5)"


def test_shared_layers_count_as_often_as_they_are_named():
    assert ROUTE[0] == "S + 2V"
    shared = nn.Linear(3, 3, bias=False).double()
    model = nn.ModuleDict({"a": shared, "b": shared})
    per = ss.EquivarianceRegularizer(model, "O(3)", reps={"a": ("V", "V")})
    once = per.totals()["O(3)"]
    assert per().item() == pytest.approx(once, rel=1e-12)


def test_parameters_of_any_number_of_axes():
    """A convolution's kernel and packed attention weights, towards two groups: value, gradient and projection by dense projectors."""
    model = nn.ModuleDict({"conv": nn.Conv2d(3, 2, 3), "heads": nn.MultiheadAttention(4, 2)}).double()
    maps = {
        "conv.weight": TensorMap((outgoing("V"), incoming("S + V"), incoming("Grid(3,3)", shape=(3, 3)))),
        "conv.bias": TensorMap.vector("V"),
        "heads.in_proj_weight": TensorMap((outgoing("V", copies=6), incoming("V", copies=2))),
    }
    groups, strengths = ["C(4)", "D(4)"], {"C(4)": 0.5, "D(4)": 2.0}
    per = ss.EquivarianceRegularizer(model, groups, reps=maps, strength=strengths)
    expected, gradients = 0.0, dict.fromkeys(maps, 0.0)
    for G in groups:
        for name, one in maps.items():
            value = model.get_parameter(name).detach()
            P = torch.tensor(reynolds_projector(one.factors, ss.group(G)))
            rest = (value.flatten() - P @ value.flatten()).view(value.shape)
            expected += strengths[G] * 0.5 * float(rest.square().sum())
            gradients[name] = gradients[name] + strengths[G] * rest
    loss = per()
    loss.backward()
    assert loss.item() == pytest.approx(expected, rel=1e-12)
    for name, gradient in gradients.items():
        assert torch.allclose(model.get_parameter(name).grad, gradient, atol=1e-12)
    assert per.residuals()["C(4)"].keys() == {"conv", "heads"}
    rows = {row.parameter: (row.representation, row.dimensions["D(4)"]) for row in per.describe().rows}
    assert rows == {
        "conv.weight": ("(S + V) * Grid(3,3) -> V", 7),
        "conv.bias": ("V", 0),
        "heads.in_proj_weight": ("2V -> 6V", 12),
    }
    per.project_("D(4)")
    assert per.totals()["D(4)"] < 1e-24


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))])
def test_a_copy_regularises_the_copy_of_the_model(copied):
    model, per, _ = setting(AXES)
    per.strengths["O(2)@y"] = 7.0
    per.prox_(0.01)  # fills the caches
    value = per().item()
    other_model, other = copied((model, per))
    assert other().item() == value
    assert dict(other.strengths) == dict(per.strengths)
    other.project_("O(2)@z")
    assert per().item() == value
    assert other.residuals()["O(2)@z"][next(iter(other.residuals()["O(2)@z"]))] < 1e-12
    assert all(
        a is b
        for a, b in zip(other.stacked.parameters, map(other_model.get_parameter, other.stacked.names), strict=True)
    )


def test_strengths_live_in_checkpoints_of_lightning(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pl = pytest.importorskip("pytorch_lightning")

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Linear(6, 3)
            self.per = ss.EquivarianceRegularizer(self.net, ["O(2)@z"], rep_in="2V", rep_out="V")

        def on_save_checkpoint(self, checkpoint):
            checkpoint["softsym"] = self.per.state_dict()

        def on_load_checkpoint(self, checkpoint):
            self.per.load_state_dict(checkpoint["softsym"])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = Module()
        module.per.strengths["O(2)@z"] = 4.5
        trainer = pl.Trainer(
            accelerator="cpu", logger=False, enable_checkpointing=False, barebones=False, enable_progress_bar=False
        )
        trainer.strategy.connect(module)
        trainer.save_checkpoint(tmp_path / "model.ckpt", weights_only=True)
        again = Module.load_from_checkpoint(tmp_path / "model.ckpt")
    assert dict(again.per.strengths) == {"O(2)@z": 4.5}
    assert torch.equal(again.net.weight, module.net.weight)


def test_strengths_live_in_a_pickled_net_of_skorch():
    skorch = pytest.importorskip("skorch")
    x = np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32)
    net = skorch.NeuralNetRegressor(
        torch.nn.Linear,
        module__in_features=6,
        module__out_features=3,
        callbacks=[SoftSymmetry()],
        max_epochs=2,
        verbose=0,
        train_split=None,
    )
    net.fit(x, x[:, :3])
    dict(net.callbacks_)["SoftSymmetry"].per.strengths["O(2)@z"] = 3.5
    again = pickle.loads(pickle.dumps(net)).partial_fit(x, x[:, :3])
    callback = dict(again.callbacks_)["SoftSymmetry"]
    assert dict(callback.per.strengths) == {"O(2)@z": 3.5}
    assert callback.per.stacked.parameters[0] is again.module_.weight


@pytest.mark.parametrize("group", ["O(3)", "O(2)@z", "S(3)"])
def test_pseudovectors_and_symmetric_matrices(group):
    """The projection of a linear layer is equivariant, and not to the same map of vectors."""
    layer = nn.Linear(9, 9).double()
    rep_in, rep_out = ss.rep("V + Sym(2)"), ss.rep("pV + Sym(2)")
    per = ss.EquivarianceRegularizer(layer, groups=[group], rep_in=rep_in, rep_out=rep_out)
    per.project_(group)
    g = ss.group(group).sample(4, seed=1)
    W, b = layer.weight.detach().numpy(), layer.bias.detach().numpy()
    np.testing.assert_allclose(rep_out.rho(group, g) @ W, W @ rep_in.rho(group, g), atol=1e-12)
    np.testing.assert_allclose(rep_out.rho(group, g) @ b, np.tile(b, (4, 1)), atol=1e-12)
    assert np.abs(W).max() > 1e-2
