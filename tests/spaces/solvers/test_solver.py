"""What a solver is: a sixth one is a file (here `lucky.py`) and a line."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.registry import Registry
from softsym.spaces.solvers import auto
from tests.catalogue import SMALL


@pytest.fixture
def six(monkeypatch):
    """The line that a new solver is: before all others."""
    line = {"lucky": "tests.spaces.solvers.lucky:SOLVER"}
    monkeypatch.setattr(auto, "SOLVERS", Registry("solver", line | auto.SOLVERS._locations))


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
    for name in auto.SOLVERS:
        for tol in (None, 1e-3):
            answer = auto.SOLVERS[name].applies(G, ss.rep("V*V'").terms[0][1], tol)
            assert answer.how in ("well", "if asked", "not")
            assert answer.why
            assert not answer.why.endswith(".")


def test_solvers_go_by_the_names_that_caches_hold():
    assert list(auto.SOLVERS) == ["orbits", "reynolds", "signs", "weights", "dense", "iterative"]
    assert [auto.SOLVERS[name].name for name in auto.SOLVERS] == list(auto.SOLVERS)
