"""Normalisations of the product and of the motion task are the same."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.metrics.normalisation import fit_normalisation
from softsym_lab.tasks.motion import Normaliser


@pytest.mark.parametrize("name", ["scale-aware", "symmetry-aware", "symmetry-scale-aware"])
def test_trajectories_as_the_task_normalises_them(name):
    X = np.random.default_rng(0).standard_normal((50, 18))
    windows = torch.from_numpy(X.reshape(-1, 6, 3))
    expected = Normaliser.fit(windows, name).apply(windows).flatten(1).numpy()
    fitted = fit_normalisation(name, X, ss.rep("6V"), [ss.O(3)])
    np.testing.assert_allclose(fitted.apply(X), expected, atol=1e-12)
