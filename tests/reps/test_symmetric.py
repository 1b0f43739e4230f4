"""Properties of pseudo-quantities, tensors with symmetries, irreps and cosets; numbers of equivariant maps from characters."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.reps import irreps_text, spherical_harmonics, tensor_basis
from tests.catalogue import SMALL, each, elements
from tests.twin import exponential, generator_parts

EVERY = ["pS", "pV", "pV'", "pT(2)", "pT(1,1)", "Sym(2)", "Sym(3,V')", "pSym(2)", "V*pV", "Sym(2,Sym(2))"]
ORTHOGONAL = ["Sym0(2)", "Sym0(3)", "pSym0(2)", "2x1e + 0o", "Sym0(2)*pV"]
E3NN = json.loads((Path(__file__).parent.parent / "reference" / "e3nn.json").read_text())


def reps_of(G: ss.Group, limit: int = 60) -> list[ss.Rep]:
    texts = EVERY + (["Alt(2)", "pAlt(2)", "Sym(2,pV)"] if G.dim > 1 else [])
    texts += ORTHOGONAL if G.is_orthogonal and G.dim > 1 else []
    texts += ["pS[1]", "pV[0]*V[1]", "pS[0]*pS[1]*V[1]'"] if len(G.part_dims) > 1 else []
    return [rep for rep in map(ss.rep, texts) if rep.size(G) <= limit]


@each(SMALL)
def test_homomorphism_dual_and_text(G):
    g, h = elements(G, 2, seed=1), elements(G, 2, seed=2)
    gh = tuple(a @ b for a, b in zip(g, h, strict=True))
    for rep in reps_of(G):
        rho = rep.rho(G, g)
        size = 1.0 + np.abs(rho).max() * np.abs(rep.rho(G, h)).max()
        np.testing.assert_allclose(rep.rho(G, gh), rho @ rep.rho(G, h), atol=1e-9 * size, rtol=1e-8, err_msg=str(rep))
        np.testing.assert_allclose(
            rep.dual.rho(G, g).swapaxes(1, 2) @ rho, np.broadcast_to(np.eye(rep.size(G)), rho.shape), atol=1e-7
        )
        assert ss.rep(str(rep)) == rep
        assert rep.dual.dual == rep


@each(SMALL)
def test_drho_is_the_derivative_of_rho(G):
    t = 1e-5
    for A, rep in itertools.product(generator_parts(G, discrete=False), reps_of(G, limit=21)):
        slope = (rep.rho(G, exponential(A, t)) - rep.rho(G, exponential(A, -t))) / (2 * t)
        np.testing.assert_allclose(rep.drho(G, A), slope, atol=1e-6, err_msg=str(rep))


def characters(rep: ss.Rep, G: ss.Group, angles: np.ndarray) -> np.ndarray:
    """Traces at rotations by angles about z, and at the same times minus one for O(3): (angles,) each."""
    c, s = np.cos(angles), np.sin(angles)
    rotations = np.zeros((len(angles), 3, 3))
    rotations[:, 0, 0] = rotations[:, 1, 1] = c
    rotations[:, 1, 0], rotations[:, 0, 1], rotations[:, 2, 2] = s, -s, 1.0
    parts = [rotations, -rotations] if ss.O(3) == G else [rotations]
    return np.stack([np.trace(rep.rho(G, part), axis1=1, axis2=2) for part in parts])


def count_maps(a: ss.Rep, b: ss.Rep, G: ss.Group) -> float:
    """Dimension of the equivariant maps by Weyl's integral over rotation angles, exact for trigonometric polynomials."""
    angles = 2 * np.pi * np.arange(48) / 48
    product = characters(a, G, angles) * characters(b, G, angles)
    return float((product * (1 - np.cos(angles))).mean())


SPACE = ["S", "V", "T(2)", "pS", "pV", "pT(2)", "Sym(2)", "Alt(2)", "Sym0(2)", "pSym0(2)", "Sym(3)", "Sym0(3)"]


