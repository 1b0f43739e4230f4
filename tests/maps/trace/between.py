"""Inference on a function between two linear layers."""

import torch
from torch import nn

import softsym as ss


class Function(nn.Module):
    """A linear layer, a function, a linear layer."""

    def __init__(self, function, middle, n_in=6, n_mid=8, n_out=3, **parameters):
        super().__init__()
        self.first, self.last = nn.Linear(n_in, n_mid), nn.Linear(middle, n_out)
        for name, value in parameters.items():
            setattr(self, name, nn.Parameter(value))
        self.function = function

    def forward(self, x):
        return self.last(self.function(self, self.first(x)))


def infer_between(function, middle=8, groups=("C(4)@z",), shape=(2, 5, 6), n_mid=8, rep_out="V", **parameters):
    """The proposal for a function between two linear layers."""
    model = Function(function, middle, n_mid=n_mid, **parameters)
    return ss.infer_reps(model, "2V", rep_out, list(groups), example=torch.zeros(shape))
