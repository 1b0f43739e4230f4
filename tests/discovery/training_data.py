"""Small things to learn, and trainings that tests of fitting share."""

import numpy as np
import torch

from softsym.discovery.config import Hyperparameters, NetworkConfig, read_hyperparameters
from softsym.discovery.fit_data import FitData, Rows, Shape
from softsym.discovery.parallel import TrainingData
from softsym.groups import group
from softsym.reps import rep
from softsym.training.splits import Splits, mse

PLAIN = Hyperparameters(width=8, layers=2, epochs=30, batch=20, lr=0.01)
FAST = read_hyperparameters(NetworkConfig(width=8, layers=2, epochs=6), has_groups=True)
"""As an estimator trains, but small."""
SHAPE = Shape.of(rep("2V"), rep("V"), [group("O(2)@x"), group("O(2)@z")])


def training_data(*groups):
    """The squared length of a vector."""
    x = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    y = x.square().sum(1, keepdim=True)
    data = Splits((x[:40], y[:40]), (x[40:50], y[40:50]), (x[50:], y[50:]), mse)
    shape = Shape.of(rep("V"), rep("S"), [group(G) for G in groups or ("O(3)",)])
    return TrainingData(shape, data, torch.nn.functional.mse_loss)


def fit_data(n=120, Y=None, **changes):
    """A whole fit: a vector and a push, to which O(2)@z is indifferent."""
    X = np.random.default_rng(0).standard_normal((n, 6))
    Y = X[:, :3] + np.array([0.0, 0.0, 1.0]) if Y is None else Y
    fields = {"shape": SHAPE, "rows": Rows(X, Y), "hyperparameters": FAST}
    return FitData(**fields | {"seeds": 2, "seed": 5, "fraction": 0.2} | changes)
