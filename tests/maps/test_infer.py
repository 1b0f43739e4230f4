"""Any module: what is proposed for it, and that its forward is equivariant once it is projected."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import BrokenSymmetryWarning, InputError, UntracedWarning
from softsym.maps import TensorMap
from softsym.maps.infer import convolution_dims, examples, input_layout, restore_after, split_image
from tests.maps.nets import (
    Block,
    Causal,
    CustomInTheMiddle,
    Decoder,
    FlatCNN,
    OwnAttention,
    Reader,
    ResNet,
    Sequence,
    SetTransformer,
    gap,
    scrambled,
)

IMAGE = ["C(4)", "O(1)@2[0]", "D(4)"]
ROTATIONS = ["C(4)@z", "C(2)@x", "Octahedral()"]
FINITE = {
    "flat": (FlatCNN, (1, 8, 8), "Grid(8,8)", "4S", IMAGE),
    "flat, vector out": (FlatCNN, (1, 8, 8), "Grid(8,8)", "2V", IMAGE),
    "resnet": (ResNet, (3, 6, 6), "3Grid(6,6)", "5S", IMAGE),
    "resnet, circular": (lambda: ResNet("circular"), (3, 6, 6), "3Grid(6,6)", "S + 2V", IMAGE),
    "decoder": (Decoder, (1, 6, 6), "Grid(6,6)", "Grid(6,6)", IMAGE),
    "block": (lambda: Block(8, 16), (8, 4, 4), "4V*Grid(4,4)", "16Grid(4,4)", IMAGE),
    "signal": (
        lambda: nn.Sequential(
            nn.Conv1d(2, 6, 3, padding=1), nn.ReLU(), nn.Conv1d(6, 4, 5, padding=2), nn.Flatten(), nn.Linear(28, 3)
        ),
        (2, 7),
        "2Grid(7)",
        "S + 2V",
        ["O(1)"],
    ),
    "volume": (
        lambda: nn.Sequential(
            nn.Conv3d(1, 24, 3, padding=1), nn.SiLU(), nn.AdaptiveMaxPool3d(1), nn.Flatten(), nn.Linear(24, 3)
        ),
        (1, 3, 3, 3),
        "Grid(3,3,3)",
        "V",
        ["C(4)@z", "Octahedral()"],
    ),
    "lstm": (Sequence, (5, 3), "V", "V", ROTATIONS[:2]),
    "lstm, two layers, both ways": (
        lambda: Sequence(num_layers=2, bidirectional=True),
        (5, 3),
        "V",
        "V",
        ROTATIONS[:2],
    ),
    "lstm, projected": (lambda: Sequence(proj_size=8), (5, 3), "V", "V", ["C(4)@z"]),
    "gru": (lambda: Sequence(nn.GRU, num_layers=2), (5, 3), "V", "V", ROTATIONS[:2]),
    "rnn": (lambda: Sequence(nn.RNN, nonlinearity="relu"), (5, 3), "V", "V", ["C(4)@z"]),
    "transformer": (SetTransformer, (5, 3), "V", "V", ROTATIONS[:2]),
    "transformer, norm first": (lambda: SetTransformer(True, 1), (5, 3), "V", "S", ROTATIONS[:2]),
    "decoder of a transformer": (Reader, (5, 3), "V", "V", ROTATIONS[:2]),
    "own attention": (OwnAttention, (5, 3), "V", "V", ROTATIONS[:2]),
    "chain with a norm": (
        lambda: nn.Sequential(nn.Linear(6, 48), nn.LayerNorm(48), nn.GELU(), nn.Linear(48, 3)),
        (6,),
        "2V",
        "V",
        ROTATIONS,
    ),
}


@pytest.mark.parametrize(("build", "shape", "rep_in", "rep_out", "groups"), FINITE.values(), ids=FINITE)
def test_the_forward_of_a_projected_model_is_equivariant(build, shape, rep_in, rep_out, groups):
    torch.manual_seed(0)
    for G in groups:
        model = scrambled(build())
        per = ss.EquivarianceRegularizer(model, groups, rep_in, rep_out)
        assert not per.proposal.left_alone
        assert per.proposal.breaks == per.proposal.not_understood == ()
        assert gap(model, shape, rep_in, rep_out, G) > 1e-2
        per.project_(G)
        assert gap(model, shape, rep_in, rep_out, G) < 1e-9
        assert per.totals()[ss.group(G).name] < 1e-20
        others = [other for other in groups if groups[0] == G and other != G]
        assert all(gap(model, shape, rep_in, rep_out, other) > 1e-6 for other in others)  # it is not simply constant


@pytest.mark.parametrize("G", ["O(2)@z", "O(3)"])
def test_attention_without_norms_is_equivariant_to_rotations_by_any_angle(G):
    model = scrambled(OwnAttention())
    per = ss.EquivarianceRegularizer(model, ["O(2)@z", "O(3)"], "V", "V")
    assert per.proposal.remarks() == []
    assert str(per.proposal["token"]) == "S * S * (10S + 2V)"
    assert gap(model, (5, 3), "V", "V", G) > 1e-2
    per.project_(G)
    assert 0 <= gap(model, (5, 3), "V", "V", G) < 1e-9
    x = torch.randn(2, 5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert model(x).std() > 1e-6


def test_scalars_or_mixtures_behind_nonlinearities_of_continuous_groups():
    model = nn.Sequential(nn.Linear(6, 12), nn.LayerNorm(12), nn.ReLU(), nn.Linear(12, 3))
    exact = ss.infer_reps(model, "2V", "V", ["O(2)@z"])
    assert str(exact["0.weight"]) == "2V -> 12S"
    assert exact.breaks == ()
    with pytest.warns(UntracedWarning, match="1.weight: scales"), pytest.warns(BrokenSymmetryWarning):
        mixed = ss.infer_reps(model, "2V", "V", ["O(2)@z"], hidden="mixed")
    assert str(mixed["0.weight"]) == "2V -> 6S + 2V"
    assert mixed.breaks == (
        "breaks O(2)@z here: relu in '2' acts on each number of 6S + 2V",
        "breaks O(2)@z here: layer_norm in '1' acts on each number of 6S + 2V",
    )
    assert mixed.left_alone == {"1.weight": "scales each coordinate of 6S + 2V by itself, which breaks O(2)@z"}
    with pytest.raises(InputError, match="`hidden` is 'scalars' or 'mixed', got 'vectors'"):
        ss.infer_reps(model, "2V", "V", ["O(2)@z"], hidden="vectors")


def test_words_that_a_group_permutes():
    """Eight words, of which Z(8) makes the next ones; the places stay where they are."""
    model = scrambled(Causal())
    per = ss.EquivarianceRegularizer(model, ["Z(8)"], "V", "V")
    assert per.proposal.remarks() == []
    words = torch.randint(8, (3, 6), generator=torch.Generator().manual_seed(0))

    def difference():
        return float((model((words + 1) % 8) - model(words).roll(1, -1)).abs().max().detach())

    assert difference() > 0.1
    per.project_("Z(8)")
    assert difference() < 1e-12


def test_a_custom_module_is_left_alone_and_named():
    model = CustomInTheMiddle()
    with (
        pytest.warns(UntracedWarning, match="^parameters that are not regularised: middle.mix: lerp"),
        pytest.warns(
            UntracedWarning, match=r"as if these were equivariant: middle: .*; middle: lerp .* \(middle.mix\)$"
        ),
    ):
        per = ss.EquivarianceRegularizer(model, ["C(4)@z", "C(2)@x"], "V", "V")
    assert "middle.mix" not in per.proposal
    assert set(per.proposal) == {"first.weight", "first.bias", "last.weight", "last.bias"}
    text = str(per.describe())
    assert "not understood: middle: lerp is not understood" in text
    before = model.middle.mix.clone()
    per.project_("C(4)@z")
    per.prox_(0.1)
    assert torch.equal(model.middle.mix, before)


def test_what_is_known_better_overrules():
    model, groups = FlatCNN(), ["C(4)"]
    hidden = 2 * ss.Regular("C(4)")
    per = ss.EquivarianceRegularizer(model, groups, "Grid(8,8)", "4S", {"conv1": hidden, "fc1": "16S + 4Regular(C(4))"})
    assert str(per.proposal["conv1.bias"]) == "2Regular(C(4))"
    assert str(per.proposal["fc1.bias"]) == "16S + 4Regular(C(4))"
    given = ss.infer_reps(model, "Grid(8,8)", "4S", groups, {"fc2": ("32S", "4S"), "fc2.bias": TensorMap.vector("4S")})
    assert str(given["fc1.weight"]).endswith("-> 32S")
    with pytest.raises(
        InputError, match=r"`reps` says that 'conv1' gives 3S of size 3, which is no axis of \(2, 8, 8, 8\)"
    ):
        ss.infer_reps(model, "Grid(8,8)", "4S", groups, {"conv1": "3S"})
    with pytest.raises(InputError, match="`reps` names 'conv9', which is neither a module nor a parameter"):
        ss.infer_reps(model, "Grid(8,8)", "4S", groups, {"conv9": "8S"})


def test_channels_alone_say_enough_where_nothing_is_flattened():
    whole = ss.infer_reps(ResNet(), "3Grid(6,6)", "5S", IMAGE)
    assert dict(ss.infer_reps(ResNet(), "3S", "5S", IMAGE)) == dict(whole)


def test_groups_of_another_dimension_leave_pixels_alone():
    model = nn.Sequential(nn.Conv1d(6, 16, 3), nn.Tanh(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 3))
    proposal = ss.infer_reps(model, "2V", "V", ["C(4)@z"])
    assert str(proposal["0.weight"]) == "(2V) * (3S) -> 4Regular(C(4)@z)"
    still = ss.infer_reps(nn.Conv2d(2, 4, 3), "V", "4S", ["C(4)"], moves_grid=False)
    assert str(still["weight"]) == "V * (9S) -> 4S"


def test_frozen_shared_tied_and_parametrised():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(6, 8)
            self.twice = nn.Linear(8, 8)
            self.frozen = nn.Linear(8, 8).requires_grad_(False)
            self.normed = nn.utils.parametrizations.weight_norm(nn.Linear(8, 8))
            self.head = nn.Linear(8, 6, bias=False)
            self.head.weight = self.table.weight

        def forward(self, words):
            x = self.twice(torch.relu(self.twice(self.table(words))))
            return self.head(self.normed(self.frozen(x))).mean(1)

    with (
        pytest.warns(
            UntracedWarning, match=r"frozen.weight, frozen.bias: is frozen \(requires_grad is False\); normed"
        ),
        pytest.warns(UntracedWarning, match="normed: has a weight that is computed from others"),
    ):
        proposal = ss.infer_reps(Tied(), "V", "V", ["S(6)"])
    assert set(proposal) == {"table.weight", "twice.weight", "twice.bias", "normed.bias"}
    assert str(proposal["table.weight"]) == "8S -> V"  # as the table says and as the last layer does
    assert proposal.left_alone["frozen.weight"] == "is frozen (requires_grad is False)"
    assert "normed: has a weight that is computed from others (parametrised)" in proposal.not_understood
    assert set(proposal.left_alone) >= {"frozen.bias", "normed.parametrizations.weight.original0"}


def test_windows_that_do_not_fit():
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 1)
    )
    with pytest.warns(BrokenSymmetryWarning, match="windows of 3"):
        odd = ss.infer_reps(model, "Grid(8,8)", "S", "C(4)")
    assert odd.breaks == ("breaks C(4) here: 0 windows of 3 in steps of 2 leave 1 of 8 pixels out on one side",)
    assert ss.infer_reps(model, "Grid(9,9)", "S", "C(4)").breaks == ()


def test_a_kernel_that_cannot_be_turned_is_left_alone():
    model = nn.Sequential(nn.Conv2d(1, 8, (3, 5)), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    with pytest.warns(UntracedWarning, match="0.weight"):
        proposal = ss.infer_reps(model, "S", "8S", ["C(4)"])
    assert "moves Grid(3,5) off its points" in proposal.left_alone["0.weight"]
    assert "2.weight" in proposal


def test_what_does_not_fit_is_said():
    with pytest.raises(
        InputError, match=r"`rep_out` is 3V of size 9, the model gives shape \(2, 3\): no axis has that size"
    ):
        ss.infer_reps(Sequence(), "V", "3V", ["O(2)@z"])
    with pytest.raises(InputError, match=r"the model does not run on inputs of shape .*pass an input as `example`"):
        ss.infer_reps(FlatCNN(), "5S", "4S", ["C(4)"])
    with pytest.raises(
        InputError, match=r"`rep_in` is 2V of size 6, which is no axis of an input of shape \(2, 5, 3\)"
    ):
        ss.infer_reps(Sequence(), "2V", "V", ["O(2)@z"], example=torch.zeros(2, 5, 3))


def test_a_model_is_left_as_it_was():
    model = ResNet().eval()
    model.layer1.train()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    numbers = torch.random.get_rng_state()
    ss.infer_reps(model, "3S", "5S", ["C(4)"])
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.random.get_rng_state(), numbers)
    assert not model.training
    assert model.layer1.training
    assert not model.fc.training


C4 = ss.C(4)


@pytest.mark.parametrize(
    ("rep", "shape", "roles"),
    [
        ("3Grid(4,4)", (2, 3, 4, 4), ["free", "channel", "pixel", "pixel"]),
        ("V*Grid(4,4)", (2, 32), ["free", "channel"]),
        ("3S", (2, 3, 5, 5), ["free", "channel", "pixel", "pixel"]),
        ("V", (2, 7, 2), ["free", "free", "channel"]),
        ("7V", (2, 7, 2), ["free", "free", "channel"]),
        ("2V", (2, 4), ["free", "channel"]),
    ],
)
def test_axes(rep, shape, roles):
    layout = input_layout(torch.zeros(shape), ss.rep(rep), C4, True, 2)
    assert [axis.role for axis in layout] == roles
    assert tuple(axis.size for axis in layout) == shape


def test_pixels_stand_still():
    assert [a.role for a in input_layout(torch.zeros(2, 3, 5, 5), ss.rep("3S"), C4, False, 2)] == [
        "free",
        "channel",
        "free",
        "free",
    ]
    model = nn.Conv2d(3, 3, 3)
    assert str(ss.infer_reps(model, "3S", "3S", [C4])["weight"]) == "(3S) * Grid(3,3) -> 3S"
    assert str(ss.infer_reps(model, "V", "V", [ss.O(3)])["weight"]) == "V * (9S) -> V"


def test_images_are_told_by_their_last_factor():
    assert split_image(ss.rep("V*Grid(2,3) + S*Grid(2,3)")) == (ss.rep("V + S"), (2, 3))
    assert split_image(ss.rep("Grid(2,3) + S")) is None
    assert split_image(ss.Regular("C(4)")) is None


def test_examples():
    assert convolution_dims(nn.Sequential(nn.Linear(1, 1), nn.Conv3d(1, 1, 1))) == 3
    assert [tuple(x.shape) for (x,) in examples(nn.Linear(2, 2), ss.rep("V"), C4)] == [(2, 2), (2, 5, 2)]
    assert next(examples(nn.LSTM(2, 2), ss.rep("V"), C4))[0].shape == (2, 5, 2)
    assert next(examples(nn.Embedding(2, 2), ss.rep("V"), C4))[0].dtype == torch.long
    assert next(examples(nn.Conv2d(1, 1, 1).double(), ss.rep("Grid(7,7)"), C4))[0].dtype == torch.float64


def test_a_wrong_shape():
    with pytest.raises(InputError, match=r"`rep_in` is 3V of size 6, which is no axis of an input of shape \(2, 5\)"):
        input_layout(torch.zeros(2, 5), ss.rep("3V"), C4, False, 0)


def test_restore_after_puts_everything_back():
    norm = nn.BatchNorm1d(2).eval()
    with restore_after(norm):
        norm(torch.randn(4, 2))
    assert not norm.training
    assert norm.num_batches_tracked == 0
