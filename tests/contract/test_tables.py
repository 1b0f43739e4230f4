"""What renders from stored runs has the numbers that it had."""

import json

import pytest

from tests.contract.observe import SNAPSHOTS
from tests.contract.tables import COMMANDS, csv_numbers, page_numbers, render

EXPECTED = json.loads((SNAPSHOTS / "tables.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "name", ["table1", *(pytest.param(name, marks=pytest.mark.slow) for name in COMMANDS if name != "table1")]
)
def test_rendered_numbers_are_as_recorded(name, tmp_path):
    rendered = render(name, tmp_path)
    assert list(rendered) == list(EXPECTED[name])
    for file, numbers in EXPECTED[name].items():
        if file.endswith(".md"):
            assert rendered[file] == numbers, file
        else:
            assert rendered[file] == pytest.approx(numbers, rel=1e-9, abs=1e-12), file


def test_numbers_are_read():
    assert csv_numbers("row,mean\nO(3),2.5\n,-1e-3\n3,\n") == [2.5, -1e-3, 3.0]
    assert page_numbers("# Table 1\n| O(3) | 1.5 ± 0.2 (3/5) | 57,753 | – |\n2 of 3") == "1.5 0.2 5 57,753"
