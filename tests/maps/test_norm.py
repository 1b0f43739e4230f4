"""Norms: a scale is a diagonal map."""

import numpy as np
import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps.norm import not_permuting, read_norm
from tests.maps.twins import check


@pytest.mark.parametrize(
    "module",
    [
        nn.LayerNorm(9),
        nn.RMSNorm(9),
        nn.BatchNorm2d(9),
        nn.GroupNorm(3, 9),
        nn.InstanceNorm1d(9, affine=True),
    ],
)
def test_agrees_with_the_average(module):
    assert set(check(module, "2Regular(C(4)) + S", "2Regular(C(4)) + S", "C(4)").values()) == {3}


def test_an_invariant_scale_commutes_with_permutations():
    G, rep = ss.D(4), ss.Regular("D(4)")
    scale = ss.invariants(rep, "C(4)").project(np.random.default_rng(0).standard_normal(8))
    assert all(
        np.allclose(np.diag(scale) @ rep.rho(G, g), rep.rho(G, g) @ np.diag(scale)) for g in ss.C(4).elements
    )
    assert not all(
        np.allclose(np.diag(scale) @ rep.rho(G, g), rep.rho(G, g) @ np.diag(scale)) for g in G.elements
    )


def test_refuses():
    assert not_permuting(ss.rep("V"), [ss.C(4), ss.group("S(2)")]) == ["C(4)"]
    with pytest.raises(InputError, match=r"'n' scales each coordinate of V by itself, which breaks O\(3\)"):
        read_norm("n", nn.LayerNorm(3), ss.rep("V"), ss.rep("V"), [ss.O(3)])
    with pytest.raises(InputError, match="'n' maps a representation to itself, got V and 3S"):
        read_norm("n", nn.LayerNorm(3), ss.rep("V"), ss.rep("3S"), [ss.O(3)])
    with pytest.raises(InputError, match="Linear is not a norm"):
        read_norm("n", nn.Linear(1, 1), ss.rep("S"), ss.rep("S"), [ss.O(3)])
