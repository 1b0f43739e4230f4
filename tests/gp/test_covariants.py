"""Equivariant polynomials: equivariant at every element, complete for classical groups, and none of them redundant."""

import numpy as np
import pytest

import softsym as ss
from softsym.gp.covariants import equivariant_polynomials, invariant_polynomials
from softsym.metrics import act
from tests.catalogue import SMALL, each

SHAPES = [("2V", "V"), ("S + V", "T(2)"), ("T(2) + V", "S"), ("V + pV", "V"), ("2V", "pV"), ("Sym(2) + pS", "pS")]


@each(SMALL)
@pytest.mark.parametrize(("rep_in", "rep_out"), SHAPES)
def test_equivariant_at_group_elements(G, rep_in, rep_out):
    group = ss.group(G)
    rep, output = ss.rep(rep_in), ss.rep(rep_out).terms[0][1]
    if rep.size(group) > 40 or output.size(group) > 40:
        pytest.skip("large")
    x = np.random.default_rng(0).standard_normal((4, rep.size(group)))
    elements = group.sample_parts(3, seed=1)
    moved = act(rep, group, elements, x)
    invariants, covariants = (invariant_polynomials(rep, group, 2), equivariant_polynomials(rep, output, group, 2))
    for k, images in enumerate(moved):
        size = 1.0 + np.abs(invariants(images)).max(initial=0.0)
        np.testing.assert_allclose(invariants(images), invariants(x), atol=1e-8 * size)
        values = covariants(x)
        for j in range(len(covariants)):
            expected = act(ss.rep(rep_out), group, [part[k : k + 1] for part in elements], values[:, :, j])[0]
            size = 1.0 + np.abs(expected).max()
            np.testing.assert_allclose(covariants(images)[:, :, j], expected, atol=1e-8 * size)


@pytest.mark.parametrize(
    ("group", "rep", "count"),
    [
        ("O(3)", "4V", 10),  # inner products
        ("SO(3)", "4V", 14),  # and determinants
        ("SL(2)", "4V", 6),  # determinants of pairs
        ("Lorentz()", "3V", 6),
        ("O(2)@z", "2V", 5),  # heights, and inner products across the axis
        ("O(3)", "T(2)", 5),
        ("O(3)", "V + pV", 3),  # squares, and the square of the inner product, a pseudoscalar
        ("SO(3)", "V + pV", 3),
        ("O(3)", "Sym(2)", 3),  # traces of powers
    ],
)
def test_numbers_of_generators_are_those_of_invariant_theory(group, rep, count):
    assert len(invariant_polynomials(ss.rep(rep), ss.group(group), 3)) == count


@pytest.mark.parametrize(
    ("group", "rep", "output", "degrees"),
    [
        ("O(3)", "2V", "V", (1, 1)),
        ("SO(3)", "2V", "V", (1, 1, 2)),
        ("O(3)", "V", "T(2)", (0, 2)),
        ("SO(2)", "V", "V", (1, 1)),
        ("O(3)", "V", "S", (0,)),
        ("O(3)", "2V", "pV", (2,)),  # the cross product
        ("O(3)", "V + pV", "V", (1, 2, 3)),  # the vector, the cross product, and the pseudovector times a pseudoscalar
        ("O(3)", "V + pV", "pV", (1, 3)),
        ("O(2)", "2V", "pS", (2,)),
        ("O(3)", "Sym(2)", "Sym(2)", (0, 1, 2)),
    ],
)
def test_generators_of_equivariant_maps(group, rep, output, degrees):
    assert equivariant_polynomials(ss.rep(rep), ss.rep(output).terms[0][1], ss.group(group)).degrees == degrees


def test_products_of_lower_generators_are_left_out():
    rep, group = ss.rep("3V"), ss.group("SO(2)@z")
    found = invariant_polynomials(rep, group, 3)
    x = np.random.default_rng(0).standard_normal((500, 9))
    values = found(x)[:, 0]
    lower = values[:, np.array(found.degrees) == 1]
    products = np.stack([lower[:, i] * lower[:, j] for i in range(3) for j in range(i, 3)], axis=1)
    for column in values[:, np.array(found.degrees) == 2].T:
        rest = column - products @ np.linalg.lstsq(products, column, rcond=None)[0]
        assert np.linalg.norm(rest) > 1e-3 * np.linalg.norm(column)
