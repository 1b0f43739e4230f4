"""Testing the testers: each accepts what is right and rejects what is wrong."""

import dataclasses

import numpy as np
import pytest
import torch

import softsym as ss
from softsym import metrics, testing
from softsym.errors import InputError
from softsym.spaces import EquivariantSpace
from softsym.testing import assert_equivariant, assert_not_equivariant, assert_projector
from tests.catalogue import GROUPS, each


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def bent(x):
    return x * [1.0, 1.0, 1.001]


def broken_at_one_element(x):
    return np.where(x[:, :1] < -1, np.nan, x)


def test_the_error_is_the_measure():
    assert testing.equivariance_error is metrics.equivariance_error


def test_equivariant_accepts():
    assert_equivariant(unit, "V", "V", "O(3)")
    assert_equivariant(bent, "V", "V", "O(2)@z")
    assert_equivariant(unit, "V", "V", "O(3)", x=np.ones((2, 3)))
    assert_equivariant(torch.nn.Identity(), "V", "V", "O(3)")
    assert_equivariant(ss.nn.EMLP("S + V", "V", "O(3)", width=16, layers=3), "S + V", "V", "O(3)")
    assert_equivariant(ss.nn.EMLP("S + V", "V", "O(3)", width=16, layers=3).double(), "S + V", "V", "O(3)", tol=1e-12)


def test_equivariant_rejects():
    with pytest.raises(
        AssertionError, match=r"not equivariant to O\(3\): error .* > tol 1e-05, worst at transform \d of 8 \(mean"
    ):
        assert_equivariant(bent, "V", "V", "O(3)")
    with pytest.raises(AssertionError, match=r"error nan"), np.errstate(invalid="ignore"):
        assert_equivariant(broken_at_one_element, "V", "V", "O(3)")
    with pytest.raises(AssertionError, match=r"not equivariant to Scaling\(3\)"):
        assert_equivariant(unit, "V", "V", "Scaling(3)")
    with pytest.raises(AssertionError, match="not equivariant"):
        assert_equivariant(ss.nn.MLP("S + V", "V", "O(3)", width=16), "S + V", "V", "O(3)")
    assert_equivariant(bent, "V", "V", "O(3)", tol=0.01)


def test_equivariant_names_the_worst_transform():
    errors = metrics.equivariance_errors(
        bent, np.random.default_rng(3).standard_normal((16, 3)), "V", "V", "O(3)", 8, seed=3
    )
    with pytest.raises(AssertionError, match=f"transform {errors.mean(1).argmax()} of 8"):
        assert_equivariant(bent, "V", "V", "O(3)", seed=3)


def test_not_equivariant_accepts_and_rejects():
    assert_not_equivariant(np.abs, "V", "V", "O(3)")
    assert_not_equivariant(ss.nn.MLP("S + V", "V", "O(3)", width=16), "S + V", "V", "O(3)")
    with pytest.raises(AssertionError, match=r"^equivariant to O\(3\): error .* <= tol 0.001, largest at transform"):
        assert_not_equivariant(unit, "V", "V", "O(3)")
    with pytest.raises(AssertionError, match="equivariant"):
        assert_not_equivariant(bent, "V", "V", "O(3)")
    assert_not_equivariant(bent, "V", "V", "O(3)", tol=1e-5)


def test_a_wrong_shape_is_no_failed_assertion():
    with pytest.raises(InputError, match="`rep_in` has size 3"):
        assert_equivariant(unit, "V", "V", "O(3)", x=np.ones((2, 4)))


@each(GROUPS)
def test_projector_accepts_every_group(G):
    assert_projector(ss.equivariant_maps("S + V", "V", G))
    assert_projector(ss.invariants("V + T(1,1)" if G.dim < 10 else "V", G))


@dataclasses.dataclass(frozen=True, eq=False)
class Bad(EquivariantSpace):
    """A space with a projector that breaks one law."""

    law: str = ""

    def project(self, W):
        P = super().project(W)
        if self.law == "P P = P":
            return P * 0.5
        if self.law == "P = P^T":
            return P + (W - P).sum(axis=(-2, -1), keepdims=True) * np.eye(3)  # oblique
        if self.law == "equivariant":
            return W
        return P * 0.0


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ("P P = P", "P P = P fails by"),
        ("P = P^T", r"P = P\^T fails by"),
        ("equivariant", r"P W is equivariant \(Lie generator 0\) fails by"),
        ("complete", "projects onto 0 dimensions, 1 are equivariant"),
    ],
)
def test_projector_rejects(law, message):
    good = ss.equivariant_maps("V", "V", "O(3)")
    bad = Bad(**{field.name: getattr(good, field.name) for field in dataclasses.fields(good)}, law=law)
    with pytest.raises(AssertionError, match=message):
        assert_projector(bad)


def test_projector_rejects_another_groups_space():
    space = ss.equivariant_maps("V", "V", "O(2)@z")
    with pytest.raises(AssertionError, match="P W is equivariant"):
        assert_projector(dataclasses.replace(space, group=ss.O(3)))
    with pytest.raises(AssertionError, match=r"discrete generator 0"):
        assert_projector(dataclasses.replace(ss.equivariant_maps("V", "V", "Trivial(3)"), group=ss.S(3)))
