"""A group in another basis has spaces of the same dimension, turned with it."""

import numpy as np
import pytest

import softsym as ss
from tests.catalogue import SMALL

UPRIGHT = {text: G for text, G in SMALL.items() if G.dim <= 4 and len(G.part_dims) == 1}


@pytest.mark.parametrize("G", UPRIGHT.values(), ids=list(UPRIGHT))
@pytest.mark.parametrize("rotated", [True, False])
def test_dimensions_do_not_depend_on_the_basis(G, rotated):
    M = np.random.default_rng(G.dim).standard_normal((G.dim, G.dim))
    M = np.linalg.qr(M)[0] if rotated else np.eye(G.dim) + 0.2 * M
    turned = G.conjugated(M)
    for rep_in, rep_out in (("V", "V"), ("S + V", "T(2)"), ("V", "T(1,1)")):
        upright, there = (ss.equivariant_maps(rep_in, rep_out, H) for H in (G, turned))
        assert there.dim == upright.dim
        if upright.dim:
            left, right = (ss.rep(rep).rho(G, M) for rep in (rep_out, rep_in))
            W = upright.basis()[:, 0].reshape(upright.shape)
            assert there.distance(left @ W @ np.linalg.inv(right)) < 1e-6 * np.linalg.norm(left @ W)


def test_networks_and_penalties_take_any_axis():
    import torch

    G = ss.group("O(2)@(1,2,0)")
    net = ss.nn.EMLP("2V + S", "V", G, width=30, layers=2).double()
    x = torch.randn(6, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert float(ss.equivariance_error(net, x, "2V + S", "V", G)) < 1e-6
    assert float(ss.equivariance_error(net, x, "2V + S", "V", "O(2)@z")) > 1e-3
    soft = ss.nn.SoftMLP("2V + S", "V", ["O(2)@z", G], width=30, layers=2)
    per = ss.EquivarianceRegularizer(soft, groups=["O(2)@z", G])
    assert per().item() > 0
    per.project_(G)
    assert max(per.residuals()[G.name].values()) < 1e-6
