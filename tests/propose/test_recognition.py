"""Names, in any basis, and no wrong ones; words for generators."""

import numpy as np
import pytest

import softsym as ss
from softsym.propose.algebra import angle, axis_words, count_translations, generator_words, recognise

NAMES = {
    "SO(2)": "so(2)",
    "SO(3)": "so(3)",
    "SO(4)": "so(4)",
    "SO13p()": "so(1,3)",
    "SO11p()": "so(1,1)",
    "SL(2)": "sl(2)",
    "SL(3)": "sl(3)",
    "Sp(2)": "sp(4,R)",
    "SU(2)": "su(2)",
    "U(2)": "u(2)",
    "Scaling(3)": "scaling",
    "SO(2)@z": "so(2)",
    "SO(3)@4[1,2,3]": "so(3)",
    "SO(3) | Scaling(3)": "so(3) + scaling",
    "GL(2)": "gl(2)",
}
COMPACT = {"SO(2)", "SO(3)", "SO(4)", "SU(2)", "U(2)", "SO(2)@z", "SO(3)@4[1,2,3]"}


@pytest.mark.parametrize("text", NAMES)
@pytest.mark.parametrize("frame", ["own", "rotated", "skewed"])
def test_names_in_any_basis(text, frame):
    G = ss.group(text)
    M = np.random.default_rng(1).standard_normal((G.dim, G.dim))
    M = {"own": np.eye(G.dim), "rotated": np.linalg.qr(M)[0], "skewed": np.eye(G.dim) + 0.2 * M}[frame]
    algebra = G.conjugated(M).lie_algebra
    recognised = recognise(algebra)
    assert recognised.name == NAMES[text]
    assert recognised.is_compact == (text in COMPACT)
    assert angle(recognised.group.lie_algebra, algebra) < 0.02
    assert ss.group(str(recognised.group)) == recognised.group
    if text in COMPACT and frame != "skewed":
        assert recognised.group.is_orthogonal


def test_indefinite_forms():
    lie = np.diag([1.0, 1.0, -1.0]) @ ss.SO(3).lie_algebra
    assert recognise(lie).name == "so(2,1)"
    assert recognise(np.diag([1.0, 1.0, -1.0, -1.0]) @ ss.SO(4).lie_algebra).name == "so(2,2)"


@pytest.mark.parametrize(
    "algebra",
    [
        [np.diag([1.0, 2.0, 5.0])],
        [[[0, 1, 0], [0, 0, 1], [0, 0, 0]]],
        [np.kron(np.diag([1.0, 2.0]), [[0, -1], [1, 0]])],
        [np.diag([1.0, 0, 0]), np.diag([0, 1.0, 0])],
    ],
)
def test_what_is_not_in_the_catalogue_has_no_name(algebra):
    recognised = recognise(np.array(algebra))
    assert recognised.name == f"unnamed, dimension {len(algebra)}"
    assert angle(recognised.group.lie_algebra, np.array(algebra)) < 1e-6


def test_affine_algebras():
    assert recognise(ss.SE(3).lie_algebra, affine=True).group == ss.SE(3)
    assert recognise(ss.Translation(2).lie_algebra, affine=True).name == "translations of R^2"
    assert recognise(ss.group("SO(3)@4[0,1,2]").lie_algebra, affine=True).name == "so(3)"
    assert recognise(ss.Translation(3).lie_algebra[:2], affine=True).name == "translations along 2 directions"


@pytest.mark.parametrize(
    ("A", "words"),
    [
        (ss.SO(2).about("y").lie_algebra[0], "rotation about y"),
        (ss.SO(2).about((1, 2, 0)).lie_algebra[0], "rotation about (0.4472,0.8944,0), 26.6 degrees from y"),
        (np.array([[0.0, -1.0], [1.0, 0.0]]), "rotation"),
        (2 * np.eye(3), "scaling"),
        (np.diag([2.0, 1.0]), "stretch"),
        (np.array([[0.0, 1.0], [0.0, 0.0]]), "shear or rotation that keeps volume"),
    ],
)
def test_linear(A, words):
    assert generator_words(A) == words


def test_affine():
    assert generator_words(ss.Translation(3).lie_algebra[2], affine=True) == "translation along z"
    assert generator_words(ss.SE(3).lie_algebra[0], affine=True) == "rotation about z"
    assert generator_words(ss.Translation(2).lie_algebra[0], affine=True) == "translation"


def test_signs_of_axes_do_not_matter():
    assert axis_words(np.array([0, 0, -1.0])) == axis_words(np.array([0, 0, 2.0])) == "z"


def test_translations_are_counted():
    groups = ss.SE(3), ss.Translation(2), ss.group("SO(3)@4[0,1,2]")
    assert [count_translations(group) for group in groups] == [3, 2, 0]
