"""The rules of layers; the models of `test_infer.py` use all of them."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import UntracedWarning


def test_a_bilinear_layer():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.pair = nn.Bilinear(3, 3, 3)

        def forward(self, x):
            return self.pair(x[:, :3], x[:, 3:])

    proposal = ss.infer_reps(Two(), "2V", "V", ["SO(3)"])
    assert proposal["pair.weight"].space("SO(3)").dim == 1  # the cross product
    assert str(proposal["pair.bias"]) == "V"


def test_norms_over_pixels_and_groups():
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.LayerNorm([8, 4, 4]),
        nn.GroupNorm(2, 8),
        nn.InstanceNorm2d(8, affine=True),
        nn.RMSNorm([8, 4, 4]),
    )
    proposal = ss.infer_reps(
        model,
        "Grid(4,4)",
        "8Grid(4,4)",
        ["C(4)"],
        {"0": "2Regular(C(4))", "3": "2Regular(C(4))", "4": "2Regular(C(4))"},
    )
    assert proposal["1.weight"].space("C(4)").dim == 8 * 16 // 4
    assert str(proposal["2.weight"]) == "Regular(C(4)) + Regular(C(4))" or proposal["2.weight"].space("C(4)").dim == 2


def test_a_layer_that_is_used_twice_has_one_map():
    shared = nn.Linear(8, 8)
    model = nn.Sequential(nn.Linear(6, 8), shared, nn.ReLU(), shared, nn.Linear(8, 3))
    proposal = ss.infer_reps(model, "2V", "V", ["C(4)@z"])
    assert str(proposal["1.weight"]) == "2Regular(C(4)@z) -> 2Regular(C(4)@z)"
    assert len(proposal) == 6


def test_a_layer_that_is_used_differently_is_left_alone():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.shared = nn.Linear(6, 6)

        def forward(self, x):
            return self.shared(self.shared(x))

    with pytest.warns(UntracedWarning, match="shared.weight: is used as"):
        proposal = ss.infer_reps(Odd(), "2V", "6S", ["C(4)@z"])
    assert "is used as" in proposal.left_alone["shared.weight"]


def test_convolutions_along_channels_are_not_understood():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(5, 5, 3, padding=1)

        def forward(self, x):
            return self.conv(x)[:, 0]

    with (
        pytest.warns(UntracedWarning, match="conv.weight, conv.bias: conv1d convolves along a channel axis"),
        pytest.warns(UntracedWarning, match=r"conv: conv1d convolves .* \(conv.weight, conv.bias\)"),
    ):
        proposal = ss.infer_reps(Odd(), "2V", "2V", ["C(4)@z"], example=torch.zeros(2, 5, 6))
    assert "conv.weight" in proposal.left_alone


def test_states_are_followed():
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.head = nn.LSTM(3, 8, 2, batch_first=True), nn.Linear(16, 3)

        def forward(self, x):
            _, (h, c) = self.rnn(x)
            return self.head(torch.cat([h[-1], c[-1]], dim=-1))

    proposal = ss.infer_reps(Last(), "V", "V", ["C(4)@z"])
    assert proposal.not_understood == ()
    assert proposal["head.weight"].space("C(4)@z").dim == 16 * 3 // 4


def test_attention_between_two_sets():
    class Cross(nn.Module):
        def __init__(self):
            super().__init__()
            self.attend = nn.MultiheadAttention(8, 2, kdim=3, vdim=3, batch_first=True, add_bias_kv=True)
            self.query, self.head = nn.Parameter(torch.zeros(1, 4, 8)), nn.Linear(8, 3)

        def forward(self, x):
            return self.head(self.attend(self.query.expand(len(x), -1, -1), x, x)[0]).mean(1)

    proposal = ss.infer_reps(Cross(), "V", "V", ["C(4)@z"], example=torch.zeros(2, 5, 3))
    assert proposal.left_alone == {}
    assert str(proposal["query"]) == "S * (4S) * (2Regular(C(4)@z))"
    assert str(proposal["attend.k_proj_weight"]) == "V -> 2Regular(C(4)@z)"
    assert proposal["attend.bias_k"].shape("C(4)@z") == (1, 1, 8)


def test_a_decoder_layer():
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.decoder = nn.Linear(3, 8), nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
            self.head = nn.Linear(8, 3)

        def forward(self, x):
            x = self.embed(x)
            return self.head(self.decoder(x, x)).mean(1)

    proposal = ss.infer_reps(Both(), "V", "V", ["C(4)@z"])
    assert len(proposal) == len(list(Both().named_parameters()))


def test_inner_products_need_orthogonal_groups():
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.attend, self.head = (
                nn.Linear(2, 6),
                nn.MultiheadAttention(6, 1, batch_first=True),
                nn.Linear(6, 2),
            )

        def forward(self, x):
            x = self.embed(x)
            return self.head(self.attend(x, x, x)[0])

    proposal = ss.infer_reps(Own(), "V", "V", ["SL(2)"], example=torch.zeros(2, 5, 2))
    assert str(proposal["attend.in_proj_weight"]) == "4S + V -> 16S + V"  # only values may be vectors


class Packed(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.rnn, self.head = nn.LSTM(3, 8, batch_first=True, **options), nn.LazyLinear(3)
        self(torch.zeros(2, 5, 3))

    def forward(self, x, lengths=None):
        lengths = torch.full((len(x),), x.shape[1]) if lengths is None else lengths
        rows = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, (last, _) = self.rnn(rows)
        padded, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
        return self.head(padded.mean(1)) + self.head(torch.cat(list(last), -1))


@pytest.mark.parametrize("options", [{}, {"bidirectional": True}], ids=str)
def test_packed_sequences_are_followed(options):
    torch.manual_seed(0)
    model, group = Packed(**options), "C(4)@z"
    reps = ss.infer_reps(model, "V", "V", [group], example=torch.zeros(2, 5, 3))
    assert reps.not_understood == ()
    assert reps.left_alone == {}
    ss.EquivarianceRegularizer(model, [group], reps=reps).project_(group)
    x, lengths = torch.randn(4, 5, 3), torch.tensor([5, 3, 4, 2])
    rotation = torch.tensor([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    with torch.no_grad():
        assert torch.allclose(model(x @ rotation.T, lengths), model(x, lengths) @ rotation.T, atol=1e-5)
