"""Groups and lattice of a proposal."""

import numpy as np

import softsym as ss
from softsym.inference.propose.assemble import inside, lattice


def test_the_lattice_has_direct_steps_only():
    groups = [ss.O(3), ss.SO(3), ss.group("SO(2)@z"), ss.group("O(1)@3[0]")]
    assert lattice(groups) == ((0, 1), (0, 3), (1, 2))


def test_inside_says_nothing_aloud():
    axis = ss.O(2).about((0.4472, 0.8944, 0.0))
    assert inside(axis, ss.SO(2).about((0.4472, 0.8944, 0.0)))


def test_mixed_symmetries_exact_about_one_axis_soft_about_others():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    Y = X * np.sum(X**2, axis=1, keepdims=True) * 0.3 + X + 0.25 * np.array([0.0, 1.0, 0.0])
    found = ss.propose(X, Y + 0.01 * rng.standard_normal(Y.shape), "V", "V")
    verdicts = {row.name: row.verdict for row in found.table if row.kind == "generator"}
    assert verdicts["rotation about y"] == "exact"
    assert sum(word == "soft" for word in verdicts.values()) == 2
    assert found.groups[0] == ss.O(2).about("y")
    assert (found.groups[-1], found.verdicts[-1]) == (ss.SO(3), "soft")


def test_joined_groups_are_named_only_if_all_of_it_holds():
    from softsym.inference.propose.assemble import _joined

    inversion = ss.Group.from_generators(discrete=[-np.eye(4)], name="inversion")
    parity = ss.group("O(1)@4[2]")
    assert _joined(ss.SO13p(), inversion) == ss.SO13()
    assert _joined(ss.SO13(), parity) == ss.Lorentz()
    assert _joined(ss.SO13p(), parity) == ss.SO13p() | parity
    assert _joined(ss.SO(4), parity) == ss.O(4)
