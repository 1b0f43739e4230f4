"""Claims of the appendix, from made-up runs: good ones hold, and each can fail."""

from dataclasses import replace

import pytest
from lab.tests.experiments.small import full_record, record, summaries

from softsym_lab.experiments.claims.appendix import (
    frame_claims,
    parameters_claims,
    progress_claims,
    robustness_claims,
    unknown_claims,
)


def test_the_adjustment_keeps_the_exact_group(tmp_path):
    (good,) = progress_claims(summaries(tmp_path / "a", "progress"))
    assert good.verdict == "holds"
    assert good.numbers == "O(2)@x 5, O(2)@y 6, O(2)@z 100"
    wrong = summaries(tmp_path / "b", "progress", make=lambda run: record(run, strengths=(5.0, 200.0, 100.0)))
    assert progress_claims(wrong)[0].verdict == "does not hold"


def with_weights(near, far):
    def make(run):
        outside = near if run.model == "per" else far
        row = {"layer": "1", "inside": 1.0, "outside": outside, "confined": None}
        return replace(record(run), weights=[row])

    return make


def test_weights_of_one_matrix_are_nearer_than_of_two(tmp_path):
    for name, make, verdict in (
        ("a", with_weights(0.01, 0.05), "holds"),
        ("b", with_weights(0.05, 0.01), "does not hold"),
        ("c", record, "does not hold"),  # nothing is known of the weights
    ):
        found = parameters_claims(summaries(tmp_path / name, "parameters", make=make))
        assert {claim.verdict for claim in found} == {verdict}
    assert found[0].numbers == "PER: no weights were kept"


def test_settings_within_the_deviation_of_seeds_are_alike(tmp_path):
    def make(run, strong=0.1):
        share = 0.5 if run.preset.form == "proximal" else 1.0
        return record(run, share * ((strong if run.preset.gamma == 3 else 0.1) + 0.01 * run.seed))

    good = robustness_claims(summaries(tmp_path / "a", "robustness", make=make))
    assert {claim.verdict for claim in good} == {"holds"}
    assert [claim.where for claim in good] == ["appendix, adjustment"] * 6 + [""] * 2
    found = robustness_claims(summaries(tmp_path / "b", "robustness", make=lambda run: make(run, 0.5)))
    failed = [claim.text for claim in found if claim.verdict == "does not hold"]
    assert len(failed) == 2
    assert all("gamma" in text for text in failed)
    worse = robustness_claims(summaries(tmp_path / "c", "robustness", make=lambda run: record(run, 0.1)))
    assert [claim.verdict for claim in worse[-2:]] == ["undecided"] * 2  # a step of their own is no better


@pytest.mark.parametrize(
    ("errors", "verdicts"),
    [
        ({"fa": 0.5, "per": 0.1}, ["holds", "holds"]),
        ({"fa": 2.0, "per": 0.1}, ["does not hold", "holds"]),
        ({"fa": 0.5, "per": 0.6}, ["holds", "does not hold"]),
    ],
)
def test_frames(tmp_path, errors, verdicts):
    cells = summaries(tmp_path, "frame-averaging", make=lambda run: record(run, errors.get(run.model, 1.0)))
    assert [claim.verdict for claim in frame_claims(cells)] == verdicts


def test_unknown_symmetries(tmp_path):
    def make(right, with_all):
        def run(spec):
            one = full_record(spec)
            if spec.groups is None:
                return replace(one, result=replace(one.result, test_mse=1.0 + 0.1 * spec.seed))
            errors = {g: (right if g in ("O(2)@z", "O(2)@x") else 0.2) for g in spec.groups}
            changed = {"model_errors": errors, "test_mse": with_all + 0.1 * spec.seed}
            return replace(one, result=replace(one.result, **changed))

        return run

    for name, numbers, verdicts in (
        ("a", (0.001, 1.1), ["holds", "holds"]),
        ("b", (0.3, 1.1), ["does not hold", "holds"]),
        ("c", (0.001, 2.0), ["holds", "does not hold"]),
    ):
        found = unknown_claims(summaries(tmp_path / name, "unknown-symmetry", make=make(*numbers)))
        assert [claim.verdict for claim in found] == verdicts
