"""What a solver is: a sixth one is an object and a place in the list."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.spaces.solution import DenseBasis, Solution
from softsym.spaces.solvers import auto
from softsym.spaces.solvers.solver import Applies, Solver
from tests.catalogue import SMALL


class Lucky(Solver):
    """Knows the dot product, the one invariant of T(2) under rotations of space."""

    name = "lucky"

    def applies(self, group, tensor_type, tol=None):
        if group == ss.O(3) and str(tensor_type) == "T(2)":
            return Applies("well", "it is the dot product")
        return Applies("not", f"knows nothing of {tensor_type} under {group.name}")

    def solve(self, group, tensor_type, tol=None):
        return Solution(0.0, 0.0, np.inf, self.name, basis=DenseBasis(np.eye(3).reshape(9, 1) / np.sqrt(3)))


@pytest.fixture
def six(monkeypatch):
    monkeypatch.setattr(auto, "SOLVERS", (Lucky(), *auto.SOLVERS))


@pytest.mark.usefixtures("six")
def test_a_new_solver_takes_part_in_everything():
    with ss.spaces.cache_folder(None):
        space = ss.equivariant_maps("V + S", "V + T(2) + S", "O(3)")
        assert space.evidence["T(2)"].method == "lucky"
        assert space.evidence["T(2)"].reason == "it is the dot product"
        assert {each.method for name, each in space.evidence.items() if name != "T(2)"} == {
            "orbits",
            "weights",
        }
        assert ss.invariants("T(2)", "O(3)", solver="lucky").evidence["T(2)"].reason == "asked for"


@pytest.mark.usefixtures("six")
def test_its_refusal_and_its_name_are_told():
    with pytest.raises(InputError, match=r"^solver 'lucky' knows nothing of T\(3\) under O\(3\)$"):
        ss.invariants("T(3)", "O(3)", solver="lucky")
    with pytest.raises(InputError, match="pass one of auto, lucky, orbits"):
        ss.invariants("T(3)", "O(3)", solver="happy")


@pytest.mark.parametrize("G", SMALL.values(), ids=list(SMALL))
def test_every_answer_is_one_that_a_person_can_read(G):
    for solver in auto.SOLVERS:
        for tol in (None, 1e-3):
            answer = solver.applies(G, ss.rep("V*V'").terms[0][1], tol)
            assert answer.how in ("well", "if asked", "not")
            assert answer.why
            assert not answer.why.endswith(".")


def test_names_are_distinct():
    names = [solver.name for solver in auto.SOLVERS]
    assert names == ["orbits", "reynolds", "weights", "dense", "iterative"]  # as stored in caches
