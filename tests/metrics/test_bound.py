"""The certificate: never below what is found by sampling or by ascent, zero where the network is equivariant."""

import itertools

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.metrics import act, equivariance_bound, equivariance_errors
from softsym.metrics.bound import SWISH_SLOPE, bilinear_norm, gate_constants, multilinear_norm, operator_norm
from softsym.nn import Bilinear, Gated, gated_rep

REP_IN, REP_OUT, RADIUS = ss.rep("2S + 2V"), ss.rep("S + V"), 1.5
GROUPS = ["O(3)", "O(2)@z", "SO(3)", "C(4)@z", "Octahedral()"]


def on_ball(n, size, radius, seed=0):
    """Half of the points on the sphere, half inside."""
    x = np.random.default_rng(seed).standard_normal((n, size))
    x *= radius / np.linalg.norm(x, axis=1, keepdims=True)
    x[::2] *= np.random.default_rng(seed + 1).uniform(0, 1, (len(x[::2]), 1))
    return torch.tensor(x)


def sampled(f, rep_in, rep_out, G, radius, n=200, n_transforms=20):
    x = on_ball(n, ss.rep(rep_in).size(G), radius)
    return equivariance_errors(f, x, rep_in, rep_out, G, n_transforms, "none").max()


def climbed(f, rep_in, rep_out, G, radius, steps=30):
    """The largest error that gradient ascent on the sphere finds, from several starts and for several elements."""
    parts = ss.group(G).sample_parts(4, 7)
    x = on_ball(8, ss.rep(rep_in).size(G), radius, seed=5).requires_grad_()
    best = 0.0
    for _ in range(steps):
        transformed = act(rep_in, G, parts, x)
        gap = (act(rep_out, G, parts, f(x)) - f(transformed.reshape(-1, x.shape[1])).reshape(4, len(x), -1)).norm(
            dim=-1
        )
        best = max(best, float(gap.detach().max()))
        (slope,) = torch.autograd.grad(gap.sum(), x)
        with torch.no_grad():
            x = x + 0.3 * radius * slope / slope.norm(dim=1, keepdim=True).clamp_min(1e-12)
            x = (x * (radius / x.norm(dim=1, keepdim=True)).clamp_max(1.0)).requires_grad_()
    return best


def near(net, G, share, soft=None):
    """The network with every linear layer moved towards equivariance: PW + share (W - PW)."""
    with torch.no_grad():
        for name, one in net.representations().items():
            p = net.get_parameter(name)
            p.sub_((1 - share) * one.space(G).residual(p))
        for block in net.blocks if soft is not None else ():
            block.gated.soft.fill_(soft)
    return net


def network(group="O(3)", seed=0, layers=3, **options):
    return ss.nn.SoftMLP(REP_IN, REP_OUT, [group], width=14, layers=layers, seed=seed, **options).double().eval()


@pytest.mark.parametrize("share", [1.0, 0.1, 1e-3])
@pytest.mark.parametrize("G", GROUPS)
def test_bounds_a_soft_network(G, share):
    net = near(network("O(3)"), G, share)
    bound = equivariance_bound(net, G, RADIUS)
    found = max(sampled(net, REP_IN, REP_OUT, G, RADIUS), climbed(net, REP_IN, REP_OUT, G, RADIUS))
    assert 0 < found <= bound.value < np.inf


@pytest.mark.parametrize("G", ["O(3)", "O(2)@z"])
@pytest.mark.parametrize("weight", [0.01, 1.0])
def test_bounds_soft_gates_alone(G, weight):
    net = near(network("O(3)", layers=2), G, 0.0, soft=weight)
    bound = equivariance_bound(net, G, RADIUS)
    assert 0 < max(sampled(net, REP_IN, REP_OUT, G, RADIUS), climbed(net, REP_IN, REP_OUT, G, RADIUS)) <= bound.value
    assert bound.contributions["blocks.0.gated"] == pytest.approx(bound.value)


def test_goes_to_zero_with_the_distance():
    values = [
        equivariance_bound(near(network(), "O(3)", share, soft=0.0), "O(3)", RADIUS).value
        for share in (1e-2, 1e-4, 1e-6, 0)
    ]
    assert values[0] > 50 * values[1] > 2500 * values[2] > 0
    assert values[3] < 1e-6 * values[0]


def test_an_exact_network_has_almost_no_bound():
    net = ss.nn.EMLP(REP_IN, REP_OUT, "O(3)", width=14, layers=3).double()
    free = equivariance_bound(network(), "O(3)", RADIUS).value
    assert equivariance_bound(net, "O(3)", RADIUS).value < 1e-9 * free
    assert equivariance_bound(net, "O(2)@z", RADIUS).value < 1e-9 * free


