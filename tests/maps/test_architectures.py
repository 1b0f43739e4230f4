"""What people write, through the regularizer: every parameter is followed, and a projected model is equivariant at every element."""

import importlib.util
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import BrokenSymmetryWarning, InputError, UntracedWarning
from tests.maps import architectures as nets
from tests.maps.nets import act, scrambled

ROTATIONS, IMAGE = ["C(4)@z", "C(2)@x"], ["C(4)", "O(1)@2[0]", "D(4)"]


def draw(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


NODES = (draw(nets.N_NODES, 6), nets.EDGES)
PATCHES, PHOTO = (draw(3, 3, 12, 12),), (draw(2, 3, 33, 33),)
FOLLOWED = {
    "gcn": (nets.GCN, NODES, "2V", "V", ROTATIONS),
    "gcn, dense": (nets.DenseGCN, NODES[:1], "2V", "V", ROTATIONS),
    "gcn, sparse": (lambda: nets.DenseGCN(True), NODES[:1], "2V", "V", ROTATIONS),
    "messages, sum": (nets.MessagePassing, NODES, "2V", "V", [*ROTATIONS, "Octahedral()"]),
    "messages, mean": (lambda: nets.MessagePassing("mean"), NODES, "2V", "V", ROTATIONS),
    "messages, maximum": (lambda: nets.MessagePassing("amax"), NODES, "2V", "V", ROTATIONS),
    "messages, edges": (lambda: nets.MessagePassing(n_edge=2), (*NODES, draw(20, 2)), "2V", "V", ROTATIONS),
    "gat": (nets.GAT, NODES, "2V", "V", ROTATIONS),
    "resnet18": (lambda: nets.ResNet18(8), PHOTO, "3Grid(33,33)", "10S", IMAGE[:2]),
    "vit": (nets.ViT, PATCHES, "3Grid(12,12)", "5S", IMAGE),
    "vit, mean of vectors": (lambda: nets.ViT(pool="mean", n_out=4), PATCHES, "3Grid(12,12)", "2V", IMAGE),
    "vit, torch's attention": (lambda: nets.ViT(nets.SelfAttention), PATCHES, "3Grid(12,12)", "5S", IMAGE),
}


@torch.no_grad()
def error(model, inputs, rep_in, rep_out, G, n=8):
    """The largest difference between transforming the first input and transforming the output, relative to the output."""
    G, still = ss.group(G), model(*inputs)
    moved = [
        (model(act(rep_in, G, g, inputs[0]), *inputs[1:]), act(rep_out, G, g, still))
        for g in (G.elements if G.is_finite else G.sample(n, seed=0))
    ]
    return float(max((a - b).abs().max() for a, b in moved) / still.abs().max())


@pytest.mark.parametrize(("build", "inputs", "rep_in", "rep_out", "groups"), FOLLOWED.values(), ids=FOLLOWED)
def test_every_parameter_is_followed_and_the_projected_model_is_equivariant(build, inputs, rep_in, rep_out, groups):
    torch.manual_seed(0)
    for G in groups:
        model = scrambled(build())
        per = ss.EquivarianceRegularizer(model, groups, rep_in, rep_out, example=inputs)
        assert set(per.proposal) == {name for name, _ in model.named_parameters()}
        assert per.proposal.remarks() == []
        assert error(model, inputs, rep_in, rep_out, G) > 1e-2
        per.project_(G)
        assert error(model, inputs, rep_in, rep_out, G) < 1e-9
        assert model(*inputs).std(dim=0).max() > 1e-3  # not constant


@pytest.mark.skipif(importlib.util.find_spec("torchvision") is None, reason="needs torchvision")
def test_resnet18_of_torchvision():
    from torchvision.models import resnet18

    model = scrambled(resnet18(num_classes=10))
    per = ss.EquivarianceRegularizer(model, ["C(4)"], "3Grid(33,33)", "10S")
    assert set(per.proposal) == {name for name, _ in model.named_parameters()}
    per.project_("C(4)")
    assert error(model, PHOTO, "3Grid(33,33)", "10S", "C(4)") < 1e-5


def test_even_images_break_resnet18_with_a_warning():
    with pytest.warns(BrokenSymmetryWarning, match="conv1 windows of 7 in steps of 2 leave 1 of 32 pixels out"):
        ss.EquivarianceRegularizer(nets.ResNet18(8), ["C(4)"], "3S", "10S")


def test_a_graph_network_that_is_equivariant_by_itself():
    model = scrambled(nets.EGNN())
    features, places = draw(nets.N_NODES, 4), draw(nets.N_NODES, 3, seed=1)
    inputs = (features, places, nets.EDGES)
    per = ss.EquivarianceRegularizer(model, ["O(3)"], "4S + V", "4S + V", example=inputs)
    assert set(per.proposal) == {name for name, _ in model.named_parameters()}
    assert per.totals()["O(3)"] == 0.0  # no weight is constrained
    assert per.proposal.remarks() == []
    with pytest.warns(BrokenSymmetryWarning, match="an inner product"):
        ss.infer_reps(model, "4S + V", "4S + V", "SL(3)", example=inputs)


class Layer(nn.Module):
    """A function between two linear layers, with an index."""

    def __init__(self, function, **buffers):
        super().__init__()
        self.first, self.last, self.function = nn.Linear(6, 8), nn.Linear(8, 3), function
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def forward(self, x, index=None):
        return self.last(self.function(self, self.first(x), index))


def set_first(m, x, index):
    y = x.clone()
    y[0] = x[1]
    return y


@pytest.mark.parametrize(
    "function",
    [
        lambda m, x, i: x.new_zeros(7, 8).index_add(0, i[0], x[i[1]]),
        lambda m, x, i: torch.zeros(7, 8).double().index_copy_(0, i[0], x.gather(0, i[1][:, None].expand(-1, 8))),
        lambda m, x, i: torch.zeros(7, 8).double().scatter_add(0, i[0][:, None].expand(20, 8), x[i[1]]),
        lambda m, x, i: x[[0, 1]],
        lambda m, x, i: torch.stack(list(x)),
        lambda m, x, i: torch.where(m.keep[:, None], x, torch.zeros_like(x)),
        lambda m, x, i: x.masked_fill(~m.keep[:, None], 0.0),
        lambda m, x, i: x[m.keep],
        lambda m, x, i: x * torch.linalg.norm(x, dim=-1, keepdim=True),
        lambda m, x, i: nn.functional.normalize(x, dim=-1),
        lambda m, x, i: torch.softmax(-torch.cdist(x, x), -1) @ x,
        lambda m, x, i: x * (x * x).sum(-1, keepdim=True),
        lambda m, x, i: x.cumsum(0).flip(0),
        lambda m, x, i: x + m.shift,
        set_first,
    ],
)
def test_functions_on_nodes_are_followed_and_leave_vectors_as_they_are(function):
    buffers = {"keep": torch.arange(7) > 2, "shift": torch.cat([torch.ones(5), torch.zeros(3)])}
    model = scrambled(Layer(function, **buffers))
    per = ss.EquivarianceRegularizer(model, ["O(3)"], "2V", "V", example=NODES)
    assert per.proposal.remarks() == []
    assert str(per.proposal["first.bias"]) == "5S + V"
    per.project_("O(3)")
    assert error(model, NODES, "2V", "V", "O(3)") < 1e-9


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda m, x, i: x.gather(0, i[0][:8].expand(20, 8)), "gather takes other places for other entries"),
        (lambda m, x, i: x.index_add(1, i[0][:8], x), "index_add goes along a channel axis"),
        (lambda m, x, i: x * sum(x[0].tolist()), "tolist is not understood"),
        (lambda m, x, i: x.flatten()[:56].view(7, 8)[..., [0]].expand(7, 8), "goes along a channel axis"),
    ],
)
def test_functions_that_are_not_followed_are_warned_of(function, words):
    with pytest.warns(UntracedWarning, match=rf"^regularised as if these were equivariant: the model: .*{words}"):
        ss.EquivarianceRegularizer(Layer(function).double(), ["C(4)@z"], "2V", "V", example=NODES)


