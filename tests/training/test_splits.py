import pytest
import torch

from softsym.errors import InputError
from softsym.training.splits import ade, mse, scaled_ade


def test_mse_by_hand():
    assert mse(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.zeros(2, 2)).item() == 30 / 4
    assert mse.each(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.zeros(2, 2)).tolist() == [2.5, 12.5]


def test_ade_by_hand():
    # Six points, off by 5 m at the first, by 1 m at the last and right between: (5 + 1) / 6.
    prediction = torch.zeros(1, 18)
    prediction[0, :3] = torch.tensor([3.0, 4.0, 0.0])
    prediction[0, 17] = -1.0
    assert ade(prediction, torch.zeros(1, 18)).item() == 1.0


def test_scaled_ade_is_in_metres():
    error = scaled_ade(torch.tensor([3.0, 2.0, 1.0]))
    assert error(torch.tensor([[1.0, 2.0, 0.0]]), torch.zeros(1, 3)).item() == 5.0
    assert (error.name, error.unit) == ("ADE", "m")


def test_shapes_must_agree():
    with pytest.raises(InputError, match=r"same shape, got \(4, 1\) and \(4,\)"):
        mse(torch.zeros(4, 1), torch.zeros(4))
