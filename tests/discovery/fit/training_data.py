"""Small things to learn, and trainings that tests of fitting share."""

import numpy as np
import torch

from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.parallel import TrainingData
from softsym.discovery.fit.recipe import Recipe, read_recipe
from softsym.discovery.fit.train import FitPlan
from softsym.groups import group
from softsym.reps import rep
from softsym.training.splits import Splits, mse

RECIPE = Recipe(width=8, layers=2, epochs=30, batch=20, lr=0.01)
FAST = read_recipe(has_groups=True, width=8, layers=2, epochs=6)
"""As an estimator trains, but small."""
SHAPE = Shape.of(rep("2V"), rep("V"), [group("O(2)@x"), group("O(2)@z")])


def training_data(*groups):
    """The squared length of a vector."""
    x = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    y = x.square().sum(1, keepdim=True)
    data = Splits((x[:40], y[:40]), (x[40:50], y[40:50]), (x[50:], y[50:]), mse)
    shape = Shape.of(rep("V"), rep("S"), [group(G) for G in groups or ("O(3)",)])
    return TrainingData(shape, data, torch.nn.functional.mse_loss)


def plan(rows=120, **changes):
    """A whole fit: a vector and a push, which O(2)@z leaves alone."""
    X = np.random.default_rng(0).standard_normal((rows, 6))
    Y = X[:, :3] + np.array([0.0, 0.0, 1.0])
    fields = {"target": Target.NUMBERS, "shape": SHAPE, "recipe": FAST, "X": X, "Y": Y}
    return FitPlan(**fields | {"seeds": 2, "seed": 5, "fraction": 0.2} | changes)
