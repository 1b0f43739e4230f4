"""The table of symmetries: the evidence's verdicts, and what the model adds."""

import itertools
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import softsym as ss
from softsym.discovery import Symmetries, Symmetry
from softsym.discovery.symmetries import (
    BETTER_WITHOUT,
    FEW_ROWS,
    bootstrap_interval,
    equivariance_errors,
    measure_symmetries,
    read_evidence,
)
from softsym.errors import InputError
from tests.discovery.small import fitted

EVIL = "<img src=x onerror=alert(1)>"
TABLE = Symmetries(
    [
        Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), strength=3000.0, layers={"layer 1": 0.01}),
        Symmetry(EVIL, "absent", 0.4, (0.39, 0.41), note="[red]a note[/red]", layers={"layer 1": 0.5}),
        Symmetry("O(3)", "undecided", reason="few-rows", note="more rows"),
    ]
)


def test_it_is_a_sequence_with_names():
    assert [row.verdict for row in TABLE] == ["exact", "absent", "undecided"]
    assert TABLE[1] is TABLE[EVIL]
    assert (TABLE[0].group, TABLE[0].interval) == ("O(2)@z", (0.001, 0.003))
    assert TABLE.certain() == {"O(2)@z": "exact", EVIL: "absent"}
    with pytest.raises(InputError, match=r"no candidate group 'SO\(3\)'; there are O\(2\)@z, <img"):
        TABLE["SO(3)"]


def test_it_goes_to_frames():
    for frame in (TABLE.to_polars(), TABLE.to_pandas()):
        assert list(frame["group"]) == ["O(2)@z", EVIL, "O(3)"]
        assert list(frame["distance layer 1"])[:2] == [0.01, 0.5]
        assert frame["violation_high"][0] == 0.003


def test_names_are_text_everywhere():
    assert EVIL not in TABLE._repr_html_()
    assert "&lt;img" in TABLE._repr_html_()
    console = Console(width=200, record=True)
    console.print(TABLE)
    assert "[red]a note[/red]" in console.export_text()
    assert repr(Symmetries()) == "Symmetries()"


VALUES = (0.5, math.nan, float("nan"), 0.0)
NOTES = ("", "its subgroup O(2)@x is absent", "only 40 rows; about 100 would decide it")


@pytest.mark.parametrize("verdict", ["exact", "soft", "absent", "undecided"])
@pytest.mark.parametrize("reason", ["none", "overlap", "poor-fit", "few-rows", "subgroup", "trivial", "better-without"])
def test_every_row_comes_back_from_its_file(verdict, reason):
    for note, value in itertools.product(NOTES, VALUES):
        row = Symmetry(
            "O(3)",
            verdict,
            value,
            (value, 1.0),
            p_value=value,
            cost=(-0.1, value),
            certified=value,
            reason=reason,
            note=note,
            error=value,
            layers={"layer 1": 0.5},
        )
        again = Symmetry.from_dict(json.loads(json.dumps(row.to_dict(), allow_nan=False)))
        assert again == row
        assert again != replace(row, note=note + "!")
        assert again.is_conclusive == row.is_conclusive == (verdict != "undecided")


def test_the_evidence_is_read():
    common = {"name": "O(3)", "verdict": "soft", "interval": (0.1, 0.2), "p_value": 0.01, "tolerance": 0.2}
    common |= {"log_evidence": -3.0, "note": "it", "violation": 0.15, "overlap": 0.8, "cost": (0.0, 0.1)}
    (row,) = read_evidence([ss.O(3)], [SimpleNamespace(**common, certified=0.3, reason="noise")])
    assert (row.violation, row.cost, row.certified, row.reason) == (0.15, (0.0, 0.1), 0.3, "noise")
    (missing,) = read_evidence([ss.O(3)], [])
    assert (missing.verdict, missing.reason) == ("undecided", FEW_ROWS)


def test_a_model_may_only_make_a_verdict_more_careful():
    fit = replace(fitted().fit_, better_without=("O(2)@x", "O(2)@z"))
    rows = measure_symmetries(fit, Symmetries([replace(row, reason="none", note="") for row in fitted().symmetries_]))
    before = fitted().symmetries_
    assert before["O(2)@z"].verdict == "exact"
    assert (rows["O(2)@z"].verdict, rows["O(2)@z"].reason) == ("undecided", BETTER_WITHOUT)
    assert rows["O(2)@x"].verdict == before["O(2)@x"].verdict == "absent"


def test_errors_of_the_model_are_measured_at_elements_that_act():
    fit = fitted().fit_
    x, z = (equivariance_errors(fit, group) for group in fit.shape.groups)
    assert x.shape == z.shape
    assert z.max() < 1e-9 < 1e-3 < x.mean()
    low, high = bootstrap_interval(x)
    assert low < x.mean() < high
    assert np.isfinite(x).all()
