import pytest
import torch

from softsym.errors import InputError
from softsym.training.splits import mse


def test_mse_by_hand():
    assert mse(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.zeros(2, 2)).item() == 30 / 4
    assert mse.each(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.zeros(2, 2)).tolist() == [2.5, 12.5]


def test_shapes_must_agree():
    with pytest.raises(InputError, match=r"same shape, got \(4, 1\) and \(4,\)"):
        mse(torch.zeros(4, 1), torch.zeros(4))
