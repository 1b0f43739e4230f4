"""Solvers and their constraints: a new solver is an object (here in `lucky.py`) and a line."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.registry import Registry
from softsym.spaces.solvers import auto
from softsym.spaces.solvers.solver import constraints, residual
from tests.catalogue import SMALL, each
from tests.twin import generator_parts


@pytest.fixture
def lucky_solver(monkeypatch):
    """The table with one more line, before all others."""
    line = {"lucky": "tests.spaces.solvers.lucky:SOLVER"}
    monkeypatch.setattr(auto, "SOLVERS", Registry("solver", line | auto.SOLVERS._locations))


@pytest.mark.usefixtures("lucky_solver")
def test_a_new_solver_takes_part_in_everything():
    with ss.spaces.cache_folder(None):
        space = ss.equivariant_maps("V + S", "V + T(2) + S", "O(3)")
        assert space.evidence["T(2)"].method == "lucky"
        assert space.evidence["T(2)"].reason == "it is the dot product"
        assert {each.method for name, each in space.evidence.items() if name != "T(2)"} == {"orbits", "weights"}
        assert ss.invariants("T(2)", "O(3)", solver="lucky").evidence["T(2)"].reason == "asked for"


@pytest.mark.usefixtures("lucky_solver")
def test_its_refusal_and_its_name_are_reported():
    with pytest.raises(InputError, match=r"^solver 'lucky' knows nothing of T\(3\) under O\(3\)$"):
        ss.invariants("T(3)", "O(3)", solver="lucky")
    with pytest.raises(InputError, match="pass one of auto, lucky, orbits"):
        ss.invariants("T(3)", "O(3)", solver="happy")


@each(SMALL)
def test_every_answer_has_a_reason(G):
    for name in auto.SOLVERS:
        for tol in (None, 1e-3):
            answer = auto.SOLVERS[name].applies(G, ss.rep("V*V'").terms[0][1], tol)
            assert answer.how in ("well", "if asked", "not")
            assert answer.why
            assert not answer.why.endswith(".")


def test_solvers_go_by_the_names_that_caches_hold():
    assert list(auto.SOLVERS) == ["orbits", "reynolds", "signs", "weights", "dense", "iterative"]
    assert [auto.SOLVERS[name].name for name in auto.SOLVERS] == list(auto.SOLVERS)


@each(SMALL)
@pytest.mark.parametrize("rep", ["V", "T(1,1)", "T(3)"])
def test_constraints_are_those_of_the_full_matrices(G, rep):
    rep = ss.rep(rep)
    n = rep.size(G)
    if n > 130:
        return
    full = [rep.drho(G, A) for A in generator_parts(G, discrete=False)]
    full += [rep.rho(G, h) - np.eye(n) for h in generator_parts(G, discrete=True)]
    X, Y = np.random.default_rng(0).standard_normal((2, n, 3))
    equations = constraints(G, rep.terms[0][1])
    lie = [C for C in equations if C.additive]
    assert len(equations) - len(lie) == len(G.discrete)
    for C, M in zip(equations, full, strict=True):
        assert np.allclose(C(X), M @ X / C.scale, atol=1e-12)
        assert np.allclose(C.adjoint(Y), M.T @ Y / C.scale, atol=1e-12)
        assert np.linalg.norm(M, 2) <= C.scale * (1 + 1e-12)
        assert C.scale >= 1


def test_residual_is_the_largest_column():
    equations = constraints(ss.SO(2), ss.Vector.terms[0][1])
    assert residual(equations, np.zeros((2, 0))) == 0.0
    assert np.isclose(residual(equations, np.eye(2)), 1.0)
    assert residual([], np.eye(2)) == 0.0
