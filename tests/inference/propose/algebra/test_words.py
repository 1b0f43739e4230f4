"""Words for generators."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.algebra.words import axis_words, generator_words


@pytest.mark.parametrize(("A", "words"), [
    (ss.SO(2).about("y").lie_algebra[0], "rotation about y"),
    (ss.SO(2).about((1, 2, 0)).lie_algebra[0], "rotation about (0.4472,0.8944,0), 26.6 degrees from y"),
    (np.array([[0.0, -1.0], [1.0, 0.0]]), "rotation"),
    (2 * np.eye(3), "scaling"),
    (np.diag([2.0, 1.0]), "stretch"),
    (np.array([[0.0, 1.0], [0.0, 0.0]]), "shear or rotation that keeps volume"),
])  # fmt: skip
def test_linear(A, words):
    assert generator_words(A) == words


def test_affine():
    assert generator_words(ss.Translation(3).lie_algebra[2], affine=True) == "translation along z"
    assert generator_words(ss.SE(3).lie_algebra[0], affine=True) == "rotation about z"
    assert generator_words(ss.Translation(2).lie_algebra[0], affine=True) == "translation"


def test_signs_of_axes_do_not_matter():
    assert axis_words(np.array([0, 0, -1.0])) == axis_words(np.array([0, 0, 2.0])) == "z"