@pytest.mark.parametrize("G", ["O(3)", "SO(3)"])
def test_numbers_of_equivariant_maps_are_weyl_integrals(G):
    group = ss.group(G)
    for a, b in itertools.combinations_with_replacement(map(ss.rep, SPACE), 2):
        assert ss.equivariant_maps(a, b, group).dim == pytest.approx(count_maps(a, b, group), abs=1e-9), (a, b)


@pytest.mark.parametrize("G", ["S(3)", "D(4)", "Octahedral()", "Cube()", "D(3)@z", "C(4) * Z(3)", "S(4)"])
def test_numbers_of_invariants_are_mean_characters(G):
    group = ss.group(G)
    parts = [ss.group(text) for text in G.split(" * ")]
    listed = [tuple(each) for each in itertools.product(*(part.elements for part in parts))]
    for rep in reps_of(group, 30):
        mean = np.mean([np.trace(rep.rho(group, g if len(parts) > 1 else g[0])) for g in listed])
        assert ss.invariants(rep, group).dim == pytest.approx(mean, abs=1e-8), rep


def test_random_sums_have_the_invariants_of_haar_averages():
    """Projections of random vectors agree with averages over elements that integrate these polynomials exactly."""
    rng = np.random.default_rng(0)
    groups = [ss.group(text) for text in ("O(2)", "SO(2)", "D(4)", "S(3)", "O(2)@z")]
    for _ in range(500):
        G = groups[rng.integers(len(groups))]
        chosen = rng.choice(["S", "pS", "V", "pV", "Sym(2)", "Sym0(2)", "Alt(2)", "pT(2)", "Sym0(3)"], 3)
        rep = ss.rep(" + ".join(f"{rng.integers(1, 3)}{text}" for text in chosen))
        if G.is_finite:
            elements = G.elements
        else:  # a polygon of more corners than the degree
            angles = 2 * np.pi * np.arange(8) / 8
            embed = np.broadcast_to(np.eye(G.dim), (8, G.dim, G.dim)).copy()
            embed[:, :2, :2] = np.moveaxis(
                np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]]), 2, 0
            )
            elements = np.concatenate([embed, *(embed @ h for h in G.discrete_generators)])
        x = rng.standard_normal(rep.size(G))
        expected = rep.rho(G, elements).mean(axis=0) @ x
        np.testing.assert_allclose(ss.invariants(rep, G).project(x), expected, atol=1e-10, err_msg=f"{rep} {G}")


@pytest.mark.parametrize("solver", ["orbits", "reynolds", "signs", "weights", "dense", "iterative"])
def test_every_solver_finds_the_same_maps(solver):
    G = {"orbits": "S(3)", "reynolds": "D(4)"}.get(solver, "O(3)")
    pairs = [("Sym(2)", "V")] if solver == "orbits" else [("T(2)", "pV"), ("pV", "pV"), ("Sym(2)", "Sym(2)")]
    for a, b in pairs:
        if G == "D(4)" and b == "pV":
            b = "pS"
        space = ss.equivariant_maps(a, b, G, solver=solver)
        reference = ss.equivariant_maps(a, b, G).basis()
        np.testing.assert_allclose(space.basis() @ space.basis().T, reference @ reference.T, atol=1e-9)


def test_parity():
    g = ss.O(3).sample(8, seed=0)
    det = np.linalg.det(g)[:, None, None]
    np.testing.assert_allclose(ss.rep("pV").rho("O(3)", g), det * g, atol=1e-12)
    np.testing.assert_allclose(ss.rep("pS").rho("S(4)", ss.S(4).elements)[:, 0, 0], np.linalg.det(ss.S(4).elements))
    assert ss.rep("pV*pV") == ss.T(2)
    assert ss.rep("pS*pS") == ss.Scalar
    assert ss.rep("V*pS") == ss.rep("pV") == ss.reps.pseudo(ss.Vector)
    assert [ss.equivariant_maps("pV", "V", G).dim for G in ("O(3)", "SO(3)", "O(2)@z")] == [0, 1, 1]


