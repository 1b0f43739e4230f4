"""Features of equal particles: exact at every element, as good as full averages, and good for real tasks."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.gp.arrays import replace_arrays
from softsym.gp.features import AveragedFeatures, can_follow_all, equivariant_features, scale_copies, write_out
from softsym.gp.particles import SurroundingFeatures, read_exchanges
from softsym.metrics.transform import read_shape, transform_rows
from softsym.reps.atoms import group_element

CASES = [  # inputs, outputs, candidates, columns
    ("5x(S + V)", "T(2)", ["O(3) * S(5)", "O(3)", "S(5)"], (20, 9)),
    ("2x(V) + 5x(V)", "V", ["O(3) * S(2) * S(5)", "S(5)", "S(2) * S(5)"], (21, 3)),
    ("4x(S + V) + V", "4x(V)", ["SO(3) * S(4)", "S(4)", "O(3)"], (19, 12)),
    ("4x(V)", "S", ["O(2)@z * S(4)"], (12, 1)),
    ("6x(V)", "pS", ["O(3) * S(6)"], (18, 1)),
    ("V[1]*V[0]", "V[0]", ["O(3) * S(5)"], (15, 3)),
    ("2V", "V", ["S(6)"], (12, 6)),
    ("2x(V) + 4x(S + V) + 1x(V)", "S", ["O(3) * S(2) * S(4)", "SO(3) * S(2)"], (25, 1)),
    ("3x(V + S) + V", "Sym(2)", ["O(3) * S(3)"], (15, 6)),
]


def make(case, rows=25, seed=0):
    """Representations and lifted groups of a case, and rows."""
    rep_in, rep_out, groups, (inputs, outputs) = case
    X = np.random.default_rng(seed).standard_normal((rows, inputs))
    first, second, listed = read_shape(rep_in, rep_out, groups, X, np.zeros((rows, outputs)))
    return first, second, listed, X


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} to {case[1]}")
def test_features_are_equivariant(case):
    first, second, groups, X = make(case)
    (_, kind), *_ = second.terms
    for group in groups:
        parts = group.sample_parts(len(X), 1)
        images = transform_rows(first, group, parts, X)
        rho = kind.rho(group, group_element(group, tuple(parts))) if kind.rank else np.ones((len(X), 1, 1))
        q, maps = kind.size(group), list(equivariant_features(first, kind, group, X, 300))
        assert maps
        for each in maps:
            here, there = write_out(each(X), q), write_out(each(images), q)
            assert np.abs(rho @ here - there).max() < 1e-10 * max(1.0, np.abs(here).max()), each.name


def test_torch_gives_the_same():
    first, second, (group, *_), X = make(CASES[2])
    kind = second.terms[0][1]
    for each in list(equivariant_features(first, kind, group, X, 200))[::7]:
        own = replace_arrays(each, lambda array: array if array.dtype.kind == "i" else torch.tensor(array))
        for (C, phi), (D, psi) in zip(each(X), own(torch.tensor(X)), strict=True):
            assert np.allclose(C, D.numpy(), atol=1e-9)
            assert np.allclose(phi, psi.numpy(), atol=1e-9)


@pytest.mark.parametrize("n", [3, 4])
def test_sums_predict_as_well_as_averages(n):
    """S(n) is small enough to be averaged over: sums over particles are no worse, for a function of all particles at once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 2 * n))
    a, b = X[:, :n], X[:, n:]
    Y = np.sin((a * b).sum(axis=1)) + np.tanh(a.sum(axis=1)) * (b**2).mean(axis=1)
    rep, kind, group = ss.rep("2V"), ss.Scalar.terms[0][1], ss.S(n)
    found = {}
    for each in equivariant_features(rep, kind, group, X[:300], 400):
        if isinstance(each, AveragedFeatures):
            found.setdefault("averages", []).append(each)
    product = ss.Trivial(1) * group
    for each in equivariant_features(ss.rep(f"{n}x(2S)"), kind, product, X[:300], 400):
        found.setdefault("sums", []).append(each)
    errors = {}
    for name, maps in found.items():
        best = np.inf
        for each in maps:
            F, G = (write_out(each(rows), 1)[:, 0] for rows in (X[:300], X[300:]))
            for ridge in (1e-6, 1e-4, 1e-2, 1.0):
                weights = np.linalg.solve(F.T @ F + ridge * np.eye(F.shape[1]), F.T @ Y[:300])
                best = min(best, float(((G @ weights - Y[300:]) ** 2).mean()))
        errors[name] = best / Y.var()
    assert errors["sums"] < 1.2 * errors["averages"] + 1e-6


def test_orders_of_all_particles_are_the_average():
    first, second, (group, *_), _ = make(CASES[2])
    whole = read_exchanges(first, second.terms[0][1], group, 60).whole
    assert len(whole.columns) == 24
    assert {tuple(sorted(row)) for row in whole.columns.tolist()} == {tuple(range(19))}


def test_particles_can_be_followed():
    for rep, group in (("5x(S + V)", "O(3) * S(5)"), ("5x(S + V)", "Trivial(3) * S(5)"), ("V", "S(9)")):
        assert can_follow_all(ss.rep(rep), ss.group(group))


def inertia(n, seed, noise=0.05, D=(0.0, 0.0, 0.0)):
    rng = np.random.default_rng(seed)
    m, r = np.logaddexp(0, rng.standard_normal((n, 5))), rng.standard_normal((n, 5, 3))
    whole = np.einsum("ni,nia,nia->n", m, r, r)[:, None, None] * np.eye(3) - np.einsum("ni,nia,nib->nab", m, r, r)
    Y = (whole @ (np.eye(3) + np.diag(D))).reshape(n, 9)
    return np.concatenate([m, r.reshape(n, -1)], axis=1), Y + noise * Y.std() * rng.standard_normal(Y.shape)


