"""Hidden representations."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.maps.families.norm import non_permuting
from softsym.maps.infer import Proposer


@pytest.mark.parametrize("size", [1, 3, 8, 17, 64])
@pytest.mark.parametrize(
    "groups", [["C(4)"], ["C(4)", "O(1)@2[0]"], ["S(4)"], ["Octahedral()"], ["O(1)"], ["C(3)", "D(4)"]]
)
def test_finite_groups_permute_what_is_proposed(size, groups):
    groups = [ss.group(G) for G in groups]
    rep = Proposer(tuple(groups)).rep(size, pointwise=True)
    assert {rep.size(G) for G in groups} == {size}
    assert non_permuting(rep, groups) == []


def test_large_groups_get_small_orbits():
    rep = Proposer((ss.group("Octahedral()"),)).rep(14, pointwise=True)
    assert [(copies, kind.size(ss.group("Octahedral()"))) for copies, kind in rep] == [(1, 12), (2, 1)]


@pytest.mark.parametrize("hidden", ["scalars", "mixed"])
def test_continuous_groups(hidden):
    proposer = Proposer((ss.group("O(2)@x"), ss.group("O(2)@z")), hidden)
    assert proposer.rep(30, pointwise=False) == ss.hidden_rep(30, "O(3)")
    assert (proposer.rep(30, pointwise=True) == ss.rep("30S")) == (hidden == "scalars")


def test_short_names():
    assert str(Proposer((ss.group("O(1)@2[0]"), ss.group("O(1)@2[1]"))).rep(4, pointwise=True)) == "Regular(D(2))"
    with pytest.raises(InputError, match="`hidden` is"):
        Proposer((ss.O(3),), "all")
