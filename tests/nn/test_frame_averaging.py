"""Frame averaging: exact equivariance of whatever is inside."""

import pytest
import torch
from torch import Tensor, nn

import softsym as ss
from softsym.errors import InputError
from softsym.nn import FrameAveraged
from tests.nn.networks import gap, normal, variation

GROUPS = ["O(2)", "O(3)", "SO(2)", "SO(3)", "S(3)", "S(5)", "O(4)", "SO(4)"]
OUTPUTS = ["S", "2V + S", "T(2)", "V + T(1,1) + S", "T(2) + V'", "pV + pS + V"]
REP_IN = "S + 4V + 2S + T(2) + 2V + pV"


def generic(G: str, n: int = 12) -> Tensor:
    """Inputs whose principal moments clearly differ and whose coordinates differ."""
    d = ss.group(G).dim
    x = normal(n, ss.rep(REP_IN).size(G), seed=2)
    for segment in ss.rep(REP_IN).segments(G):
        if segment.type == ss.Vector.terms[0][1]:
            part = x[:, segment.start : segment.stop].view(n, -1, d)
            part *= torch.arange(1, d + 1)
    turn = torch.linalg.qr(normal(d, d, seed=3))[0]
    rho = torch.tensor(ss.rep(REP_IN).rho("O(" + str(d) + ")", turn.double().numpy()))
    return (x.double() @ rho.T).float()


@pytest.mark.parametrize("G", GROUPS)
@pytest.mark.parametrize("rep_out", OUTPUTS)
def test_exactly_equivariant(G, rep_out):
    inner = ss.nn.MLP(REP_IN, rep_out, G, width=16, layers=3)
    net, x = FrameAveraged(inner, REP_IN, rep_out, G), generic(G)
    assert gap(inner, REP_IN, rep_out, G, x) > 1e-2
    assert gap(net, REP_IN, rep_out, G, x) < 1e-5
    assert gap(net.double(), REP_IN, rep_out, G, x.double()) < 1e-10
    assert variation(net(x.double()).detach()) > 1e-2


class Handed(nn.Module):
    """The determinant of three vectors: invariant to rotations, odd under reflections."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.linalg.det(x.unflatten(-1, (3, 3))).unsqueeze(-1)


def test_rotations_keep_handedness_and_reflections_average_it_away():
    x = normal(10, 9, dtype=torch.float64)
    mirrored = (x.view(10, 3, 3) * torch.tensor([-1.0, 1.0, 1.0])).reshape(10, 9)
    turning = FrameAveraged(Handed(), "3V", "S", "SO(3)")
    assert torch.allclose(turning(x), Handed()(x), atol=1e-10)
    assert torch.allclose(turning(mirrored), -turning(x), atol=1e-10)
    assert Handed()(x).abs().min() > 1e-2
    assert FrameAveraged(Handed(), "3V", "S", "O(3)")(x).abs().max() < 1e-10


@pytest.mark.parametrize("d", [2, 3, 4])
def test_rotation_frames_are_not_reflection_frames_by_accident(d):
    inner = ss.nn.MLP(REP_IN, "S + V", f"SO({d})", width=16, layers=3)
    net = FrameAveraged(inner, REP_IN, "S + V", f"SO({d})").double()
    assert gap(net, REP_IN, "S + V", f"O({d})", generic(f"SO({d})").double()) > 1e-2


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_frames_are_all_the_sign_choices_of_their_group(d):
    for name, count in ((f"O({d})", 2**d), (f"SO({d})", 2 ** (d - 1))):
        if name == "SO(1)":
            continue
        net = FrameAveraged(nn.Identity(), f"{d + 2}V", f"{d + 2}V", name).double()
        frames = net._principal_frames(normal(3, d + 2, d, dtype=torch.float64))
        eye = torch.eye(d).double().expand(count, 3, d, d)
        assert frames.shape == (count, 3, d, d)
        assert torch.allclose(frames @ frames.mT, eye, atol=1e-12)
        assert len(torch.unique(frames[:, 0].reshape(count, -1).round(decimals=9), dim=0)) == count
        if name.startswith("SO"):
            assert torch.allclose(torch.linalg.det(frames), torch.ones(count, 3).double())


@pytest.mark.parametrize("G", ["O(3)", "SO(3)", "S(4)"])
def test_what_is_equivariant_already_stays(G):
    inner = ss.nn.EMLP("3V", "S + V", G, width=30, layers=3).double()
    x = normal(6, 3 * ss.group(G).dim, dtype=torch.float64)
    assert torch.allclose(FrameAveraged(inner, "3V", "S + V", G)(x), inner(x), atol=1e-10)


def test_gradients_reach_the_module_inside():
    net = FrameAveraged(ss.nn.MLP("3V", "V", "O(3)", width=8), "3V", "V", "O(3)")
    net(normal(5, 9)).sum().backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in net.parameters())


def test_permuted_points_are_acted_on_rightly_or_refused():
    """Pairs of three things are permuted too, but not as the things themselves are."""
    pairs = ss.Permutation([[1, 1, 0], [1, 0, 1], [0, 1, 1]])
    rep_in, rep_out = ss.Vector + pairs, pairs + ss.Scalar
    try:
        net = FrameAveraged(ss.nn.MLP(rep_in, rep_out, "S(3)", width=8), rep_in, rep_out, "S(3)")
    except InputError:
        return
    assert gap(net, rep_in, rep_out, "S(3)", normal(8, 6)) < 1e-5


@pytest.mark.parametrize("G", ["SL(2)", "O(2)@z", "C(4)", "SO(3) | Scaling(3)", "Lorentz()", "A(4)"])
def test_other_groups(G):
    with pytest.raises(InputError, match=r"frames are known for O\(n\), SO\(n\) and S\(n\), not for "):
        FrameAveraged(nn.Identity(), "3V", "3V", G)


@pytest.mark.parametrize("rep", ["2S", "T(2)", "3S + T(2)"])
def test_inputs_without_vectors(rep):
    with pytest.raises(InputError, match=r"frame averaging needs vectors in the input; .* has none"):
        FrameAveraged(nn.Identity(), rep, rep, "O(3)")


def test_wrong_width():
    net = FrameAveraged(nn.Identity(), "2V", "2V", "O(3)")
    with pytest.raises(InputError, match=r"2V under O\(3\) has size 6, got an input of shape \(4, 5\)"):
        net(torch.zeros(4, 5))
