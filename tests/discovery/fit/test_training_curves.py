"""The history of a training as arrays."""

import numpy as np
import torch

from softsym.discovery.fit.member import Member
from softsym.discovery.fit.training_curves import Curves

ROWS = [
    {"epoch": 1, "loss": 3.0},
    {"epoch": 2, "loss": 2.0, "validation": 2.5, "residuals": {"O(3)": 0.5}, "strengths": {"O(3)": 30.0}},
    {"epoch": 3, "loss": 1.0, "validation": 1.5, "residuals": {"O(3)": 0.25}, "strengths": {"O(3)": 60.0}},
]


def test_residuals_and_losses_have_epochs_of_their_own():
    curves = Curves.of(Member(7, torch.nn.Identity(), {"O(3)": 60.0}, ROWS))
    assert curves.seed == 7
    assert curves.epochs.tolist() == [2, 3]
    assert curves.residuals["O(3)"].tolist() == [0.5, 0.25]
    assert curves.strengths["O(3)"].tolist() == [30.0, 60.0]
    assert curves.loss_epochs.tolist() == [1, 2, 3]
    assert curves.loss.tolist() == [3, 2, 1]
    np.testing.assert_array_equal(curves.validation, [np.nan, 2.5, 1.5])


def test_an_ordinary_network_has_losses_only():
    curves = Curves.of(Member(0, torch.nn.Identity(), {}, ROWS[:1]))
    assert (len(curves.epochs), dict(curves.residuals), dict(curves.strengths)) == (0, {}, {})
