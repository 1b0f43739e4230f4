import pytest
import torch

from softsym_lab.tasks.motion import Motion
from softsym_lab.tasks.motion.trajectories import FDE, halves


def test_halves_are_past_and_future():
    windows = torch.arange(2 * 12 * 3).reshape(2, 12, 3)
    past, future = halves(windows)
    assert torch.equal(past, windows[:, :6].flatten(1))
    assert torch.equal(future, windows[:, 6:].flatten(1))


def test_the_final_error_is_that_of_the_last_point_in_metres():
    data = Motion("scale-aware").data(0, (200, 20, 20))
    splits = data.splits()
    _, y = splits.test
    off = torch.zeros_like(y)
    off[:, -3:] = 1.0
    scores = splits.scores(y + off, y)
    assert scores == {FDE: pytest.approx(float(data.normaliser.scale.norm()), rel=1e-5)}
    assert splits.row_groups is None
