"""Claims about the ablation, from made-up runs: each is one comparison, and each can fail."""

import pytest
from lab.tests.experiments.small import PAPER, record

from softsym_lab.experiments.claims.ablation import ablation_claims
from softsym_lab.experiments.reproduce import plan
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise


def judged(folder, errors=None, seeds=3):
    """Claims from runs in which PER has 0.1 but for seeds, and all others three times that, or what is given."""
    ((part, found),) = plan("ablation", "fast", seeds, folder=PAPER).parts
    usual = {"PER": 0.1, "PER, inputs as they are": 0.2, "first strength x 5": 0.101, "first strength / 5": 0.099}
    store = Store(folder)
    for cell in found:
        error = (usual | (errors or {})).get(cell.column.label, 0.3)
        for run in cell.runs:
            store.save(record(run, error * (1 + 0.05 * run.seed)))
    return {claim.text: claim for claim in ablation_claims(summarise(part, found, store))}


def test_good_runs_hold(tmp_path):
    found = judged(tmp_path)
    assert {claim.verdict for claim in found.values()} == {"holds"}
    assert (
        sum("trained in the same way on the same inputs" in text for text in found) == 4 * 7 - 1
    )  # nothing exact, no MixedEMLP
    assert sum(text.startswith("ablation, CosSim S(3): ") for text in found) == 8 + 7 + 1 + 1


@pytest.mark.parametrize(
    ("errors", "text"),
    [
        ({"penalty off": 0.05}, "Inertia soft: with the penalty the error is smaller than without it, all else alike"),
        ({"EMLP": 0.05}, "CosSim SO(3): PER is better than EMLP, trained in the same way on the same inputs"),
        (
            {"MLP, inputs as they are": 0.1},
            "CosSim S(3): on inputs as they are PER is better than an MLP that is trained in the same way",
        ),
        (
            {"first strength x 5": 0.5},
            "Inertia Oz(2): five times the first strength, or a fifth, changes the mean by at most two standard deviations of seeds",
        ),
    ],
)
def test_bad_runs_do_not(tmp_path, errors, text):
    assert judged(tmp_path, errors)[f"ablation, {text}"].verdict == "does not hold"


def test_one_seed_decides_nothing(tmp_path):
    found = judged(tmp_path, seeds=1)
    texts = [claim.verdict for text, claim in found.items() if "better than" in text]
    assert set(texts) == {"undecided"}
