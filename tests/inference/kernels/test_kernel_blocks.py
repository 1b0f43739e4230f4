import numpy as np
import pytest

import softsym as ss
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.kernels.kernel_blocks import output_blocks

CASES = {
    "2S + V": (["O(3)"], [1, 3]),
    "T(2)": (["O(3)"], [1, 3, 5]),
    "V + T(2)": (["O(2)@z"], [1, 2, 1, 1, 1, 2, 2, 2]),
    "3V": (["O(2)@x", "O(2)@z"], [3]),
    "T(3)": (["Scaling(3)"], [27]),
}


@pytest.mark.parametrize(("text", "case"), CASES.items(), ids=CASES)
def test_sizes(text, case):
    groups, sizes = case
    assert [block.size for block in output_blocks(ss.rep(text), [ss.group(g) for g in groups])] == sizes


@pytest.mark.parametrize(("text", "case"), CASES.items(), ids=CASES)
def test_blocks_are_an_orthogonal_decomposition(text, case):
    groups = [ss.group(g) for g in case[0]]
    rep = ss.rep(text)
    Y = np.random.default_rng(0).standard_normal((7, rep.size(groups[0])))
    blocks = output_blocks(rep, groups)
    back = np.zeros_like(Y)
    for block in blocks:
        block.add_to(back, block.read(Y))
    assert np.allclose(back, Y)
    assert sum(np.sum(block.read(Y) ** 2) for block in blocks) == pytest.approx(np.sum(Y**2))


@pytest.mark.parametrize("text", ["O(3)", "O(2)@z", "C(4)@x"])
def test_no_element_leaves_a_block(text):
    G = ss.group(text)
    subgroup = finite_subgroup(G)
    for block in output_blocks(ss.rep("T(2)"), [G]):
        rho = block.rho(G, subgroup)
        assert np.allclose(rho @ rho.swapaxes(1, 2), np.eye(block.size))


def test_variances_in_the_types_coordinates():
    block = output_blocks(ss.rep("T(2)"), [ss.O(3)])[2]
    covariance = np.stack([np.diag(np.arange(1.0, 6.0))])
    assert block.variances(covariance)[0] == pytest.approx(
        np.diag(block.basis @ covariance[0] @ block.basis.T)
    )