def test_constants_that_a_group_changes_are_warned_of():
    shift = torch.arange(8.0)
    with pytest.warns(BrokenSymmetryWarning, match=r"breaks C\(4\)@z here: shift is a constant that is not invariant"):
        ss.infer_reps(Layer(lambda m, x, i: x + m.shift, shift=shift), "2V", "V", ["C(4)@z"])
    with pytest.warns(BrokenSymmetryWarning, match="a tensor in 'the model' is a constant"):
        ss.infer_reps(Layer(lambda m, x, i: x * torch.arange(8.0)), "2V", "V", ["C(4)@z"])


def test_outputs_that_are_objects():
    with pytest.raises(
        InputError, match="the model gives a Output; pass `output`, a function that takes the tensor out"
    ):
        ss.EquivarianceRegularizer(nets.GivesObject(), ["C(4)@z"], "2V", "V")
    for kind, output in (
        (nets.Output, lambda out: out.logits),
        (dict, lambda out: out["logits"][:, :3]),
        (SimpleNamespace, lambda out: out.logits),
    ):
        model = nets.GivesObject(kind)
        per = ss.EquivarianceRegularizer(model, ["C(4)@z"], "2V", "V", output=output)
        assert str(per.proposal["net.2.bias"]) == "V"
        given = ss.infer_reps(model, "2V", "V", ["C(4)@z"], example={"x": torch.zeros(2, 6)}, output=output)
        assert dict(given) == dict(per.proposal)


def test_a_single_number_that_changes_its_sign_keeps_its_axis():
    model = nn.Sequential(nn.Linear(3, 1, bias=False), nn.Flatten(0))
    with pytest.raises(InputError, match=r"`rep_out` is pS of size 1, the model gives shape \(2,\)"):
        ss.infer_reps(model, "V", "pS", ["C(4)@z"])
    with pytest.raises(InputError, match="`example` holds no tensor"):
        ss.infer_reps(model, "V", "S", ["C(4)@z"], example=())
