"""What the preset `fast` is for: judged from made-up runs, and good ones distinguished from bad ones."""

import pytest
from lab.tests.experiments.small import PAPER, record, summaries

from softsym_lab.experiments.claims.fast import fast_claims, time_claim
from softsym_lab.experiments.reproduce import claims, plan
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise


def judged(folder, fast=0.1, mlp=0.3, seconds=30.0, **changed):
    """Claims from runs at `code` (errors 0.19, 0.20, 0.21, 300 s) and at `fast`."""
    store, found = Store(folder), {}
    wanted = (("table1", "code"), ("table1", "fast"), ("correlation", "fast"), ("table2", "fast"))
    for k, (name, preset) in enumerate(wanted):
        ((part, cells),) = plan(name, preset, folder=PAPER).parts
        for place, cell in enumerate(cells):
            for run in cell.runs if cell.column.label in ("PER", "MLP") else ():
                data = (0.01 * place, 0.0, 0.02 * place) if name == "correlation" else (0.1, 0.1, 0.0)
                strengths = tuple(100 / (1 + 50 * value) for value in data)
                error = 0.2 + 0.01 * (run.seed - 1) if k == 0 else fast if run.model == "per" else mlp
                made = {"data": data, "strengths": strengths, "seconds": 300.0 if k == 0 else seconds}
                store.save(record(run, error, **made | (changed if k == 1 else {})))
        found[name, preset] = summarise(part, cells, store)
    return {claim.text: claim for claim in fast_claims(*(found[each] for each in (wanted[1], wanted[0], *wanted[2:])))}


def test_good_runs_hold(tmp_path):
    found = judged(tmp_path)
    assert len(found) == 4 * 5 + 2 + 4
    assert {claim.verdict for claim in found.values()} == {"holds"}
    assert found["Oz(2): mean error of PER below that at `code`"].numbers.startswith("0.1, limit 0.2, p = 0.00")
    assert found["Oz(2): time of PER below a fifth of that at `code`"].numbers == "30, limit 60, p = 0"
    assert found["CosSim soft: PER is better than MLP"].numbers == "PER 1; MLP 3; p <= 0.0001"


ERRORS = dict(zip(("O(2)@x", "O(2)@y", "O(2)@z"), (0.1, 0.01, 0.05), strict=True))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"fast": 0.4}, "Oz(2): mean error of PER below that at `code`"),
        ({"seconds": 61.0}, "soft: time of PER below a fifth of that at `code`"),
        ({"model_errors": ERRORS}, "Oz(2): model errors order the groups as the data do"),
        ({"mlp": 0.05}, "CosSim soft: PER is better than MLP"),
    ],
)
def test_bad_runs_do_not(tmp_path, changed, text):
    assert judged(tmp_path, **changed)[text].verdict == "does not hold"


def test_what_seeds_cannot_tell(tmp_path):
    found = judged(tmp_path, fast=0.205)
    assert found["Oz(2): mean error of PER below that at `code`"].verdict == "undecided"


def test_they_are_claims_of_the_preset_fast_alone(tmp_path):
    texts = {
        name: {row["text"] for row in claims(Store(tmp_path / name), name, folder=PAPER).rendered.rows}
        for name in ("code", "fast")
    }
    mine = {text for text in texts["fast"] if "at `code`" in text}
    assert len(mine) == 15
    assert not mine & texts["code"]
    assert (tmp_path / "fast" / "fast" / "claims.md").exists()


@pytest.mark.parametrize(("seconds", "verdict"), [(100.0, "holds"), (1e5, "does not hold")])
def test_the_time_of_all_runs_is_that_of_each_once(tmp_path, seconds, verdict):
    cells = summaries(tmp_path, "frame-averaging", make=lambda run: record(run, seconds=seconds))
    claim = time_claim([*cells, *cells])  # cells may share runs
    assert claim.verdict == verdict
    assert claim.numbers == f"10 runs, {10 * seconds / 2 / 3600:.1f} h"
