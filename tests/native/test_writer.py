"""Terms as trilinear forms, against the matrices they stand for."""

import numpy as np
import pytest

import softsym as ss
from softsym.native.program import Kind, Program, Region
from softsym.native.writer import Writer, form_of
from softsym.nn.bilinear import plan
from tests.nn.test_bilinear import CASES


@pytest.mark.parametrize(("rep", "G"), CASES)
def test_a_form_reads_every_entry_of_what_acts_once(rep, G):
    made = plan(ss.rep(rep), ss.group(G))
    for term in made.terms:
        form, through = form_of(made, term), made.types[term.through]
        places = np.add.outer(form.row, form.column).ravel()
        chosen = np.add.outer(np.arange(through.size) * through.count, np.arange(term.n)).ravel()
        assert sorted(places) == sorted(chosen)


def test_axes_in_another_order():
    """A vector from a vector through V'*V needs the matrix transposed."""
    made = plan(ss.rep("V'*V + V + V'"), ss.group("GL(2)"))
    turned = [term for term in made.terms if term.axes is not None]
    assert turned
    form, through = form_of(made, turned[0]), made.types[turned[0].through]
    matrix = np.arange(4).reshape(2, 2).transpose(turned[0].axes) * through.count
    assert np.array_equal(np.add.outer(form.row, form.column).reshape(2, 2), matrix)


def test_types_in_several_runs_are_spread_run_by_run():
    made = plan(ss.rep("V + S + 2V"), ss.O(3))
    program = Program({"x": Kind.WHOLE, "part": Kind.WHOLE})
    part = Region(1, 9)
    Writer(program, made, [part]).spread(0, Region(0, 10), part)
    assert str(program).splitlines() == [
        "SPREAD              3 x    1 x    3  left=part[9] right=x[10]",
        "SPREAD              3 x    2 x    3  left=part[1:9] right=x[4:10]",
    ]
