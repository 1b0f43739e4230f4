"""Which candidates a model is fitted with."""

import pytest

import softsym as ss
from softsym.discovery.fit.member import Shape
from softsym.discovery.selection.supported_groups import drop_low_overlap, restrict_to_supported
from softsym.inference import EvidenceRow, EvidenceTable

GROUPS = [ss.O(3), ss.SL(3)]
SHAPE = Shape.of(ss.rep("V"), ss.rep("V"), GROUPS)


def table(first="undecided", second="undecided", coverage=0.9):
    return EvidenceTable(
        [EvidenceRow("O(3)", first, coverage=coverage), EvidenceRow("SL(3)", second, coverage=0.9)]
    )


@pytest.mark.parametrize(
    "evidence", [None, EvidenceTable(), table(), EvidenceTable([EvidenceRow("O(3)", "exact")])]
)
def test_all_are_used_unless_the_evidence_speaks_against_it(evidence):
    assert drop_low_overlap(GROUPS, evidence) == GROUPS
    assert restrict_to_supported(SHAPE, evidence) == SHAPE


def test_what_data_hardly_cover_is_not():
    assert drop_low_overlap(GROUPS, table(coverage=0.1)) == GROUPS[1:]
    assert restrict_to_supported(SHAPE, table(coverage=0.1)).groups == tuple(GROUPS[1:])


def test_networks_are_trained_without_what_does_not_hold():
    assert drop_low_overlap(GROUPS, table("absent")) == GROUPS
    assert restrict_to_supported(SHAPE, table("absent")).groups == tuple(GROUPS[1:])
    assert restrict_to_supported(SHAPE, table("absent")).largest == ss.SL(3)
    named = Shape.of(ss.rep("V"), ss.rep("V"), GROUPS, ss.GL(3))
    assert restrict_to_supported(named, table("absent")).largest == ss.GL(3)
    assert restrict_to_supported(SHAPE, table("soft")) == SHAPE


def test_with_all_if_nothing_may_hold():
    assert restrict_to_supported(SHAPE, table("absent", "absent")) == SHAPE
