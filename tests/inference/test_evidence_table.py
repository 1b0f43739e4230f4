import io
import json
import math

import pytest
from rich.console import Console

from softsym.errors import InputError
from softsym.inference.evidence_table import EvidenceRow, EvidenceTable

ROWS = [
    EvidenceRow(
        "O(2)@z", "exact", 0.62, 665.0, 0.0, (0.0, 0.01), 0.01, 0.95, (0.1, 0.1, 0.4), 300, 1.2, "averaged"
    ),
    EvidenceRow("RubiksCube()", "undecided", note="no <closed> set"),
]


def test_is_a_sequence_by_place_and_name():
    table = EvidenceTable(ROWS)
    assert list(table) == ROWS
    assert table["O(2)@z"] is table[0]
    with pytest.raises(InputError, match="no candidate group 'O'; there are O\\(2\\)@z, RubiksCube"):
        table["O"]


def test_round_trip_through_json():
    table = EvidenceTable(ROWS)
    again = EvidenceTable([EvidenceRow.from_dict(row) for row in json.loads(json.dumps(table.to_dicts()))])
    assert again == table
    assert math.isnan(again[1].p_value)


def test_frames():
    table = EvidenceTable(ROWS)
    assert table.to_polars()["high"].to_list() == [0.01, 1.0]
    assert table.to_pandas()["group"].tolist() == ["O(2)@z", "RubiksCube()"]


def test_displays():
    table = EvidenceTable(ROWS)
    assert "no &lt;closed&gt; set" in table._repr_html_()
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(table)
    assert "RubiksCube(): no <closed> set" in console.export_text()
    assert repr(table) == "EvidenceTable(O(2)@z: exact, RubiksCube(): undecided)"
    assert "0 to 0.010" in str(table)
