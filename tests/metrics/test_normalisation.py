import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.metrics.normalisation import NORMALISATIONS, Normalisation, applicable, fit_normalisation, measure_break

AXES = [ss.group(f"O(2)@{axis}") for axis in "xyz"]


def data(n=300, p=18, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(rng.normal(0, 1, p), rng.uniform(0.5, 2, p), size=(n, p))


def by_stds(stds):
    return Normalisation("mine", np.diag(1 / np.array(stds)), np.zeros(len(stds)))


def test_per_axis_deviations_by_hand():
    # D = diag(1/1.23, 1/1.34, 1/0.05); what commutes with O(2)@z is diag(a, a, c), so only the first two differ from it.
    a, b, c = 1 / 1.23, 1 / 1.34, 1 / 0.05
    X = np.random.default_rng(0).standard_normal((500, 3)) * [1.23, 1.34, 0.05]
    found = measure_break(by_stds([1.23, 1.34, 0.05]), X, ss.rep("V"), ss.group("O(2)@z"))
    expected = np.hypot((a - b) / 2, (a - b) / 2) / np.sqrt(a**2 + b**2 + c**2)
    assert found.map == pytest.approx(expected, rel=1e-9)
    assert found.shift == 0.0
    assert 0.005 < found.error < 0.05
    assert not found.is_kept
    across = measure_break(by_stds([1.23, 1.34, 0.05]), X, ss.rep("V"), ss.group("O(2)@x"))
    assert across.map > 0.5
    assert across.error > 0.5


def test_shift_by_hand():
    X = np.random.default_rng(0).standard_normal((500, 3))
    shifted = Normalisation("mine", np.eye(3), np.array([0.3, 0.0, 4.0]))
    size = np.sqrt(((X + shifted.shift) ** 2).sum(1).mean())
    found = measure_break(shifted, X, ss.rep("V"), ss.group("O(2)@z"))
    assert found.map == pytest.approx(0.0, abs=1e-12)
    assert found.shift == pytest.approx(0.3 / size, rel=1e-9)
    along = Normalisation("mine", np.eye(3), np.array([0.0, 0.0, 4.0]))
    assert measure_break(along, X, ss.rep("V"), ss.group("O(2)@z")).is_kept
    assert not measure_break(along, X, ss.rep("V"), ss.group("O(2)@x")).is_kept


@pytest.mark.parametrize("name", ["none", "common-scale"])
@pytest.mark.parametrize("groups", [["O(3)"], ["O(2)@x", "O(2)@z"], ["SO(3)", "Scaling(3)"], ["SL(3)"]])
def test_what_keeps_every_group(name, groups):
    rep, candidates = ss.rep("3S + 2V + T(2)"), [ss.group(text) for text in groups]
    X = data(p=18)
    fitted = fit_normalisation(name, X, rep, candidates)
    for G in candidates:
        found = measure_break(fitted, X, rep, G)
        assert found.is_kept
        assert found.error < 1e-10


def test_what_each_of_the_three_for_trajectories_keeps():
    X = data(p=18)
    X[:, 2::3] *= 0.05  # vertical motion is small
    rep = ss.rep("6V")
    kept = {
        name: [measure_break(fit_normalisation(name, X, rep, AXES), X, rep, G).is_kept for G in AXES]
        for name in applicable(rep, ss.O(3))
    }
    assert kept == {
        "none": [True, True, True],
        "per-axis": [False, False, False],
        "common-scale": [True, True, True],
        "scale-aware": [False, False, False],
        "symmetry-aware": [True, True, True],  # centring leaves no mean to subtract
        "symmetry-scale-aware": [False, False, True],
    }


def test_scalars_beside_trajectories_are_standardised():
    X = data(p=8)
    Z = fit_normalisation("symmetry-aware", X, ss.rep("S + 2V + S"), [ss.O(3)]).apply(X)
    np.testing.assert_allclose(Z[:, [0, 7]].mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(Z[:, [0, 7]].std(0), 1, rtol=1e-12)


def test_evenness():
    X = data(p=3) * [1.0, 1.0, 0.0]
    assert fit_normalisation("per-axis", X, ss.rep("V"), [ss.O(3)]).evenness(X) == pytest.approx(1.0)
    X = np.random.default_rng(0).standard_normal((1000, 3)) * [1.0, 1.0, 0.1]
    assert fit_normalisation("none", X, ss.rep("V"), [ss.O(3)]).evenness(X) == pytest.approx(0.1, rel=0.1)
    assert fit_normalisation("none", 0 * X, ss.rep("V"), [ss.O(3)]).evenness(0 * X) == 1.0


def test_applicable():
    assert applicable(ss.rep("5S + V"), ss.O(3)) == ["none", "per-axis", "common-scale"]
    assert applicable(ss.rep("5S"), ss.O(3)) == ["none", "per-axis", "common-scale"]
    assert applicable(ss.rep("4V"), ss.O(3)) == list(NORMALISATIONS)
    assert "symmetry-scale-aware" not in applicable(ss.rep("4V"), ss.O(2))


def test_refusals():
    X = data(p=3)
    with pytest.raises(InputError, match="unknown normalisation 'best'; pass one of none, per-axis, common"):
        fit_normalisation("best", X, ss.rep("V"), [ss.O(3)])
    with pytest.raises(InputError, match="'scale-aware' is for trajectories: V has no two points"):
        fit_normalisation("scale-aware", X, ss.rep("V"), [ss.O(3)])
    with pytest.raises(InputError, match=r"points must have 3 coordinates; 2V under O\(2\) has others"):
        fit_normalisation("symmetry-scale-aware", data(p=4), ss.rep("2V"), [ss.O(2)])
