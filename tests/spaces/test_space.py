"""Laws of equivariant spaces under every group of the registry."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.testing import assert_projector
from tests.catalogue import FINITE, GROUPS, ORTHOGONAL, SMALL, elements, reps_of
from tests.twin import equivariance_gap, twin_basis, twin_project, twin_tensor_basis

every = pytest.mark.parametrize("G", GROUPS.values(), ids=list(GROUPS))
PAIRS = [("V", "V"), ("S + V", "V + S"), ("2V", "T(2) + V'"), ("V'", "T(1,1)"), (None, "S + V + T(1,1)")]


def pairs_of(G):
    """Representations in and out, small enough for dense checks."""
    found = [(None if a is None else ss.rep(a), ss.rep(b)) for a, b in PAIRS]
    if len(G.part_dims) > 1:
        found += [(ss.rep("V[0]*V[1]"), ss.rep("V[1] + V[0]"))]
    if G in (ss.C(4), ss.D(4)):
        found += [(ss.rep("Grid(3,3)"), ss.rep("V + Grid(2,2)")), (ss.rep("Grid(2,2)*V"), ss.rep("V"))]
    return [(a, b) for a, b in found if b.size(G) * (1 if a is None else a.size(G)) <= 300]


def space_of(a, b, G, **options):
    return ss.invariants(b, G, **options) if a is None else ss.equivariant_maps(a, b, G, **options)


@every
def test_basis_is_orthonormal_and_spans_the_projector(G):
    for a, b in pairs_of(G):
        space = space_of(a, b, G)
        Q = space.basis()
        assert Q.shape == (space.size, space.dim)
        assert np.allclose(Q.T @ Q, np.eye(space.dim), atol=1e-10)
        P = space.project(np.eye(space.size).reshape(-1, *space.shape)).reshape(space.size, space.size)
        assert np.allclose(P, Q @ Q.T, atol=1e-10)
        assert np.allclose(P, P.T, atol=1e-10)
        assert np.allclose(P @ P, P, atol=1e-10)
        assert np.isclose(np.trace(P), space.dim)


@every
def test_projected_maps_are_equivariant_and_nearest(G):
    for a, b in pairs_of(G):
        space = space_of(a, b, G)
        W = np.random.default_rng(1).standard_normal(space.shape)
        PW = space.project(W)
        assert equivariance_gap(PW, a, b, G) < 1e-8
        assert np.allclose(space.project(PW), PW, atol=1e-10)
        assert np.isclose(space.distance(W) ** 2, (W**2).sum() - (PW**2).sum())
        assert np.array_equal(space.residual(W), W - PW)
        assert space.distance(PW) < 1e-10
        if space.dim < space.size:
            assert space.distance(W) > 1e-6
            assert equivariance_gap(W, a, b, G, n=20) > 1e-6


@every
def test_the_slow_twin_agrees(G):
    for a, b in pairs_of(G):
        space, Q = space_of(a, b, G), twin_basis(a, b, G)
        W = np.random.default_rng(2).standard_normal(space.shape)
        assert space.dim == Q.shape[1]
        assert np.allclose(space.project(W), twin_project(W, Q), atol=1e-8)


@every
def test_coordinates(G):
    for a, b in pairs_of(G):
        space = space_of(a, b, G)
        W = np.random.default_rng(3).standard_normal((2, *space.shape))
        theta = space.coefficients(W)
        assert theta.shape == (2, space.dim)
        assert np.allclose(theta, W.reshape(2, -1) @ space.basis(), atol=1e-10)
        assert np.allclose(space.combine(theta), space.project(W), atol=1e-10)
        assert np.allclose(space.coefficients(space.combine(theta)), theta, atol=1e-10)


@pytest.mark.parametrize("G", ORTHOGONAL.values(), ids=list(ORTHOGONAL))
def test_residuals_of_compact_groups_are_at_rounding(G):
    for rep in reps_of(G, limit=30):
        assert ss.equivariant_maps(rep, rep, G).residual_bound <= 1e-10


@pytest.mark.parametrize("G", FINITE.values(), ids=list(FINITE))
def test_dimension_is_the_mean_character(G):
    g = tuple(np.array(part) for part in zip(*(e.parts for e in _listed(G)), strict=True))
    for rep in reps_of(G, limit=64):
        characters = np.trace(rep.rho(G, g), axis1=1, axis2=2)
        assert ss.invariants(rep, G).dim == round(characters.mean())
        assert np.isclose(characters.mean(), round(characters.mean()))
        assert ss.equivariant_maps("V", rep, G).dim == round(
            (characters * np.trace(ss.Vector.dual.rho(G, g), axis1=1, axis2=2)).mean()
        )


def _listed(G):
    from softsym.spaces.solvers.reynolds import listed

    return listed(G)


@pytest.mark.parametrize(("first", "second"), [
    ("O(2)@x", "O(2)@z"), ("SO(3)", "Scaling(3)"), ("C(4)@x", "C(4)@y"), ("SO(2)@z", "S(3)"), ("Z(3)", "S(2)@3[0,1]"),
    ("SL(2)@z", "SO(2)@x"),
])  # fmt: skip
def test_joined_space_is_the_intersection(first, second):
    for a, b in (("V", "V"), ("S + V", "T(2)"), ("V'", "T(1,1)")):
        both = ss.equivariant_maps(a, b, f"{first} | {second}")
        one, two = (ss.equivariant_maps(a, b, G).basis() for G in (first, second))
        together = twin_basis(ss.rep(a), ss.rep(b), ss.group(f"{first} | {second}"))
        # Principal angles of zero count the vectors that lie in both.
        cosines = np.linalg.svd(one.T @ two, compute_uv=False) if one.size and two.size else np.zeros(0)
        assert both.dim == (cosines > 1 - 1e-9).sum() == together.shape[1]
        for Q in (one, two):
            assert np.allclose(Q @ (Q.T @ both.basis()), both.basis(), atol=1e-10)


@pytest.mark.parametrize("G", ["O(3)", "S(4)", "O(2)@z", "D(3)", "U(2)", "Octahedral()"])
def test_orthogonal_groups_do_not_tell_a_vector_from_its_dual(G):
    space, dual = ss.equivariant_maps("V + S", "T(2)", G), ss.equivariant_maps("V' + S", "V'*V", G)
    W = np.random.default_rng(0).standard_normal(space.shape)
    assert np.allclose(space.project(W), dual.project(W), atol=1e-12)
    assert set(space.evidence) == set(dual.evidence)


def test_other_groups_do_tell_them_apart():
    assert ss.equivariant_maps("V", "V", "SL(3)").dim == 1
    assert ss.equivariant_maps("V", "V'", "SL(3)").dim == 0
    assert ss.equivariant_maps("V", "V'", "SL(2)").dim == 1  # the area form
    assert ss.equivariant_maps("V", "V'", "Scaling(2)").dim == 0


@pytest.mark.parametrize("G", ["SO(3)", "S(3)", "Lorentz()", "O(2)@z"])
def test_the_order_of_summands_is_kept(G):
    G = ss.group(G)
    d = G.dim
    a, b = ss.equivariant_maps("S + V", "V + S + V", G), ss.equivariant_maps("V + S", "2V + S", G)
    rows = [*range(d), *range(d + 1, 2 * d + 1), d]  # the coordinates of b's output in a's
    columns = [*range(1, d + 1), 0]
    W = np.random.default_rng(0).standard_normal(a.shape)
    assert np.allclose(a.project(W)[np.ix_(rows, columns)], b.project(W[np.ix_(rows, columns)]), atol=1e-12)


def test_product_groups_on_parts_and_on_the_whole_agree():
    G = ss.group("SO(2) * S(3)")
    W = np.random.default_rng(0).standard_normal((6, 6))
    assert np.allclose(
        ss.equivariant_maps("V", "V", G).project(W),
        ss.equivariant_maps("V[0]*V[1]", "V[0]*V[1]", G).project(W),
        atol=1e-12,
    )


def test_nothing_in_nothing_out():
    for a, b, shape in (("0", "V", (3, 0)), ("V", "0", (0, 3)), ("0", "0", (0, 0))):
        space = ss.equivariant_maps(a, b, "O(3)")
        assert (space.shape, space.dim) == (shape, 0)
        assert space.project(np.zeros(shape)).shape == shape
        assert space.basis().shape == (0, 0)


@pytest.mark.parametrize("shape", [(3, 4), (4, 4), (9,), (2, 9, 3), ()])
def test_wrong_shapes(shape):
    space = ss.equivariant_maps("S + V", "T(2)", "O(3)")
    message = rf"`W` must have shape \(..., 9, 4\) for S \+ V -> T\(2\) under O\(3\), got \({', '.join(map(str, shape))}"
    for use in (space.project, space.coefficients, space.distance, space.residual):
        with pytest.raises(InputError, match=message):
            use(np.zeros(shape))
    with pytest.raises(InputError, match=r"`W` must have shape \(..., 3\) for V under O\(3\), got \(4,\)"):
        ss.invariants("V", "O(3)").project(np.zeros(4))
    with pytest.raises(InputError, match=r"`theta` must have shape \(..., 1\), got \(2,\)"):
        space.combine(np.zeros(2))


@pytest.mark.parametrize("tol", [0.0, -1e-3, 1.0, float("nan")])
def test_bad_tolerance(tol):
    with pytest.raises(InputError, match=r"`tol` must lie between 0 and 1 .* got"):
        ss.equivariant_maps("V", "V", "O(3)", tol=tol)


@pytest.mark.parametrize("G", ["O(3)", "O(2)@z", "SL(2)@x", "S(3)", "Scaling(3)", "SE(2)"])
def test_tensors_of_three_axes_agree_with_the_slow_twin(G):
    G, factors = ss.group(G), [ss.rep("S + V"), ss.rep("V' + S"), ss.rep("2S + V")]
    space = ss.spaces.invariant_tensors(factors, G)
    Q = twin_tensor_basis(factors, G)
    W = np.random.default_rng(0).standard_normal((2, *space.shape))
    assert space.shape == tuple(rep.size(G) for rep in factors)
    assert space.dim == Q.shape[1]
    for projected, one in zip(space.project(W), W, strict=True):
        assert np.allclose(projected, twin_project(one, Q), atol=1e-12)
    assert_projector(space)


def test_a_map_is_a_tensor_of_two_axes():
    assert ss.spaces.invariant_tensors(["T(2)", "V'"], "SL(2)") is ss.equivariant_maps("V", "T(2)", "SL(2)")
    assert ss.spaces.invariant_tensors(["T(2)"], "SL(2)") is ss.invariants("T(2)", "SL(2)")
    with pytest.raises(InputError, match="a tensor has at least one axis"):
        ss.spaces.invariant_tensors([], "O(3)")


def test_shown():
    assert (
        repr(ss.equivariant_maps("V", "T(2)", "SO(3)"))
        == "EquivariantSpace(V -> T(2) under SO(3), dim 1 of 27)"
    )
    assert repr(ss.invariants("T(2)", "SO(3)")) == "EquivariantSpace(T(2) under SO(3), dim 1 of 9)"
    kernels = ss.spaces.invariant_tensors(["V", "S", "Grid(3,3)"], "C(4)")
    assert repr(kernels) == "EquivariantSpace(S (x) Grid(3,3) -> V under C(4), dim 4 of 18)"


def test_the_whole_registry_is_small_enough_to_be_checked():
    assert set(SMALL) < set(GROUPS)
    assert all(elements(G, 1)[0].shape[0] == 1 for G in GROUPS.values())
