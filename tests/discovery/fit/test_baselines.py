"""The table of simpler models."""

from dataclasses import replace

import pytest
from rich.console import Console

from softsym.discovery.fit.baselines import Baseline, Baselines
from softsym.errors import InputError

ROWS = [
    Baseline("network", 0.11, 0.10, 0.99),
    Baseline("ordinary network", 0.12, 0.05, 0.995),
    Baseline("ridge regression", 6.5, 6.1, 0.13),
    Baseline("kernel ridge regression", 0.3, 0.02, 0.998),
]
TABLE = Baselines.of(ROWS, "network")


def test_one_of_them_predicts():
    assert [row.is_returned for row in TABLE] == [True, False, False, False]
    assert [row.verdict for row in TABLE] == ["returned", "", "", ""]
    assert Baselines.of(TABLE, "ordinary network")["ordinary network"].is_returned
    assert not Baselines.of(TABLE, "ordinary network")["network"].is_returned


def test_who_is_better_on_held_out_rows_is_listed_best_first():
    assert [row.name for row in TABLE.better] == ["kernel ridge regression", "ordinary network"]
    assert Baselines.of(ROWS, "kernel ridge regression").better == ()
    assert Baselines(ROWS).better == ()  # nobody predicts
    assert Baselines().better == ()


def test_the_same_error_in_two_digits_is_not_better():
    first = Baselines.of(ROWS, ROWS[0].name)
    nearly = replace(ROWS[0], name="nearly the same", test_error=0.999 * ROWS[0].test_error)
    assert "nearly the same" not in [row.name for row in Baselines.of([*first, nearly], ROWS[0].name).better]


def test_rows_have_names():
    assert TABLE["ridge regression"].test_error == 6.1
    with pytest.raises(InputError, match="no model 'boosting'; there are network, ordinary network, ridge"):
        TABLE["boosting"]


def test_it_goes_to_frames_and_back():
    assert Baselines([Baseline(**row) for row in TABLE.to_dicts()]) == TABLE
    for frame in (TABLE.to_polars(), TABLE.to_pandas()):
        assert list(frame["name"]) == [row.name for row in ROWS]
        assert list(frame["validation_error"]) == [0.11, 0.12, 6.5, 0.3]


def test_it_is_shown_in_terminals_and_notebooks():
    console = Console(width=100, record=True)
    console.print(TABLE)
    shown = console.export_text()
    for text in (shown, str(TABLE), TABLE._repr_html_()):
        assert "kernel ridge regression" in text
        assert "99.8 %" in text
        assert text.count("returned") == 1
    assert "Baselines, fitted to the same rows" in shown
