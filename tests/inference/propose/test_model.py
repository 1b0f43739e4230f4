"""Models next to the fit."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.inference.propose.model import read_model
from tests.inference.propose.target_functions import rows


class Cross:
    def __call__(self, X):
        return np.cross(X[:, :3], X[:, 3:])

    def jacobian(self, X):
        columns = [(self(X + 1e-6 * e) - self(X - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
        return np.stack(columns, axis=2)


def test_jacobians_of_modules():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).double()
    values, jacobian = read_model(net)
    X = np.random.default_rng(0).standard_normal((5, 6))
    numeric = [(values(X + 1e-6 * e) - values(X - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
    assert np.allclose(jacobian(X), np.stack(numeric, axis=2), atol=1e-7)


def test_a_model_speaks_for_the_data():
    X, Y, rep_in, rep_out, _ = rows("cross product", 60, 0.05)
    assert ss.propose(X, Y, rep_in, rep_out, model=Cross()).algebra == "so(3)"


@pytest.mark.parametrize(("model", "message"), [
    (3, "must be a torch module, or a function of rows with a method `jacobian`"),
    (torch.nn.Linear(6, 2).double(), "`model` gives values of shape"),
])  # fmt: skip
def test_refusals(model, message):
    X, Y, rep_in, rep_out, _ = rows("cross product", 60, 0.1)
    with pytest.raises(InputError, match=message):
        ss.propose(X, Y, rep_in, rep_out, model=model)
