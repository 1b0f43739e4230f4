"""Claims about trajectories, from made-up runs: good ones hold, and each can fail."""

from dataclasses import replace

import pytest
from lab.tests.experiments.small import record, summaries

from softsym_lab.experiments.claims.motion import mean_errors, motion_claims, our_claims

GROUPS = ("O(2)@x", "O(2)@y", "O(2)@z")
ADE = {
    "emlp": 0.12,
    "mixed": 0.13,
    "per": 0.1,
    "rpp": 0.15,
    "mlp": 0.14,
    "augment": 0.14,
    "velocity": 0.3,
    "ridge": 0.14,
    "soft-kernel": 0.09,
    "gp": 0.11,
}


def made(verdict="undecided", per_errors=(0.004, 0.005, 0.001), **ades):
    """Runs of all models with these displacement errors; an O(3)-EMLP is the worst."""

    def run(spec):
        error = (ADE | ades)[spec.model]
        if spec.model == "emlp" and spec.group == "O(3)":
            error = ades.get("wide", 0.2)
        errors = per_errors if spec.model == "per" else (0.05, 0.06, 1e-8)
        said = [{"name": g, "verdict": verdict, "asymmetry": 0.0, "interval": [0, 1]} for g in GROUPS]
        result = record(spec, error, model_errors=dict(zip(GROUPS, errors, strict=True))).result
        return replace(record(spec), result=replace(result, verdicts=said if spec.model == "gp" else []))

    return run


def claims_of(folder, **changed):
    return {claim.text: claim for claim in motion_claims(summaries(folder, "motion", make=made(**changed)))}


def test_good_runs_hold(tmp_path):
    found = claims_of(tmp_path)
    assert {claim.verdict for claim in found.values()} == {"holds"}
    assert len(found) == 3 + 5 + 3 + 3
    kernels = found["scale-aware: the best of PER and the kernels is better than every other model"]
    assert kernels.numbers == "soft kernel ridge 0.09; best other: Oz_EMLP 0.12; p <= 0.0001"


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"per": 0.16}, "symmetry-aware: PER has the least displacement error of the paper's models"),
        ({"rpp": 0.11}, "scale-aware: models that are equivariant about z, softly or not, are better than the others"),
        (
            {"per_errors": (0.001, 0.001, 0.004)},
            "scale-aware: PER finds that rotations about z hold softly, and better than those about x and y",
        ),
        ({"emlp": 0.15}, "symmetry-aware: a network that is equivariant about z is better than one that is not"),
        (
            {"per_errors": (0.07, 0.07, 0.0)},
            "symmetry-aware: PER breaks rotations about x and y less than an EMLP of rotations about z does",
        ),
        ({"wide": 0.11}, "symmetry-scale-aware: of the paper's models only O3_EMLP does not do well"),
        ({"mlp": 0.05}, "scale-aware: the best of PER and the kernels is better than every other model"),
        (
            {"verdict": "exact", "per_errors": (0.0, 0.0, 0.05)},
            "scale-aware: PER keeps what the data call exact and breaks what they call absent",
        ),
        ({"verdict": "absent"}, "scale-aware: PER keeps what the data call exact and breaks what they call absent"),
    ],
)
def test_bad_runs_do_not(tmp_path, changed, text):
    assert claims_of(tmp_path, **changed)[text].verdict == "does not hold"


def test_our_claims_are_tested_on_other_trajectories_too(tmp_path):
    cells = summaries(tmp_path, "motion", make=made())
    assert next(claim.text for claim in our_claims(cells, "flights, ")).startswith("flights, scale-aware: ")
    assert set(mean_errors(cells[0])) == set(GROUPS)
