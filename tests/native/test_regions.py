"""Where everything lies: regions of a space do not overlap and fill it."""

import itertools

import pytest

import softsym as ss
from softsym.native.program import Kind, Region
from softsym.native.regions import GRADS, KEPT, WORK, Regions
from softsym.nn.bilinear import plan
from tests.nn.test_bilinear import CASES


def regions_of(value):
    """All regions in an object, also those in lists."""
    for entry in vars(value).values():
        yield from (
            item for item in (entry if isinstance(entry, list) else [entry]) if isinstance(item, Region)
        )


@pytest.mark.parametrize(("rep", "G"), CASES)
def test_regions_fill_their_spaces_without_overlap(rep, G):
    made = plan(ss.rep(rep), ss.group(G))
    at = Regions(made, gates=2, size=made.size - 2)
    forward = [*at.sums, *at.contracted]
    for layout, space in ((at.kept, KEPT), (at.grads, GRADS), (at.forward_work, WORK)):
        mine = [
            r for r in regions_of(at) if r.space == space and (space != WORK or any(r is f for f in forward))
        ]
        places = sorted((r.before, r.before + r.width) for r in mine if r.width)
        assert places[0][0] == 0
        assert places[-1][1] == layout.width
        assert all(stop == start for (_, stop), (start, _) in itertools.pairwise(places))


def test_one_space_for_each_mixed_weight():
    made = plan(ss.rep("2S + V + T(2)"), ss.O(2))
    spaces = Regions(made, 0, made.size).spaces
    assert list(spaces)[-1] == "mixed0"
    assert spaces["mixed0"] == Kind.SHARED
    assert len(spaces) == 8 + len(made.mixed)
