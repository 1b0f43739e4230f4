"""The table of symmetries."""

import json

import pytest
from rich.console import Console

from softsym.discovery import Symmetries, Symmetry
from softsym.discovery.judge.reasons import Cause, Reason, parse_note
from softsym.errors import InputError

EVIL = "<img src=x onerror=alert(1)>"
TABLE = Symmetries(
    [
        Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 3000.0, 1e-4, 0.002, {"layer 1": 0.01}),
        Symmetry(
            EVIL,
            "absent",
            0.4,
            (0.39, 0.41),
            0.01,
            0.3,
            0.4,
            {"layer 1": 0.5},
            parse_note("[red]a note[/red]"),
        ),
    ]
)


def test_it_is_a_sequence_with_names():
    assert len(TABLE) == 2
    assert [row.verdict for row in TABLE] == ["exact", "absent"]
    assert TABLE[-1] is TABLE[EVIL]
    assert TABLE["O(2)@z"].is_conclusive
    assert TABLE[1].is_conclusive  # a note that is no doubt
    assert (TABLE[0].group, TABLE[0].interval) == ("O(2)@z", (0.001, 0.003))
    with pytest.raises(InputError, match=r"no candidate group 'O\(3\)'; there are O\(2\)@z, <img"):
        TABLE["O(3)"]


def test_what_one_can_build_on():
    within = Symmetry(
        "SO(3)", "exact", 0.1, (0.1, 0.2), 1.0, 0.1, 0.1, {}, parse_note("as far as the fit can tell")
    )
    doubtful = Symmetry(
        "O(3)", "exact", 0.1, (0.1, 0.2), 1.0, 0.1, 0.1, {}, parse_note("inconclusive: only 70 training rows")
    )
    assert Symmetries([TABLE[0], within, doubtful]).certain() == {"O(2)@z": "exact", "SO(3)": "exact"}


def test_it_goes_to_frames_and_back():
    for frame in (TABLE.to_polars(), TABLE.to_pandas()):
        assert list(frame["group"]) == ["O(2)@z", EVIL]
        assert list(frame["distance layer 1"]) == [0.01, 0.5]
    assert Symmetries([Symmetry.from_dict(row) for row in TABLE.to_dicts()]) == TABLE


def test_names_are_text_everywhere():
    assert EVIL not in TABLE._repr_html_()
    assert "&lt;img" in TABLE._repr_html_()
    console = Console(width=200, record=True)
    console.print(TABLE)
    assert "[red]a note[/red]" in console.export_text()
    assert "3000" in str(TABLE)
    assert repr(Symmetries()) == "Symmetries()"


def test_what_is_undecided_is_kept_and_never_built_on():
    (reason,) = parse_note("inconclusive: acts trivially on inputs and outputs, so data cannot break it")
    row = Symmetry("O(3)", "undecided", 0.0, (0.0, 0.0), 1.0, 0.0, reasons=(reason,))
    assert Symmetry.from_dict(row.to_dict()) == row
    assert Symmetries([row]).certain() == {}


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("verdict", ["exact", "soft", "absent", "undecided"])
def test_every_row_comes_back_from_its_file(cause, verdict):
    """A note of the evidence that begins like another reason stays what it is."""
    texts = ("its subgroup O(2)@x is absent", "only 40 rows; about 100 would decide it", "")
    for text in texts:
        row = Symmetry(
            "O(3)", verdict, 0.1, (0.1, 0.2), 1.0, 0.1, reasons=(Reason(cause, text), Reason(Cause.OTHER, text)),
            p_value=0.5, violation=0.1, violation_interval=(0.0, 0.2), log_evidence=3.0, tolerance=0.2, coverage=0.9,
        )  # fmt: skip
        again = Symmetry.from_dict(json.loads(json.dumps(row.to_dict())))
        assert again == row
        assert again.is_conclusive == row.is_conclusive