@pytest.mark.parametrize(("D", "verdicts"), [((0, 0, 0), ["exact", "exact"]), ((0, 0, -1), ["absent", "exact"])])
def test_five_masses_may_be_exchanged(D, verdicts):
    table = ss.evidence(*inertia(600, 0, D=D), "5x(S + V)", "T(2)", ["O(3)", "S(5)"])
    assert [row.verdict for row in table] == verdicts
    assert [row.name for row in table] == ["O(3)", "S(5)"]


def test_labelled_particles_are_refuted():
    X, Y = inertia(300, 0)
    Y = Y + 3.0 * X[:, :1] * np.eye(3).ravel()
    (row,) = ss.evidence(X, Y, "5x(S + V)", "T(2)", ["S(5)"])
    assert row.verdict in ("soft", "absent")


def test_exchanges_help_the_gaussian_process(tmp_path):
    X, Y = inertia(150, 0)
    inputs, outputs = inertia(300, 1, noise=0.0)
    errors, models = [], []
    for groups in (["O(3)"], ["O(3) * S(5)"], ["O(3)", "S(5)"]):
        gp = ss.SoftEquivariantGP("5x(S + V)", "T(2)", groups).fit(X, Y)
        errors.append(float(((gp.predict(inputs) - outputs) ** 2).mean() / outputs.var()))
        models.append(gp)
    assert errors[1] < errors[0]
    assert errors[2] < errors[0]
    models[2].save(tmp_path / "gp")
    again = ss.load(tmp_path / "gp")
    assert np.allclose(again.predict(inputs), models[2].predict(inputs))
    assert [row.name for row in again.symmetries_] == ["O(3)", "S(5)"]


def test_forces_of_particles():
    """Outputs that belong to particles: springs between all pairs."""
    rng = np.random.default_rng(0)
    r = rng.uniform(-1.5, 1.5, (600, 6, 3))
    gaps = r[:, :, None] - r[:, None]
    Y = -(gaps * np.exp(-0.5 * (gaps**2).sum(-1, keepdims=True))).sum(axis=2).reshape(600, 18)
    X = r.reshape(600, 18)
    gp = ss.SoftEquivariantGP("6x(V)", "6x(V)", ["O(3) * S(6)"]).fit(X[:150], Y[:150])
    assert ((gp.predict(X[150:]) - Y[150:]) ** 2).mean() < 0.05 * Y.var()


def surroundings(case, rows=25):
    """Features of what is around particles, their type, and rows."""
    first, second, (group, *_), X = make(case, rows)
    kind = second.terms[0][1]
    found = [each for each in equivariant_features(first, kind, group, X, 300) if isinstance(each, SurroundingFeatures)]
    assert len(found) == 5
    return found, kind.size(group), X


@pytest.mark.parametrize("case", [CASES[2], *CASES[-2:]], ids=lambda case: f"{case[0]} to {case[1]}")
def test_surroundings_are_differences_of_positions(case):
    """Nothing changes where all positions move together; torch, and what is stored, give the same."""
    found, q, X = surroundings(case)
    for each in found[::2]:
        here = write_out(each(X), q)
        moved = X.copy()
        starts = {19: range(4, 16, 3), 25: [*range(0, 6, 3), *range(10, 25, 3)], 15: range(0, 9, 3)}[X.shape[1]]
        for start in starts:
            moved[:, start : start + 3] += [0.3, -1.0, 2.0]
        assert np.abs(write_out(each(moved), q) - here).max() < 1e-8 * np.abs(here).max()
        own = replace_arrays(each, lambda array: array if array.dtype.kind == "i" else torch.tensor(array))
        for (C, phi), (D, psi) in zip(each(X), own(torch.tensor(X)), strict=True):
            assert (C is None and D is None) or np.allclose(C, D.numpy(), atol=1e-9)
            assert np.allclose(phi, psi.numpy(), atol=1e-9)


def test_one_scale_for_a_quantity_of_several_kinds():
    rep, _, (group,), X = make(("2x(V) + 3x(S + V)", "S", ["O(3) * S(2) * S(3)"], (18, 1)))
    X[:, :6] *= 10.0
    _, scale = scale_copies(X, rep, group)
    positions = [*range(6), *range(9, 18)]
    assert np.ptp(scale[positions]) == 0.0
    assert scale[0] == pytest.approx(np.sqrt((X[:, positions] ** 2).mean()))
    assert scale[6] != scale[0]


def test_energies_of_two_kinds(tmp_path):
    """Every particle has a smooth function of all others around it, as atoms in a metal have; two kinds, and a single particle."""
    rng = np.random.default_rng(0)
    r = rng.uniform(-1.5, 1.5, (500, 6, 3))
    lengths = np.linalg.norm(r[:, :, None] - r[:, None] + 10.0 * np.eye(6)[:, :, None], axis=-1)
    Y = np.sqrt((np.array([1, 1, 0.3, 0.3, 0.3, 2.0]) * np.exp(-lengths)).sum(axis=2)).sum(axis=1)
    X = r.reshape(500, 18)
    gp = ss.SoftEquivariantGP("2x(V) + 3x(V) + 1x(V)", "S", ["O(3)", "S(2) * S(3)"]).fit(X[:200], Y[:200])
    predicted = gp.predict(X[200:])
    assert gp.exact_groups_ == ("O(3)", "S(2) * S(3)")
    assert ((predicted - Y[200:]) ** 2).mean() < 0.02 * Y.var()
    gp.save(tmp_path / "gp")
    assert np.allclose(ss.load(tmp_path / "gp").predict(X[200:]), predicted)
    assert np.allclose(gp.module()(torch.tensor(X[200:])).numpy().ravel(), predicted)
