"""Orientations, angles and Voigt's notation as columns that transform."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import softsym as ss
from softsym.data import (
    angle_to_vector,
    body_to_space,
    euler_to_vectors,
    mandel_to_voigt,
    matrix_to_vectors,
    quaternion_to_vectors,
    voigt_to_mandel,
)
from softsym.errors import InputError
from softsym.reps import tensor_basis

R, G = ss.SO(3).sample(6, seed=0), ss.SO(3).sample(1, seed=1)[0]


def test_orientations_are_three_vectors():
    rho = ss.rep("3V").rho("SO(3)", G)
    np.testing.assert_allclose(matrix_to_vectors(G @ R), matrix_to_vectors(R) @ rho.T, atol=1e-12)
    np.testing.assert_array_equal(matrix_to_vectors(R), matrix_to_vectors(R.reshape(-1, 9)))


def test_quaternions_and_euler_angles_agree():
    a = np.array([[0.3], [1.1]])
    zero = np.zeros_like(a)
    expected = euler_to_vectors(np.hstack([a, zero, zero]))
    q = np.hstack([np.cos(a / 2), np.sin(a / 2), zero, zero])
    for quaternion in (q, -q, 3 * q):
        np.testing.assert_allclose(quaternion_to_vectors(quaternion), expected, atol=1e-12)
    np.testing.assert_allclose(quaternion_to_vectors(np.roll(q, -1, axis=1), "xyzw"), expected, atol=1e-12)
    np.testing.assert_allclose(
        euler_to_vectors(np.degrees(np.hstack([a, a, a])), degrees=True), euler_to_vectors(np.hstack([a, a, a]))
    )


def test_angles_rotate():
    angle = np.linspace(0, 6, 5)[:, None]
    turn = np.array([[np.cos(0.4), -np.sin(0.4)], [np.sin(0.4), np.cos(0.4)]])
    np.testing.assert_allclose(angle_to_vector(angle + 0.4), angle_to_vector(angle) @ turn.T, atol=1e-12)
    assert angle_to_vector(np.zeros((3, 2))).shape == (3, 4)


def test_voigt_notation():
    """Stresses are stiffness times strains, in either notation, and Mandel columns rotate as matrices."""
    rng = np.random.default_rng(0)
    C = rng.standard_normal((6, 6))
    C, strain = C + C.T, rng.standard_normal((1, 6))
    stress = strain @ C
    basis = tensor_basis(ss.rep("Sym(2)"), "O(6)")[1]
    mandel = (voigt_to_mandel(C.reshape(1, 36), "stiffness") @ basis.T).reshape(6, 6)
    np.testing.assert_allclose(voigt_to_mandel(strain, "strain") @ mandel, voigt_to_mandel(stress), atol=1e-12)
    upper = C[np.triu_indices(6)][None]
    np.testing.assert_allclose(voigt_to_mandel(upper, "stiffness"), voigt_to_mandel(C.reshape(1, 36), "stiffness"))
    np.testing.assert_allclose(mandel_to_voigt(voigt_to_mandel(upper, "stiffness"), "stiffness"), C.reshape(1, 36))
    xx, yy, zz, yz, xz, xy = stress[0]
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    np.testing.assert_allclose(tensor_basis(ss.rep("Sym(2)"), "O(3)")[1] @ voigt_to_mandel(stress)[0], matrix.ravel())
    np.testing.assert_allclose(mandel_to_voigt(voigt_to_mandel(strain, "strain"), "strain"), strain)


def test_quaternions_given_as_vectors_get_a_hint():
    q = np.random.default_rng(0).standard_normal((60, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    X, hint = (np.hstack([np.arange(60.0)[:, None], q]), "columns 2 to 5 have length one.*quaternion_to_vectors")
    with pytest.raises(InputError, match=hint):
        ss.evidence(X, X[:, :1], "S + V", "S", ["SO(3)"])
    with pytest.raises(InputError, match=hint):
        ss.SoftEquivariantRegressor(rep_in="S + V", rep_out="S", groups=["SO(3)"]).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: matrix_to_vectors(np.zeros((2, 4))), r"shape \(n, 3, 3\) or \(n, 9\), got \(2, 4\)"),
        (lambda: quaternion_to_vectors(np.zeros((2, 4))), "none of them zero"),
        (lambda: quaternion_to_vectors(np.ones((2, 4)), "ijkw"), "`order` must be 'wxyz' or 'xyzw', got 'ijkw'"),
        (lambda: euler_to_vectors(np.zeros((2, 2))), r"`angles` must have shape \(n, 3\)"),
        (lambda: euler_to_vectors(np.zeros((2, 3)), "abc"), "three letters such as 'xyz' or 'ZYX', got 'abc'"),
        (lambda: voigt_to_mandel(np.zeros((2, 5))), r"got 'stress' and \(2, 5\)"),
        (lambda: mandel_to_voigt(np.zeros((2, 6)), "stiffness"), r"got 'stiffness' and \(2, 6\)"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_vectors_of_a_body_are_vectors_of_space():
    """Coordinates along the axes of a body do not change when body and vector are rotated together."""
    rng = np.random.default_rng(0)
    vectors, q = rng.standard_normal((20, 6)), rng.standard_normal((20, 4))
    R = Rotation.from_quat(np.roll(q, -1, axis=1)).as_matrix()
    expected = np.einsum("nij,nkj->nki", R, vectors.reshape(20, 2, 3)).reshape(20, 6)
    np.testing.assert_allclose(body_to_space(vectors, quaternion_to_vectors(q)), expected, atol=1e-12)
    with pytest.raises(InputError, match=r"pass `vectors` \(n, 3 k\) and `axes` \(n, 9\), got \(20, 6\) and \(20, 4\)"):
        body_to_space(vectors, q)
