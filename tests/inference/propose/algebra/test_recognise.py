"""Names, in any basis, and no wrong ones."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.algebra.closure import angle, orthonormal
from softsym.inference.propose.algebra.recognise import killing_form, recognise

NAMES = {
    "SO(2)": "so(2)", "SO(3)": "so(3)", "SO(4)": "so(4)", "SO13p()": "so(1,3)", "SO11p()": "so(1,1)", "SL(2)": "sl(2)", "SL(3)": "sl(3)",
    "Sp(2)": "sp(4,R)", "SU(2)": "su(2)", "U(2)": "u(2)", "Scaling(3)": "scaling", "SO(2)@z": "so(2)", "SO(3)@4[1,2,3]": "so(3)",
    "SO(3) | Scaling(3)": "so(3) + scaling", "GL(2)": "gl(2)",
}  # fmt: skip
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


@pytest.mark.parametrize("algebra", [
    [np.diag([1.0, 2.0, 5.0])], [[[0, 1, 0], [0, 0, 1], [0, 0, 0]]],
    [np.kron(np.diag([1.0, 2.0]), [[0, -1], [1, 0]])], [np.diag([1.0, 0, 0]), np.diag([0, 1.0, 0])],
])  # fmt: skip
def test_what_is_not_in_the_catalogue_has_no_name(algebra):
    recognised = recognise(np.array(algebra))
    assert recognised.name == f"unnamed, dimension {len(algebra)}"
    assert not recognised.is_named
    assert angle(recognised.group.lie_algebra, np.array(algebra)) < 1e-6


def test_affine_algebras():
    assert recognise(ss.SE(3).lie_algebra, affine=True).group == ss.SE(3)
    assert recognise(ss.Translation(2).lie_algebra, affine=True).name == "translations of R^2"
    assert recognise(ss.group("SO(3)@4[0,1,2]").lie_algebra, affine=True).name == "so(3)"
    assert recognise(ss.Translation(3).lie_algebra[:2], affine=True).name == "translations along 2 directions"


def test_killing_form_tells_compact_from_not():
    assert np.linalg.eigvalsh(killing_form(orthonormal(ss.SO(3).lie_algebra))).max() < 0
    assert np.linalg.eigvalsh(killing_form(orthonormal(ss.SL(2).lie_algebra))).max() > 0
