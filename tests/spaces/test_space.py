"""Properties of equivariant spaces under the groups of the catalogue."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.spaces import forget
from softsym.spaces.solvers.reynolds import list_elements
from softsym.spaces.space import invariants_of_type
from softsym.testing import assert_projector
from tests.catalogue import FINITE, GROUPS, ORTHOGONAL, REPRESENTATIVES, SMALL, each, reps_of
from tests.twin import equivariance_gap, twin_basis, twin_project, twin_tensor_basis

every = each(GROUPS)
ONE_PART = {text: G for text, G in SMALL.items() if G.dim <= 4 and len(G.part_dims) == 1}
PAIRS = [("V", "V"), ("S + V", "V + S"), ("2V", "T(2) + V'"), ("V'", "T(1,1)"), (None, "S + V + T(1,1)")]


def pairs_of(G):
    """Representations in and out, small enough for dense checks."""
    pairs = [(None if a is None else ss.rep(a), ss.rep(b)) for a, b in PAIRS]
    if len(G.part_dims) > 1:
        pairs += [(ss.rep("V[0]*V[1]"), ss.rep("V[1] + V[0]"))]
    if G in (ss.C(4), ss.D(4)):
        pairs += [(ss.rep("Grid(3,3)"), ss.rep("V + Grid(2,2)")), (ss.rep("Grid(2,2)*V"), ss.rep("V"))]
    return [(a, b) for a, b in pairs if b.size(G) * (1 if a is None else a.size(G)) <= 300]


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


@each(ORTHOGONAL)
def test_residuals_of_compact_groups_are_at_rounding(G):
    for rep in reps_of(G, limit=30):
        assert ss.equivariant_maps(rep, rep, G).residual_bound <= 1e-10


@each(FINITE)
def test_dimension_is_the_mean_character(G):
    g = tuple(np.array(part) for part in zip(*(e.parts for e in list_elements(G)), strict=True))
    for rep in reps_of(G, limit=64):
        characters = np.trace(rep.rho(G, g), axis1=1, axis2=2)
        assert ss.invariants(rep, G).dim == round(characters.mean())
        assert np.isclose(characters.mean(), round(characters.mean()))
        assert ss.equivariant_maps("V", rep, G).dim == round(
            (characters * np.trace(ss.Vector.dual.rho(G, g), axis1=1, axis2=2)).mean()
        )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("O(2)@x", "O(2)@z"),
        ("SO(3)", "Scaling(3)"),
        ("C(4)@x", "C(4)@y"),
        ("SO(2)@z", "S(3)"),
        ("Z(3)", "S(2)@3[0,1]"),
        ("SL(2)@z", "SO(2)@x"),
    ],
)
def test_joined_space_is_the_intersection(first, second):
    for a, b in (("V", "V"), ("S + V", "T(2)"), ("V'", "T(1,1)")):
        both = ss.equivariant_maps(a, b, f"{first} | {second}")
        P, Q = (ss.equivariant_maps(a, b, G).basis() for G in (first, second))
        together = twin_basis(ss.rep(a), ss.rep(b), ss.group(f"{first} | {second}"))
        # Principal angles of zero count the vectors that lie in both.
        cosines = np.linalg.svd(P.T @ Q, compute_uv=False) if P.size and Q.size else np.zeros(0)
        assert both.dim == (cosines > 1 - 1e-9).sum() == together.shape[1]
        for basis in (P, Q):
            assert np.allclose(basis @ (basis.T @ both.basis()), both.basis(), atol=1e-10)


@pytest.mark.parametrize("G", ["O(3)", "S(4)", "O(2)@z", "D(3)", "U(2)", "Octahedral()"])
def test_vectors_and_duals_agree_under_orthogonal_groups(G):
    space, dual = ss.equivariant_maps("V + S", "T(2)", G), ss.equivariant_maps("V' + S", "V'*V", G)
    W = np.random.default_rng(0).standard_normal(space.shape)
    assert np.allclose(space.project(W), dual.project(W), atol=1e-12)
    assert set(space.evidence) == set(dual.evidence)


def test_vectors_and_duals_differ_under_other_groups():
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
    message = (
        rf"`W` must have shape \(..., 9, 4\) for S \+ V -> T\(2\) under O\(3\), got \({', '.join(map(str, shape))}"
    )
    for use in (space.project, space.coefficients, space.distance, space.residual):
        with pytest.raises(InputError, match=message):
            use(np.zeros(shape))
    with pytest.raises(InputError, match=r"`W` must have shape \(..., 3\) for V under O\(3\), got \(4,\)"):
        ss.invariants("V", "O(3)").project(np.zeros(4))
    with pytest.raises(InputError, match=r"`theta` must have shape \(..., 1\), got \(2,\)"):
        space.combine(np.zeros(2))


@pytest.mark.parametrize("tol", [0, 0.0, -1e-3, 1, 2.0, float("nan")])
def test_bad_tolerance(tol):
    with pytest.raises(InputError, match=r"`tol` must lie between 0 and 1 \(relative .*\), got"):
        ss.equivariant_maps("V", "V", "O(3)", tol=tol)


@pytest.mark.parametrize("G", ["O(3)", "O(2)@z", "SL(2)@x", "S(3)", "Scaling(3)", "SE(2)"])
def test_tensors_of_three_axes_agree_with_the_slow_twin(G):
    G, factors = ss.group(G), [ss.rep("S + V"), ss.rep("V' + S"), ss.rep("2S + V")]
    space = ss.spaces.invariant_tensors(factors, G)
    Q = twin_tensor_basis(factors, G)
    W = np.random.default_rng(0).standard_normal((2, *space.shape))
    assert space.shape == tuple(rep.size(G) for rep in factors)
    assert space.dim == Q.shape[1]
    for projected, w in zip(space.project(W), W, strict=True):
        assert np.allclose(projected, twin_project(w, Q), atol=1e-12)
    assert_projector(space)


def test_a_map_is_a_tensor_of_two_axes():
    assert ss.spaces.invariant_tensors(["T(2)", "V'"], "SL(2)") is ss.equivariant_maps("V", "T(2)", "SL(2)")
    assert ss.spaces.invariant_tensors(["T(2)"], "SL(2)") is ss.invariants("T(2)", "SL(2)")
    with pytest.raises(InputError, match="a tensor has at least one axis"):
        ss.spaces.invariant_tensors([], "O(3)")


def test_shown():
    assert repr(ss.equivariant_maps("V", "T(2)", "SO(3)")) == "EquivariantSpace(V -> T(2) under SO(3), dim 1 of 27)"
    assert repr(ss.invariants("T(2)", "SO(3)")) == "EquivariantSpace(T(2) under SO(3), dim 1 of 9)"
    kernels = ss.spaces.invariant_tensors(["V", "S", "Grid(3,3)"], "C(4)")
    assert repr(kernels) == "EquivariantSpace(S (x) Grid(3,3) -> V under C(4), dim 4 of 18)"


def test_representatives_are_in_the_catalogue():
    assert set(REPRESENTATIVES) < set(GROUPS)
    assert 6 * len(REPRESENTATIVES) <= len(GROUPS)


def test_types_are_solved_once_per_process():
    tensor_type = ss.rep("T(3)").terms[0][1]
    first = invariants_of_type(ss.SO(3), tensor_type)
    assert invariants_of_type(ss.group("SO(3)"), tensor_type) is first
    forget()
    again = invariants_of_type(ss.SO(3), tensor_type)
    assert again is not first
    assert np.allclose(np.abs(again.basis), np.abs(first.basis), atol=1e-12)


def test_the_cross_product():
    epsilon = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        epsilon[i, j, k], epsilon[j, i, k] = 1.0, -1.0
    Q = invariants_of_type(ss.SO(3), ss.rep("T(3)").terms[0][1]).basis
    assert np.isclose(abs(Q[:, 0] @ epsilon.ravel()), np.sqrt(6))


def test_spaces_are_cached_by_value():
    space = ss.equivariant_maps("2V + S", "T(2)", "SO(3)")
    assert ss.equivariant_maps(ss.rep("2V + S"), ss.T(2), ss.SO(3)) is space
    assert ss.equivariant_maps("2V + S", "T(2)", "SO(3)", solver="dense") is not space
    forget()
    assert ss.equivariant_maps("2V + S", "T(2)", "SO(3)") is not space


def test_biases_are_maps_from_a_scalar():
    biases, maps = ss.invariants("T(2) + 2S", "O(2)@z"), ss.equivariant_maps("S", "T(2) + 2S", "O(2)@z")
    assert biases.shape == (11,)
    assert np.allclose(np.abs(biases.basis()), np.abs(maps.basis()))


@each(ONE_PART)
@pytest.mark.parametrize("rotated", [True, False])
def test_dimensions_do_not_depend_on_the_basis(G, rotated):
    M = np.random.default_rng(G.dim).standard_normal((G.dim, G.dim))
    M = np.linalg.qr(M)[0] if rotated else np.eye(G.dim) + 0.2 * M
    conjugated = G.conjugated(M)
    for rep_in, rep_out in (("V", "V"), ("S + V", "T(2)"), ("V", "T(1,1)")):
        original, there = (ss.equivariant_maps(rep_in, rep_out, H) for H in (G, conjugated))
        assert there.dim == original.dim
        if original.dim:
            left, right = (ss.rep(rep).rho(G, M) for rep in (rep_out, rep_in))
            W = original.basis()[:, 0].reshape(original.shape)
            assert there.distance(left @ W @ np.linalg.inv(right)) < 1e-6 * np.linalg.norm(left @ W)


def test_networks_and_penalties_take_any_axis():
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
