"""Claims that no run is needed for."""

import pytest

from softsym_lab.experiments.claims import computed
from softsym_lab.experiments.claims.computed import computed_claims, data_claim, printed_claim


def test_what_can_be_computed_holds():
    found = computed_claims()
    assert {claim.verdict for claim in found} == {"holds"}
    assert len({claim.text for claim in found}) == len(found) == 11 + 1 + 2 + 1 + 3


@pytest.mark.parametrize(("exact", "verdict"), [(("O(2)@z",), "holds"), (("O(2)@x",), "does not hold")])
def test_a_wrong_symmetry_is_noticed(monkeypatch, exact, verdict):
    monkeypatch.setitem(computed.EXACT_GROUPS, "inertia:Oz(2)", exact)
    assert data_claim("inertia:Oz(2)").verdict == verdict


def test_the_last_row_cannot_be_as_printed():
    assert printed_claim().verdict == "holds"
    assert "O(2)@y" in printed_claim().numbers
    assert printed_claim().where == ""  # the paper does not say so
