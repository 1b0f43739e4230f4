"""Scaling inside a module is the scaler's own."""

import numpy as np
import torch
from torch import nn

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.module.scaled import Scaled


def test_inputs_are_standardised_and_outputs_brought_back() -> None:
    inputs, outputs = (
        SymmetricScaler(np.array([1.0, 2.0]), np.array([2.0, 4.0])),
        SymmetricScaler(np.array([5.0, 5.0]), np.array([3.0, 3.0])),
    )
    x = np.array([[3.0, 10.0]])
    both = Scaled(nn.Identity(), inputs, outputs)(torch.from_numpy(x)).numpy()
    assert np.array_equal(both, outputs.inverse(inputs.transform(x)))
    one = Scaled(nn.Identity(), inputs)(torch.from_numpy(x)).numpy()
    assert np.array_equal(one, inputs.transform(x))