def test_cross_products_are_pseudovectors():
    cross = ss.equivariant_maps("T(2)", "pV", "O(3)").basis().reshape(3, 3, 3)
    a, b = np.random.default_rng(0).standard_normal((2, 3))
    value = np.einsum("ijk,j,k->i", cross, a, b)
    np.testing.assert_allclose(np.abs(value), np.abs(np.cross(a, b)) / np.sqrt(6), atol=1e-12)
    np.testing.assert_allclose(
        tensor_basis(ss.rep("Alt(2)"), "O(3)")[1].T @ np.outer(a, b).ravel(), np.cross(a, b) / np.sqrt(2), atol=1e-12
    )
    g = ss.O(3).sample(5, seed=1)
    np.testing.assert_allclose(ss.rep("Alt(2)").rho("O(3)", g), ss.rep("pV").rho("O(3)", g), atol=1e-12)


@pytest.mark.parametrize(
    "text", ["Sym(2)", "Sym(3)", "Alt(2)", "Sym0(2)", "Sym0(4)", "Sym(2,Sym(2))", "2S + Sym(2)*pV"]
)
@pytest.mark.parametrize("G", ["O(2)", "O(3)", "O(4)"])
def test_bases_of_tensors(text, G):
    rep, g = ss.rep(text), ss.group(G).sample(1, seed=3)[0]
    tensors, B = tensor_basis(rep, G)
    np.testing.assert_allclose(B.T @ B, np.eye(rep.size(G)), atol=1e-12)
    np.testing.assert_allclose(tensors.rho(G, g) @ B, B @ rep.rho(G, g), atol=1e-12)


def test_mandel_notation():
    matrix = np.array([[1.0, 6, 5], [6, 2, 4], [5, 4, 3]])
    coordinates = tensor_basis(ss.rep("Sym(2)"), "O(3)")[1].T @ matrix.ravel()
    np.testing.assert_allclose(coordinates, [1, 2, 3, *(np.sqrt(2) * np.array([4, 5, 6]))], atol=1e-12)
    assert [ss.invariants("Sym(2,Sym(2))", G).dim for G in ("O(3)", "Octahedral()", "Trivial(3)")] == [2, 3, 21]


@pytest.mark.parametrize("entry", E3NN["irreps"], ids=lambda entry: entry["text"])
def test_irreps_are_those_of_e3nn(entry):
    """Recorded from e3nn 0.6.0."""
    rho = ss.rep(entry["text"]).rho("O(3)", np.array(E3NN["elements"]))
    np.testing.assert_allclose(rho, entry["matrices"], atol=1e-10)


