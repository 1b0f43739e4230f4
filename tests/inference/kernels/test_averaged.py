import numpy as np

import softsym as ss
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.kernels import Kernel, equivariant_kernel, output_blocks

SMOOTH = Kernel("rbf", 1.4)


def test_against_the_sum_written_out():
    G, rep = ss.group("O(2)@z"), ss.rep("V")
    X, (block, *_) = np.random.default_rng(0).standard_normal((3, 3)), output_blocks(rep, [ss.O(3)])
    gram = equivariant_kernel(G, rep, rep).grams([SMOOTH], [block], X)[0][0]
    elements = finite_subgroup(G).parts[0]
    for i in range(3):
        for j in range(3):
            values = [SMOOTH.gram(X[i : i + 1], (g @ X[j])[None]).item() * g for g in elements]
            expected = block.basis.T @ np.mean(values, axis=0) @ block.basis
            assert np.allclose(gram.reshape(3, 3, 3, 3)[:, i, :, j], expected)
