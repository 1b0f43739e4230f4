"""Every way to make a kernel equivariant has its module."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.discovery.models.gp_model import fit_gp_model
from softsym.discovery.module.gp_module import AtOneSize, Powers, process_module

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 6))
CROSS = np.cross(X[:, :3], X[:, 3:])
OUTER = np.einsum("ni,nj->nij", X[:, :3], CROSS).reshape(60, 9)
CASES = {
    "averaged": ("2V", "V", ["SO(3)", "O(2)@z"], CROSS),
    "tensors": ("2V", "T(2) + V", ["SO(3)"], np.hstack([OUTER, CROSS])),
    "at one size": ("2V", "V", ["Scaling(3)"], X[:, :3] * np.abs(X[:, 3:]).max(1, keepdims=True)),
    "turned, at one size": ("2V", "T(2)", ["SO(3) | Scaling(3)"], OUTER),
    "polynomial": ("2V", "S", ["SL(3)"], X[:, :1]),
    "without candidates": ("6S", "3S", [], CROSS),
    "constant outputs": ("2V", "V", ["SO(3)"], np.zeros((60, 3))),
}


@pytest.mark.parametrize("case", CASES)
def test_it_predicts_what_the_process_predicts(case: str) -> None:
    rep_in, rep_out, groups, Y = CASES[case]
    model = fit_gp_model(X[:50], Y[:50], ss.rep(rep_in), ss.rep(rep_out), [ss.group(name) for name in groups])
    module = process_module(model)
    predicted = model(X)
    assert np.allclose(
        module(torch.from_numpy(X)).numpy(), predicted, atol=1e-8 * (1 + np.abs(predicted).max())
    )
    inside = [type(part) for part in module.modules()]
    assert (AtOneSize in inside) == ("one size" in case)
    assert (Powers in inside) == (case == "polynomial")