@pytest.mark.parametrize("entry", E3NN["harmonics"], ids=lambda entry: f"{entry['degree']}{entry['normalization']}")
def test_spherical_harmonics_are_those_of_e3nn(entry):
    values = spherical_harmonics(entry["degree"], E3NN["vectors"], entry["normalization"])
    np.testing.assert_allclose(values, entry["values"], atol=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_e3nn_agrees():
    o3 = pytest.importorskip("e3nn.o3", exc_type=ImportError)
    torch = pytest.importorskip("torch")
    g, before = ss.O(3).sample(4, seed=5), torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    for degree, parity in itertools.product(range(7), "eo"):
        matrices = o3.Irrep(f"{degree}{parity}").D_from_matrix(torch.tensor(g)).numpy()
        np.testing.assert_allclose(ss.rep(f"{degree}{parity}").rho("O(3)", g), matrices, atol=1e-10)
    torch.set_default_dtype(before)
    assert str(o3.Irreps(irreps_text(ss.rep("4x0e + 2x1o + 1x2e")))) == "4x0e+2x1o+1x2e"


def test_texts_of_e3nn():
    assert ss.rep("4x0e + 2x1o + 1x2e + 1e + 0o") == ss.rep("4S + 2V + Sym0(2) + pV + pS")
    assert irreps_text(ss.rep("4S + 2V + Sym0(2) + pV + pSym0(3)")) == "4x0e+2x1o+1x2e+1x1e+1x3e"
    with pytest.raises(InputError, match=r"T\(2\) is no irreducible representation of O\(3\)"):
        irreps_text(ss.rep("T(2)"))


def test_harmonics_of_the_plane():
    angle = np.linspace(0, 3, 5)
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    for k in range(1, 6):
        np.testing.assert_allclose(
            spherical_harmonics(k, x, "norm"), np.stack([np.cos(k * angle), np.sin(k * angle)], axis=1), atol=1e-12
        )
        assert ss.equivariant_maps(f"Sym0({k})", f"Sym0({k})", "SO(2)").dim == 2
        assert ss.equivariant_maps(f"Sym0({k})", f"Sym0({k})", "O(2)").dim == 1


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_spherical_harmonics_are_equivariant_and_of_their_length(n, degree):
    G, x = ss.O(n), np.random.default_rng(0).standard_normal((4, n))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    g = G.sample(1, seed=2)[0]
    Y = spherical_harmonics(degree, x, "norm")
    rho = ss.rep(f"Sym0({degree})").rho(G, g)
    np.testing.assert_allclose(spherical_harmonics(degree, x @ g.T, "norm"), Y @ rho.T, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(Y, axis=1), 1.0, atol=1e-12)


def test_cosets():
    for G, H in (("D(4)", "C(4)"), ("D(4)", "D(1)"), ("Octahedral()", "C(4)@z"), ("S(4)", "A(4)")):
        group, subgroup = ss.group(G), ss.group(H)
        rep = ss.rep(f"Quotient({G} / {H})")
        assert rep == ss.rep(str(rep))
        assert rep.size(G) == group.order // subgroup.order
        g, h = group.sample(2, seed=0)
        np.testing.assert_array_equal(rep.rho(G, g) @ rep.rho(G, h), rep.rho(G, g @ h))
        count = np.mean([np.trace(rep.rho(G, g)) ** 2 for g in group.elements])
        assert ss.equivariant_maps(rep, rep, G).dim == round(count)


@pytest.mark.parametrize(
    ("text", "group", "message"),
    [
        ("Sym0(2)", "SL(2)", r"Sym0\(2,V'\) is for rotations and reflections, which keep traces; SL\(2\) has other"),
        ("Alt(4)", "O(3)", r"Alt\(4\) has no components under O\(3\)"),
        ("Sym(9)", "O(20)", r"Sym\(9\) has \d+ components under O\(20\); at most 5,000"),
        ("pS[2]", "SO(2) * S(3)", "needs a direct product of at least 3 groups"),
    ],
)
def test_refusals(text, group, message):
    with pytest.raises(InputError, match=message):
        ss.equivariant_maps(text, "S", group)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Sym(2,S + V)", r"Sym needs a single type, such as V or Sym\(2\), got S \+ V"),
        ("Sym(2", r"expected '\)' at the end"),
        ("pP", "expected a representation"),
        ("Quotient(D(4))", r"expected Quotient\(group / subgroup\)"),
        ("Quotient(D(4) / C(3))", r"C\(3\) has elements that are none of D\(4\)"),
        ("Quotient(O(2) / C(3))", r"Quotient needs finite groups on the same space"),
        ("Sym(70)", "a tensor of 70 indices has too many"),
    ],
)
def test_bad_texts(text, message):
    with pytest.raises(InputError, match=message):
        ss.rep(text)


def test_bad_harmonics():
    with pytest.raises(InputError, match="`normalization` must be one of norm, component, integral, got 'x'"):
        spherical_harmonics(2, [[1.0, 0, 0]], "x")
    with pytest.raises(InputError, match="with d of at least 2"):
        spherical_harmonics(2, [[1.0]])
