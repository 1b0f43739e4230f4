"""Claims by themselves: what they say of themselves, and tables of them."""

from lab.tests.experiments.small import summaries

from softsym_lab.experiments.claims.claim import Claim, beats, by_labels, computed_claim, judge, markdown, means


def test_a_claim_without_all_its_runs_cannot_be_decided(tmp_path):
    some = summaries(tmp_path, "motion", share=0.5)
    assert judge("so", some, lambda _: (True, "1")).verdict.startswith("not yet: ")
    assert judge("so", [], lambda _: (True, "1")).status == "not yet"


def test_what_is_computed_needs_no_runs():
    claim = computed_claim("two and two are four", True, "4", "1.1")
    assert (claim.verdict, claim.done, claim.wanted, claim.where) == ("holds", 0, 0, "1.1")
    assert computed_claim("no", False, "", "").verdict == "does not hold"
    assert claim.to_dict()["verdict"] == "holds"


def test_the_table_says_where_the_paper_says_it():
    text = markdown([Claim("a", "holds", "1", 1, 1, "4.1"), Claim("b", "not yet", "", 0, 3)], "fast")
    assert (
        "Preset `fast`: 1 of 2 claims hold, 0 do not, 0 are undecided with the seeds that there are, 1 have runs"
        in text
    )
    assert "| a | **holds** | 1 | 4.1 |" in text
    assert "| b | **not yet: 0 of 3 runs** |  | ours |" in text


def test_means_of_cells(tmp_path):
    _, cell = by_labels(summaries(tmp_path, "frame-averaging"))
    first, second = cell["O(3)", "PER"], cell["O(3)", "MLP"]
    assert means([first]) == "PER 0.105"
    assert beats([first, second]) == ("undecided", "PER 0.105; MLP 0.105; PER over MLP 1 times, p = 1")
