import numpy as np
import pytest

import softsym as ss
from softsym.gp.features import scaling_power, without_scaling
from softsym.inference.kernels import Kernel, equivariant_kernel, output_blocks

LINEAR = Kernel("polynomial", 1)


@pytest.mark.parametrize(("text", "power"), [("S", 0), ("V", 1), ("T(2)", 2), ("V*V'", 0)])
def test_how_a_type_grows(text, power):
    ((_, type_),) = ss.rep(text)
    assert scaling_power(type_) == power


def test_multiples_of_the_identity_are_taken_out():
    rest, scales = without_scaling(ss.group("SO(3) | Scaling(3)"))
    assert scales
    assert len(rest.lie_algebra) == 3
    assert without_scaling(ss.Scaling(3)) == (None, True)
    assert without_scaling(ss.O(3)) == (ss.O(3), False)


def test_a_row_twice_as_long_has_twice_the_values():
    G, rep = ss.Scaling(3), ss.rep("V")
    blocks, X = output_blocks(rep, [G]), np.random.default_rng(0).standard_normal((4, 3))
    kernel = equivariant_kernel(G, rep, rep)
    gram, longer = (kernel.grams([LINEAR], blocks, rows, X)[0][0] for rows in (X, 2 * X))
    assert np.allclose(longer, 2 * gram)


def test_functions_without_the_symmetry_change_along_orbits_and_are_zero_on_average():
    G, rep = ss.Scaling(3), ss.rep("V")
    direction = np.random.default_rng(0).standard_normal(3)
    X = np.exp(np.linspace(-1, 1, 9))[:, None] * direction
    blocks, kernel = output_blocks(ss.rep("S"), [G]), equivariant_kernel(G, rep, ss.rep("S"))
    grams = kernel.grams([LINEAR], blocks, X)[0]
    (rest,) = kernel.complements(grams, grams, X)
    assert np.allclose(rest.sum(axis=0), 0.0)
    assert np.linalg.eigvalsh(rest)[0] > -1e-12
    assert rest.trace() > 0.1 * grams[0].trace()
