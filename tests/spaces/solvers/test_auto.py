"""Which solver is taken, what is refused, and that all solvers agree."""

import inspect

import numpy as np
import pytest

import softsym as ss
from softsym.cli.inspect import command
from softsym.errors import InputError
from softsym.reps import TensorType
from softsym.spaces.solution import dense
from softsym.spaces.solvers import reynolds
from softsym.spaces.solvers.auto import SOLVERS, Choice, choose, solve
from tests.catalogue import SMALL, each

NAMES = list(SOLVERS)


def type_of(text: str) -> TensorType:
    return ss.rep(text).terms[0][1]


def applicable(G: ss.Group, tensor_type: TensorType) -> list[str]:
    """The solvers that accept a type."""
    return [name for name in SOLVERS if SOLVERS[name].applies(G, tensor_type).how != "not"]


@each(SMALL)
def test_all_solvers_agree(G):
    texts = ["V", "T(1,1)", "T(2)", "T(3)", "V'*V*V'"] + (["V[0]*V[1]*V[0]'"] if len(G.part_dims) > 1 else [])
    for tensor_type in map(type_of, texts):
        if tensor_type.size(G) > 130:
            continue
        names = applicable(G, tensor_type)
        assert {"dense", "iterative"} <= set(names)
        projectors = {}
        for name in [*names, "auto"]:
            Q = dense(solve(G, tensor_type, solver=name).basis)
            assert np.allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-10), name
            projectors[name] = Q @ Q.T
        for name, P in projectors.items():
            assert np.abs(P - projectors["dense"]).max() < 1e-8, (name, tensor_type)


def test_every_solver_takes_part():
    assert applicable(ss.S(3), type_of("T(2)")) == ["orbits", "reynolds", "dense", "iterative"]
    assert applicable(ss.SO(3), type_of("T(2)")) == ["signs", "weights", "dense", "iterative"]
    assert applicable(ss.Translation(2), type_of("T(2)")) == ["dense", "iterative"]


@pytest.mark.parametrize("name", NAMES)
def test_every_solver_knows_scalars(name):
    """Mixed sums contain scalars and fixed coordinates, whichever solver is asked for."""
    G = {"orbits": "S(3)", "reynolds": "D(3)", "weights": "SO(2)@z"}.get(name, "SO(2)@z")
    expected = ss.equivariant_maps("S + V", "S + V", G).dim
    assert ss.equivariant_maps("S + V", "S + V", G, solver=name).dim == expected


@pytest.mark.parametrize(
    ("G", "rep", "tol", "choice"),
    [
        ("SO(3)", "S", None, Choice("orbits", "a scalar is invariant")),
        ("S(5)", "T(2)", None, Choice("orbits", "every generator permutes the coordinates")),
        ("Trivial(3)", "V", 1e-3, Choice("orbits", "every generator permutes the coordinates")),
        ("C(4)", "Grid(3,3)", None, Choice("orbits", "every generator permutes the coordinates")),
        ("SO(3)", "T(3)", 1e-2, Choice("dense", "a tolerance was given, which needs the whole spectrum")),
        ("D(4)", "T(3)", None, Choice("reynolds", "the group has only 8 elements")),
        ("C(4)", "V*Grid(2,2)", None, Choice("reynolds", "the group has only 4 elements")),
        (
            "SO(3)",
            "T(6)",
            None,
            Choice("weights", "the Lie algebra has a normal element whose zero-weight vectors are few"),
        ),
        ("Translation(3)", "T(3)", None, Choice("dense", "only 64 coordinates")),
        ("Translation(3)", "T(6)", None, Choice("iterative", "4096 coordinates are too many for a dense solve")),
    ],
)
def test_the_decision_list(G, rep, tol, choice):
    assert choose(ss.group(G), type_of(rep), tol) == choice


@pytest.mark.parametrize(
    ("G", "rep"), [("S(3)", "T(2)"), ("D(4)", "T(2)"), ("SO(3)", "T(2)"), ("Translation(2)", "T(2)")]
)
def test_a_solution_says_which_solver_and_why(G, rep):
    G, tensor_type = ss.group(G), type_of(rep)
    solution = solve(G, tensor_type)
    assert Choice(solution.method, solution.reason) == choose(G, tensor_type)
    asked = solve(G, tensor_type, solver="dense")
    assert (asked.method, asked.reason) == ("dense", "asked for")


@pytest.mark.parametrize(
    ("solver", "G", "message"),
    [
        ("orbits", "O(3)", r"solver 'orbits' needs a group that permutes coordinates; O\(3\) on T\(2\) does not"),
        ("orbits", "C(4)", r"solver 'orbits' needs a group that permutes coordinates; C\(4\) on T\(2\) does not"),
        ("reynolds", "O(3)", r"solver 'reynolds' needs a finite group; O\(3\) is not"),
        (
            "weights",
            "Translation(2)",
            r"solver 'weights' needs a normal Lie-algebra element; Translation\(2\) has none",
        ),
        ("weights", "S(3)", r"solver 'weights' needs a normal Lie-algebra element; S\(3\) has none"),
        (
            "magic",
            "O(3)",
            "unknown solver 'magic'; pass one of auto, orbits, reynolds, signs, weights, dense, iterative",
        ),
    ],
)
def test_inapplicable_solvers_are_refused(solver, G, message):
    with pytest.raises(InputError, match=message):
        ss.equivariant_maps("V", "V", G, solver=solver)


@pytest.mark.parametrize(("solver", "G"), [("reynolds", "S(3)"), ("weights", "SO(3)"), ("iterative", "SO(3)")])
def test_exact_solvers_have_no_tolerance(solver, G):
    with pytest.raises(InputError, match=f"solver '{solver}' has no tolerance; pass solver='dense' with `tol`"):
        ss.equivariant_maps("V", "V", G, solver=solver, tol=1e-3)


def test_orbits_are_exact_whatever_the_tolerance():
    assert ss.equivariant_maps("V", "V", "S(3)", solver="orbits", tol=1e-3).dim == 2


def test_every_refusal_is_reported_where_no_solver_applies():
    G = ss.Group.from_generators(lie_algebra=ss.SO(3).lie_algebra, name="measured")
    message = r"no solver applies to T\(9\) under measured: orbits needs a group .*; dense is too slow .*up to 8000"
    with pytest.raises(InputError, match=message):
        choose(G, type_of("T(9)"), tol=1e-3)


def test_solvers_that_can_but_should_not_have_to_be_asked(monkeypatch):
    monkeypatch.setattr(reynolds, "MAX_ORDER", 4)
    assert choose(ss.D(4), type_of("T(3)")).solver == "dense"
    assert choose(ss.D(4), type_of("T(3)"), solver="reynolds") == Choice("reynolds", "asked for")


def test_help_names_every_solver():
    """The list is typed once more where people ask for one."""
    for text in (ss.equivariant_maps.__doc__, inspect.signature(command).parameters["solver"].default.help):
        assert all(name in text for name in ["auto", *NAMES])
