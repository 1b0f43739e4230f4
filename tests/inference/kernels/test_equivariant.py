import numpy as np
import pytest

import softsym as ss
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.kernels import (
    Canonicalised,
    EquivariantKernel,
    Kernel,
    Polynomial,
    UnconstrainedKernel,
    equivariant_kernel,
)
from softsym.inference.kernels.kernel_blocks import output_blocks
from softsym.metrics.transform import act

CUBIC, SMOOTH = Kernel("polynomial", 3), Kernel("rbf", 1.4)
CASES = [
    ("O(3)", "2V + S", "T(2) + V", CUBIC),
    ("O(2)@z", "V", "2V + S", SMOOTH),
    ("SO(3)", "T(2)", "V", CUBIC),
    ("S(3)", "2V", "V", SMOOTH),
    ("Scaling(3)", "2V + S", "V + S", SMOOTH),
    ("SO(3) | Scaling(3)", "2V", "V", CUBIC),
    ("Lorentz()", "2V", "V + S", CUBIC),
    ("SL(2)", "3V", "S", CUBIC),
]


def data(n, size, seed=0):
    return np.random.default_rng(seed).standard_normal((n, size))


@pytest.mark.parametrize(("text", "rep_in", "rep_out", "kernel"), CASES, ids=[case[0] for case in CASES])
def test_its_functions_are_equivariant(text, rep_in, rep_out, kernel):
    G, rep_in, rep_out = ss.group(text), ss.rep(rep_in), ss.rep(rep_out)
    candidate, blocks = equivariant_kernel(G, rep_in, rep_out), output_blocks(rep_out, [G])
    X, new = data(6, rep_in.size(G)), data(4, rep_in.size(G), 1)
    elements = (
        finite_subgroup(G).parts
        if not isinstance(candidate, Canonicalised | Polynomial)
        else tuple(G.sample_parts(5, 0))
    )
    alphas = [
        np.random.default_rng(2).standard_normal((block.size * len(X), len(block.columns)))
        for block in blocks
    ]

    def f(rows):
        out = np.zeros((len(rows), rep_out.size(G)))
        for block, gram, alpha in zip(
            blocks, candidate.grams([kernel], blocks, rows, X)[0], alphas, strict=True
        ):
            block.add_to(out, gram @ alpha)
        return out

    transformed = act(rep_in, G, elements, new)
    for k in range(0, len(transformed), 7):
        expected = act(rep_out, G, [part[k : k + 1] for part in elements], f(new))[0]
        assert np.abs(f(transformed[k]) - expected).max() < 1e-8 * (1 + np.abs(expected).max())


@pytest.mark.parametrize(("text", "rep_in", "rep_out", "kernel"), CASES, ids=[case[0] for case in CASES])
def test_is_symmetric_and_positive(text, rep_in, rep_out, kernel):
    G, rep_in, rep_out = ss.group(text), ss.rep(rep_in), ss.rep(rep_out)
    candidate, blocks = equivariant_kernel(G, rep_in, rep_out), output_blocks(rep_out, [G])
    X = data(9, rep_in.size(G))
    (grams,), (both,) = candidate.grams([kernel], blocks, X), candidate.grams([kernel], blocks, X, X)
    (unconstrained,) = UnconstrainedKernel(G, rep_in).grams([kernel], blocks, X)
    for gram, cross, whole in zip(grams, both, unconstrained, strict=True):
        size = np.abs(gram).max()
        assert np.allclose(gram, cross, atol=1e-10 * size)
        assert np.linalg.eigvalsh(gram)[0] > -1e-9 * size
        if candidate.is_projection:  # the rest is a kernel too
            assert np.linalg.eigvalsh(whole - gram)[0] > -1e-9 * np.abs(whole).max()


@pytest.mark.parametrize(("text", "rep_in", "rep_out", "kernel"), CASES, ids=[case[0] for case in CASES])
def test_products_are_those_of_the_gram_matrix(text, rep_in, rep_out, kernel):
    G, rep_in, rep_out = ss.group(text), ss.rep(rep_in), ss.rep(rep_out)
    blocks = output_blocks(rep_out, [G])
    X, new = data(40, rep_in.size(G)), data(7, rep_in.size(G), 1)
    values = [data(block.size * len(X), len(block.columns), 2) for block in blocks]
    stretch = 1 + np.arange(rep_in.size(G))
    for candidate in (
        equivariant_kernel(G, rep_in, rep_out),
        UnconstrainedKernel(G, rep_in),
        UnconstrainedKernel(G, rep_in, stretch),
    ):
        grams = candidate.grams([kernel], blocks, new, X)[0]
        products = candidate.function(kernel, blocks, X, values)(new)
        generic = EquivariantKernel.function(candidate, kernel, blocks, X, values)(new)
        for gram, value, product, other in zip(grams, values, products, generic, strict=True):
            assert np.allclose(product, gram @ value, atol=1e-9 * np.abs(gram).max() * len(gram))
            assert np.allclose(other, gram @ value, atol=1e-9 * np.abs(gram).max() * len(gram))


@pytest.mark.parametrize(("text", "rep_in", "rep_out", "kernel"), CASES, ids=[case[0] for case in CASES])
def test_own_covariances_are_on_the_diagonal_of_the_gram_matrix(text, rep_in, rep_out, kernel):
    G, rep_in, rep_out = ss.group(text), ss.rep(rep_in), ss.rep(rep_out)
    X = data(20, rep_in.size(G))
    stretch = 1 + np.arange(rep_in.size(G))
    for candidate in (
        equivariant_kernel(G, rep_in, rep_out),
        UnconstrainedKernel(G, rep_in),
        UnconstrainedKernel(G, rep_in, stretch),
    ):
        for block in output_blocks(rep_out, [G]):
            diagonal = candidate.diagonal(kernel, block, X)
            for row, found in zip(X, diagonal, strict=True):
                ((gram,),) = candidate.grams([kernel], [block], row[None], row[None])
                assert np.allclose(found, gram, atol=1e-10 * (1 + np.abs(gram).max()))