def test_what_a_bound_says():
    net = near(network(), "O(3)", 0.1)
    bound = equivariance_bound(net, "O(3)", RADIUS)
    assert list(bound.contributions) == [
        "blocks.0.linear",
        "blocks.0.gated",
        "blocks.1.linear",
        "blocks.1.gated",
        "last",
    ]
    assert sum(bound.contributions.values()) == pytest.approx(bound.value)
    linear = sum(value for name, value in bound.contributions.items() if "gated" not in name)
    assert linear <= bound.constant * bound.distance
    assert equivariance_bound(net, "O(3)", 2 * RADIUS).value > bound.value > equivariance_bound(net, "O(3)", 0.0).value


def plain(seed, bias=True, sizes=(8, 10, 4)):
    rng = np.random.default_rng(seed)
    return [
        (rng.standard_normal((b, a)) / a**0.5, rng.standard_normal(b) if bias else None)
        for a, b in itertools.pairwise(sizes)
    ]


def gate_by_length(x):
    """Equivariant to O(3) on S + 3V and 1-Lipschitz: tanh of the scalar, every vector pulled to the unit ball."""
    vectors = x[:, 1:].unflatten(1, (3, 3))
    length = vectors.norm(dim=2, keepdim=True).clamp_min(1.0)
    return torch.cat([x[:, :1].tanh(), (vectors / length).flatten(1)], dim=1)


@pytest.mark.parametrize("share", [1.0, 0.01])
@pytest.mark.parametrize("bias", [True, False])
def test_bounds_a_list_of_layers(share, bias):
    reps = [REP_IN, ss.rep("S + 3V"), REP_OUT]
    layers = []
    for (W, b), rep_in, rep_out in zip(plain(1, bias), reps, reps[1:], strict=False):
        W = W - (1 - share) * ss.equivariant_maps(rep_in, rep_out, "O(3)").residual(W)
        b = None if b is None else b - (1 - share) * ss.invariants(rep_out, "O(3)").residual(b)
        layers.append((W, b))

    def f(x):
        for k, (W, b) in enumerate(layers):
            x = x @ torch.tensor(W).T + (0.0 if b is None else torch.tensor(b))
            x = gate_by_length(x) if k == 0 else x
        return x

    bound = equivariance_bound(layers, "O(3)", RADIUS, reps=reps)
    found = max(sampled(f, reps[0], reps[-1], "O(3)", RADIUS), climbed(f, reps[0], reps[-1], "O(3)", RADIUS))
    assert 0 < found <= bound.value
    assert bound.value <= bound.constant * bound.distance
    assert found > bound.value / 100  # for two layers the bound is not far off


def test_one_linear_layer_by_hand():
    W, b = np.diag([1.0, 1.0, 4.0]), np.array([0.0, 0.0, 3.0])
    bound = equivariance_bound([(W, b)], "O(3)", 2.0, reps=["V", "V"])
    assert bound.value == pytest.approx(2 * 2.0 * 2 + 2 * 3)  # W - PW = diag(-1, -1, 2), Pb = 0
    assert bound.constant == pytest.approx(4.0)
    assert bound.distance == pytest.approx(6**0.5 + 3)
    assert sampled(lambda x: x @ torch.tensor(W).T + torch.tensor(b), "V", "V", "O(3)", 2.0) > bound.value / 3


def test_groups_that_stretch_need_a_bound_of_their_elements():
    layers, reps = [(np.array([[1.0, 2.0, 3.0]]), np.ones(1))], ["V", "S"]
    with pytest.raises(InputError, match=r"Scaling\(3\) is not orthogonal, .* pass `rho_bound`"):
        equivariance_bound(layers, "Scaling(3)", 1.0, reps=reps)
    bound = equivariance_bound(layers, "Scaling(3)", 1.0, reps=reps, rho_bound=np.e)
    found = sampled(lambda x: x @ torch.tensor(layers[0][0]).T + 1, "V", "S", "Scaling(3)", 1.0)
    assert 0 < found <= bound.value
    net = near(network("Scaling(3)", layers=2), "Scaling(3)", 0.1)
    bound = equivariance_bound(net, "Scaling(3)", 0.5, rho_bound=np.e**3)
    assert 0 < sampled(net, REP_IN, REP_OUT, "Scaling(3)", 0.5) <= bound.value


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ([(np.eye(3), None)], {}, "1 layers have 2 representations, got none; pass `reps`"),
        ([(np.eye(3), None)], {"reps": ["V"]}, "1 layers have 2 representations, got 1"),
        ([(np.eye(2), None)], {"reps": ["V", "V"]}, r"`W` must have shape \(..., 3, 3\)"),
        ([(np.eye(3), None)], {"reps": ["V", "V"], "radius": -1.0}, "`radius` must be a non-negative number, got -1.0"),
        ([(np.eye(3), None)], {"reps": ["V", "V"], "rho_bound": 0.5}, "`rho_bound` must be at least 1"),
        ([(np.eye(3), None)], {"reps": ["V", "V"], "lipschitz": -1.0}, "must not be negative"),
        (ss.nn.MLP("V", "V", "O(3)", width=4), {}, "MLP has no representations in its hidden layers"),
        (network(), {"reps": ["V", "V"]}, "a network knows its own"),
        (network(), {"group": "O(2)"}, r"the network is for O\(3\) on R\^3, not for O\(2\) on R\^2"),
        (
            network(),
            {"group": "SL(3)", "rho_bound": 9.0},
            r"bilinear layers are those of O\(3\), not equivariant to SL\(3\)",
        ),
    ],
)
def test_refuses(model, options, message):
    with pytest.raises(InputError, match=message):
        equivariance_bound(**({"model": model, "group": "O(3)", "radius": 1.0} | options))


