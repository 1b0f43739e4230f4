"""Priors are declared, not found by name."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.nn.prior import HasPrior, prior_of
from tests.nn.networks import normal


class Autoencoder(nn.Module):
    """Has a prior, which is a distribution and none of our business."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 3)
        self.prior = torch.distributions.Normal(0.0, 1.0)


def test_somebody_elses_prior_is_left_alone():
    assert prior_of(Autoencoder()) is None


@pytest.mark.parametrize("name", ["MLP", "EMLP", "RPP", "MixedEMLP", "SoftMLP"])
def test_the_networks_declare_theirs(name):
    net = getattr(ss.nn, name)("2V", "V", "O(3)", width=12, layers=2)
    assert isinstance(net, HasPrior)
    assert prior_of(net)().item() == net.prior().item()


def test_frame_averaging_passes_on_the_prior_of_what_it_wraps():
    inner = ss.nn.RPP("2V", "V", "O(3)", width=12, layers=2)
    averaged = ss.nn.FrameAveraged(inner, "2V", "V", "O(3)")
    assert prior_of(averaged)().item() == inner.prior().item() > 0
    plain = ss.nn.FrameAveraged(Autoencoder().inner, "2V", "V", "O(3)")
    assert plain.prior().item() == 0
    assert plain.double().prior().dtype == torch.float64
    assert plain(normal(2, 6, dtype=torch.float64)).shape == (2, 3)
