"""Small things to learn, and trainings that tests of fitting share."""

import torch

from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.parallel import Lesson
from softsym.discovery.fit.recipe import Recipe
from softsym.groups import group
from softsym.reps import rep
from softsym.tasks.error import mse
from softsym.tasks.task import Splits

RECIPE = Recipe(width=8, layers=2, epochs=30, batch=20, lr=0.01)


def lesson(*groups):
    """The squared length of a vector."""
    x = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    y = x.square().sum(1, keepdim=True)
    data = Splits((x[:40], y[:40]), (x[40:50], y[40:50]), (x[50:], y[50:]), mse)
    shape = Shape.of(rep("V"), rep("S"), [group(G) for G in groups or ("O(3)",)])
    return Lesson(shape, data, torch.nn.functional.mse_loss)