def test_the_model_is_not_changed():
    net = network()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    equivariance_bound(net.train(), "O(3)", 1.0)
    assert net.training
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


def test_norms_of_matrices():
    assert operator_norm(np.diag([1.0, -3.0])) == 3.0
    assert operator_norm(np.zeros((0, 4))) == 0.0


def test_the_slope_of_swish():
    x = torch.linspace(-10, 10, 20_001, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.nn.functional.silu(x).sum(), x)
    assert SWISH_SLOPE - 1e-4 < float(slope.max()) <= SWISH_SLOPE


@pytest.mark.parametrize(
    ("rep", "group"),
    [("3S + 2V", "O(3)"), ("2S + 2V + 2T(2)", "SO(3)"), ("2S + V + V' + 2T(1,1)", "SL(2)"), ("2V + T(2)", "S(3)")],
)
def test_the_norm_of_a_bilinear_layer_is_an_upper_bound_and_not_far_off(rep, group):
    rep, G = ss.rep(rep), ss.group(group)
    layer = Bilinear(rep, G, torch.Generator().manual_seed(1)).double().eval()
    n = rep.size(G)
    eye = torch.eye(n, dtype=torch.float64)
    single = (layer(eye) - eye) / 0.1  # B(e_i, e_i)
    pairs = (eye[:, None] + eye).reshape(-1, n)
    double = ((layer(pairs) - pairs) / 0.1).reshape(n, n, n)
    symmetric = ((double - single[:, None] - single) / 2).detach().numpy()  # the symmetric part of the form
    u, best = np.random.default_rng(0).standard_normal((50, n)), 0.0
    for _ in range(100):
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        value = np.einsum("ijk,ni,nj->nk", symmetric, u, u)
        best = max(best, np.linalg.norm(value, axis=1).max())
        u = np.einsum("ijk,nj,nk->ni", symmetric, u, value) + u
    assert best <= bilinear_norm(layer) <= 10 * best


def test_the_norm_of_a_form_without_terms_is_zero():
    assert bilinear_norm(Bilinear(ss.rep("3S"), ss.O(3))) == 0
    assert multilinear_norm(np.ones((2, 3, 4))) == pytest.approx(24**0.5)


@pytest.mark.parametrize("soft", [0.0, 0.3, -2.0])
@pytest.mark.parametrize(
    ("text", "largest", "group"),
    [("2S + 2V", "O(3)", "O(2)@z"), ("S + 2V", "S(3)", "S(3)"), ("2V + S", "S(3)", "O(3)")],
)
def test_constants_of_gates(text, largest, group, soft):
    rep, largest, group = ss.rep(text), ss.group(largest), ss.group(group)
    layer = Gated(rep, largest, soft=True).double().eval()
    rng = np.random.default_rng(0)
    with torch.no_grad():
        layer.soft.copy_(soft * torch.tensor(rng.uniform(0.5, 1, layer.size)))
    whole = gated_rep(rep, largest)
    radius = 3.0
    x, y = (on_ball(2000, whole.size(largest), radius, seed) for seed in (0, 3))
    y[1000:] = x[1000:] + 1e-3 * y[1000:]
    y *= (radius / y.norm(dim=1, keepdim=True)).clamp_max(1.0)
    c = gate_constants(layer, rep, largest, group, radius)
    with torch.no_grad():
        assert float((layer(x).norm(dim=1) / x.norm(dim=1)).max()) <= c.growth
        assert float(((layer(x) - layer(y)).norm(dim=1) / (x - y).norm(dim=1)).max()) <= c.lipschitz
    found = equivariance_errors(layer, x, whole, rep, group, 10, "none").max()
    assert found <= 2 * c.broken * radius + 1e-12
    assert (c.broken > 0) == (found > 1e-9)
