"""Claims about tables and correlations: they hold, do not hold, or cannot be decided yet; and the checkers reject what is wrong."""

import pytest
from lab.tests.experiments.small import PAPER, record

from softsym_lab.experiments.claims.synthetic import correlation_claims, in_order, table1_claims, table2_claims
from softsym_lab.experiments.grid import cells
from softsym_lab.experiments.reproduce import plan
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise

ERRORS = {"PER": 0.2, "PER_full": 0.1, "MLP": 3.0, "O2_EMLP": 1.5, "O3_EMLP": 9.0, "RPP": 2.0, "MixedEMLP": 2.5}


def judged(tmp_path, errors=ERRORS, seeds_done=3, **changed):
    """Claims about Table 1 from made-up runs."""
    (part, found), store = plan("table1", "code", 3, folder=PAPER).parts[0], Store(tmp_path)
    for cell in found:
        for run in cell.runs[:seeds_done]:
            store.save(record(run, errors[cell.column.label], **changed))
    return {claim.text: claim for claim in table1_claims(summarise(part, found, store))}


def test_good_runs_hold(tmp_path):
    found = judged(tmp_path)
    assert len(found) == 5 * 5 + 1
    assert {claim.verdict for claim in found.values()} == {"holds"}
    claim = found["Oz(2): PER beats every baseline"]
    assert claim.numbers == "PER 0.2; MLP 3, O2_EMLP 1.5, O3_EMLP 9, RPP 2, MixedEMLP 2.5; p <= 0.0001"
    assert (claim.done, claim.wanted) == (18, 18)
    assert found["Oz(2): strengths order the groups as the data do"].numbers == "6 of 6 pairs of groups in 3 runs"


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"errors": {**ERRORS, "O2_EMLP": 0.1}}, "Oz(2): PER beats every baseline"),
        ({"errors": {**ERRORS, "PER": 0.59}}, "Oz(2): PER is below the published mean plus one standard deviation"),
        ({"strengths": (100.0, 1.0, 5.0)}, "Oz(2): strengths order the groups as the data do"),
        (
            {"model_errors": dict.fromkeys(("O(2)@x", "O(2)@y", "O(2)@z"), 0.05)},
            "Oz(2): PER breaks every group as much as the data do, to 0.02",
        ),
        ({"errors": {**ERRORS, "PER_full": 0.3}}, "Oz(2): the full schedule gives a smaller error than stopping early"),
    ],
)
def test_bad_runs_do_not(tmp_path, changed, text):
    assert judged(tmp_path, **changed)[text].verdict == "does not hold"


def test_too_few_runs_cannot_tell(tmp_path):
    claim = judged(tmp_path / "some", seeds_done=2)["Oz(2): PER beats every baseline"]
    assert claim.verdict == "not yet: 12 of 18 runs"
    assert claim.numbers.startswith("so far PER 0.2; MLP 3")
    assert judged(tmp_path / "none", seeds_done=0)["soft: PER beats every baseline"].verdict == "not yet: 0 of 12 runs"


def test_order_counts_clear_pairs_only(tmp_path):
    run = plan("table1", "code", 1, folder=PAPER).runs[0]
    assert in_order(record(run, data=(0.0, 0.0, 0.0))) == (0, 0)
    assert in_order(record(run, data=(0.06, 0.07, 0.13), strengths=(97.0, 100.0, 18.0))) == (2, 2)
    assert in_order(record(run, data=(0.06, 0.07, 0.13), strengths=(97.0, 10.0, 18.0))) == (1, 2)
    wrong = dict(zip(("O(2)@x", "O(2)@y", "O(2)@z"), (0.1, 0.01, 0.05), strict=True))
    assert in_order(record(run, data=(0.06, 0.07, 0.13)), "model_errors") == (2, 2)
    assert in_order(record(run, data=(0.06, 0.07, 0.13), model_errors=wrong), "model_errors") == (1, 2)


def test_correlation_claims(tmp_path):
    (part, found), store = plan("correlation", "code", 2, folder=PAPER).parts[0], Store(tmp_path)
    for k, cell in enumerate(cells(part, "code", 2)):
        data = (0.01 * k, 0.0, 0.02 * k)
        for run in cell.runs:
            store.save(record(run, data=data, strengths=tuple(100 / (1 + 50 * d) for d in data)))
    good = correlation_claims(summarise(part, found, store))
    assert [claim.verdict for claim in good] == ["holds"] * 4
    assert good[1].text == "correlation of regularizer with data error is above 0.61 in absolute value"
    assert good[2].text == "correlation of strength with data error is above 0.49 in absolute value"


def test_networks_of_different_sizes_are_noticed(tmp_path):
    (part, found), store = plan("table2", "code", 1, folder=PAPER).parts[0], Store(tmp_path)
    for cell in found:
        sizes = {"MLP": 1000, "PER": 1050}
        store.save(record(cell.runs[0], parameters=sizes.get(cell.column.label, 1099)))
    text = "CosSim all networks of Table 2 have similar numbers of parameters"

    def claim():
        return {claim.text: claim for claim in table2_claims(summarise(part, found, store))}[text]

    assert claim().verdict == "holds"
    store.save(record(found[0].runs[0], parameters=1200))
    assert claim().verdict == "does not hold"
