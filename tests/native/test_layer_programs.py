"""The programs of a layer, read as text: the worked example of the room's README."""

from pathlib import Path

import pytest

import softsym as ss
from softsym import native
from softsym.native.layer_programs import LayerPrograms
from softsym.nn.bilinear import plan
from softsym.nn.gating import Gated, gated_rep


def programs_of(rep, G):
    rep, G = ss.rep(rep), ss.group(G)
    return LayerPrograms(plan(gated_rep(rep, G), G), Gated(rep, G).plan)


def operations(program):
    return [line.split()[0] for line in str(program).splitlines()]


def test_the_example_of_the_readme():
    programs = programs_of("S + V", "O(3)")
    readme = Path(native.__file__).with_name("README.md").read_text()
    for program in (programs.forward, programs.backward):
        assert str(program) in readme


def test_scalars_alone_need_nothing_but_swish():
    programs = programs_of("4S", "O(3)")
    assert operations(programs.forward) == ["SPREAD", "GATHER", "OPEN", "SWISH"]
    assert operations(programs.backward) == ["SWISH_BACK", "GATHER"]


@pytest.mark.parametrize("rep", ["3S + 2V", "2S + V + T(2)", "4S + 2V + T(2) + T(3)"])
def test_every_weight_has_a_product_forward_and_two_backward(rep):
    programs = programs_of(rep, "O(3)")
    weights = bool(programs.plan.scaled) + bool(programs.plan.inner) + len(programs.plan.mixed)
    assert operations(programs.forward).count("TIMES_TRANSPOSED") == weights
    assert operations(programs.backward).count("TIMES") == weights
    assert operations(programs.backward).count("ADD_OUTER") == weights
