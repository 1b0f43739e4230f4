"""Dimensions of equivariant spaces: against another solver's output and against closed forms."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import softsym as ss
from tests.catalogue import REPRESENTATIVES

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "emlp_ranks.json").read_text())


def as_param(entry: dict[str, Any]) -> Any:
    """One entry of the reference; groups that are no representatives are left to nightly runs."""
    maps = entry.get("rep") or f"{entry['in']}->{entry['out']}"
    marks = () if entry["group"] in REPRESENTATIVES else pytest.mark.nightly
    return pytest.param(entry, id=f"{entry['group']}:{maps}", marks=marks)


def dim(rep: str, G: str) -> int:
    return ss.invariants(rep, G).dim


def stirling(n: int, k: int) -> int:
    return int(n == k) if n == 0 or k == 0 else k * stirling(n - 1, k) + stirling(n - 1, k - 1)


def pairings(k: int) -> int:
    return math.prod(range(1, 2 * k, 2))


def catalan(k: int) -> int:
    return math.comb(2 * k, k) // (k + 1)


@pytest.mark.parametrize("entry", [as_param(entry) for entry in REFERENCE])
def test_another_solver_agrees(entry):
    if "rep" in entry:
        space = ss.invariants(entry["rep"], entry["group"])
    else:
        space = ss.equivariant_maps(entry["in"], entry["out"], entry["group"])
    assert (space.size, space.dim) == (entry["size"], entry["rank"])


def test_the_reference_is_whole():
    assert len(REFERENCE) == 255


def test_rotations_of_space_give_riordan_numbers():
    assert [dim(f"T({k})", "SO(3)") for k in range(8)] == [1, 0, 1, 1, 3, 6, 15, 36]


@pytest.mark.parametrize("G", ["SL(2)", "Sp(1)"])
def test_volume_preserving_maps_of_the_plane_give_catalan_numbers(G):
    assert [dim(f"T({k})", G) for k in range(9)] == [1, 0, 1, 0, 2, 0, 5, 0, 14]


def test_special_unitary_maps_of_two_dimensions():
    """The real form of C^2 is two copies of it: 4^k times the Catalan number."""
    assert [dim(f"T({2 * k})", "SU(2)") for k in range(4)] == [4**k * catalan(k) for k in range(4)]


@pytest.mark.parametrize(("n", "top"), [(2, 3), (1, 4)])
def test_unitary_maps(n, top):
    """Pair k of 2k indices with the others: k! ways while n >= k, permutations without long decreasing runs beyond."""
    matchings = {(1, k): 1 for k in range(5)} | {(2, k): catalan(k) for k in range(4)}
    for k in range(top):
        assert dim(f"T({2 * k})", f"U({n})") == math.comb(2 * k, k) * matchings[n, k]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_permutations_give_bell_numbers(n):
    for k in range(6):
        assert dim(f"T({k})", f"S({n})") == sum(stirling(k, j) for j in range(n + 1))


def test_even_permutations_see_no_difference_while_two_points_are_left():
    assert [dim(f"T({k})", "A(5)") for k in range(4)] == [1, 1, 2, 5]
    assert dim("T(4)", "A(5)") == 15 + 1


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_cyclic_permutations(n):
    assert [dim(f"T({k})", f"Z({n})") for k in range(1, 5)] == [n ** (k - 1) for k in range(1, 5)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_polygon_rotations(n):
    """Words of k signs whose sum is a multiple of n."""
    for k in range(6):
        expected = sum(math.comb(k, j) for j in range(k + 1) if (2 * j - k) % n == 0)
        assert dim(f"T({k})", f"C({n})") == expected


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_orthogonal_maps_give_pairings(n):
    for k in range(1, min(n, 3) + 1):
        if n ** (2 * k) <= 5000:
            assert dim(f"T({2 * k})", f"O({n})") == pairings(k)
        assert dim(f"T({2 * k - 1})", f"O({n})") == 0


@pytest.mark.parametrize(
    ("G", "expected"), [("Lorentz()", [1, 0, 1, 0, 3]), ("SO13p()", [1, 0, 1, 0, 4]), ("Sp(2)", [1, 0, 1, 0, 3, 0, 14])]
)
def test_indefinite_and_symplectic_forms(G, expected):
    assert [dim(f"T({k})", G) for k in range(len(expected))] == expected


@pytest.mark.parametrize("n", [1, 2, 3])
def test_linear_maps_give_permutations(n):
    for k in range(1, n + 1):
        assert dim(f"T({k},{k})", f"GL({n})") == math.factorial(k)
        assert dim(f"T({k},{k - 1})", f"GL({n})") == 0
    assert dim("T(2,2)", "GL(1)") == 1


def test_determinants():
    assert [dim(f"T({k})", "SL(3)") for k in range(7)] == [1, 0, 0, 1, 0, 0, 5]


def test_rotations_of_the_plane_give_central_binomials():
    for k in range(1, 6):
        assert dim(f"T({2 * k})", "SO(2)") == math.comb(2 * k, k)
        assert dim(f"T({2 * k})", "O(2)") == math.comb(2 * k, k) // 2
        assert dim(f"T({2 * k - 1})", "SO(2)") == 0


def test_rotations_about_an_axis():
    """Choose the indices that lie in the plane."""
    for k in range(6):
        expected = sum(math.comb(k, 2 * j) * math.comb(2 * j, j) for j in range(k // 2 + 1))
        assert {dim(f"T({k})", f"SO(2)@{axis}") for axis in "xyz"} == {expected}


def test_trivial_and_scaling():
    for p in range(3):
        for q in range(3):
            assert dim(f"T({p},{q})", "Trivial(3)") == 3 ** (p + q)
            assert dim(f"T({p},{q})", "Scaling(3)") == (3 ** (p + q) if p == q else 0)


def test_rubiks_cube():
    """Two orbits of facelets; a pair lies on one piece (3 for corners, 2 for edges) or on two (one each for cc, ee, ce, ec)."""
    assert dim("V", "RubiksCube()") == 2
    assert ss.equivariant_maps("V", "V", "RubiksCube()").dim == 3 + 2 + 4


def test_direct_products_multiply():
    G = "SO(3) * S(4)"
    assert dim("V[0]*V[0]*V[1]*V[1]", G) == 1 * 2
    assert dim("T(2)", G) == 1 * 2
    assert dim("V[0]*V[1]*V[0]*V[1]*V[0]", G) == 1 * 2
    assert dim("V[0]*V[1]", G) == 0


def test_scalars_from_scaled_vectors_are_constant():
    """Every linear map from vectors to scalars that is equivariant to Scaling is zero: only biases remain."""
    assert ss.equivariant_maps("3V", "S", "Scaling(3)").dim == 0
    assert ss.invariants("S", "Scaling(3)").dim == 1


@pytest.mark.parametrize(("G", "expected"), [("O(3)", 10), ("O(2)@z", 30), ("O(2)@x", 30)])
def test_the_inertia_task(G, expected):
    if G == "O(3)":
        expected = 5  # five masses times the identity; no vector gives a matrix under reflections
    assert ss.equivariant_maps("5S + 5V", "T(2)", G).dim == expected


def test_beyond_a_million_coordinates():
    space = ss.invariants("T(8)", "S(6)")
    assert space.size == 6**8
    assert space.dim == sum(stirling(8, j) for j in range(7)) == 4111
