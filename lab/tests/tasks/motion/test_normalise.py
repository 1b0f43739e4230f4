import pytest
import torch

from softsym.errors import InputError
from softsym_lab.tasks.motion import NORMALISATIONS, Normaliser, simulate


@pytest.fixture(scope="module")
def windows():
    return simulate(300, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("centring", ["past", "all"])
@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_round_trip(windows, normalisation, centring):
    normaliser = Normaliser.fit(windows, normalisation, centring)
    back = normaliser.restore(normaliser.apply(windows), normaliser.centre(windows))
    torch.testing.assert_close(back, windows, rtol=1e-13, atol=1e-11)


def test_by_hand():
    # Two straight tracks along x; the past is at 0..5 and 10..15, so both centred tracks run from -2.5 to 8.5.
    steps = torch.arange(12, dtype=torch.float64)
    rise = torch.stack([steps, 0.1 * steps, 0 * steps], -1)
    windows = torch.stack([rise, rise * torch.tensor([1.0, -1.0, 1.0]) + 10.0])
    windows[0, :, 2] += steps % 2
    normaliser = Normaliser.fit(windows, "symmetry-aware")
    torch.testing.assert_close(normaliser.centre(windows)[1, 0], torch.tensor([12.5, 9.75, 10.0], dtype=torch.float64))
    torch.testing.assert_close(normaliser.mean, torch.tensor([3.0, 0.0, 0.0], dtype=torch.float64))
    centred = windows - normaliser.centre(windows)
    total = (
        ((centred - centred.mean()) ** 2).mean().sqrt()
    )  # the paper's s is about the scalar mean m, not the vector mu
    torch.testing.assert_close(normaliser.scale, total.expand(3))


def test_scales(windows):
    each = Normaliser.fit(windows, "scale-aware").apply(windows)
    torch.testing.assert_close(each.std((0, 1), correction=0), torch.ones(3, dtype=torch.float64))
    torch.testing.assert_close(each.mean((0, 1)), torch.zeros(3, dtype=torch.float64))
    one = Normaliser.fit(windows, "symmetry-aware").apply(windows).std((0, 1))
    assert one[2] < 0.2 * one[:2].min()
    both = Normaliser.fit(windows, "symmetry-scale-aware").apply(windows)[:, :6].std((0, 1))
    assert 0.3 < both[2] / both[0] < 3


def test_honest_centring_does_not_see_the_future(windows):
    normaliser = Normaliser.fit(windows, "scale-aware")
    other = windows.clone()
    other[:, 6:] += 100.0
    assert torch.equal(normaliser.apply(other)[:, :6], normaliser.apply(windows)[:, :6])
    leaking = Normaliser.fit(windows, "scale-aware", "all")
    assert not torch.allclose(leaking.apply(other)[:, :6], leaking.apply(windows)[:, :6])


def test_rotations_survive_one_scale_only(windows):
    rotation = torch.tensor([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
    still = windows - windows.mean((0, 1))
    for normalisation, survives in {"scale-aware": False, "symmetry-aware": True}.items():
        normaliser = Normaliser.fit(still * torch.tensor([3.0, 1.0, 1.0]), normalisation)
        plain = Normaliser(normaliser.alpha, 0 * normaliser.mean, normaliser.scale, "past")
        gap = (plain.apply(still @ rotation.T) - plain.apply(still) @ rotation.T).abs().max().item()
        assert (gap < 1e-9) is survives


def test_refusals(windows):
    with pytest.raises(InputError, match="unknown normalisation 'none'; pass one of scale-aware"):
        Normaliser.fit(windows, "none")
    with pytest.raises(InputError, match="do not vary along every axis"):
        Normaliser.fit(windows * torch.tensor([1.0, 1.0, 0.0]), "scale-aware")
