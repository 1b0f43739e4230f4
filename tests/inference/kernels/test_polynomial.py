import numpy as np

import softsym as ss
from softsym.inference.kernels import Kernel, Polynomial, equivariant_kernel, output_blocks

CUBIC = Kernel("polynomial", 3)


def test_polynomial_maps_and_averages_agree():
    """Two unrelated ways: maps from `spaces`, and sums over rotations."""
    G, rep_in, rep_out = ss.O(3), ss.rep("2V + S"), ss.rep("T(2) + V")
    blocks, X = output_blocks(rep_out, [G]), np.random.default_rng(0).standard_normal((8, 7))
    averaged = equivariant_kernel(G, rep_in, rep_out).grams([CUBIC], blocks, X)[0]
    projected = Polynomial(G, rep_in, rep_out).grams([CUBIC], blocks, X)[0]
    for a, b in zip(averaged, projected, strict=True):
        assert np.allclose(a, b, atol=1e-12)
