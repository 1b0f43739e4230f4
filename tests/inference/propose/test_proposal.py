"""The result: words, rows, JSON."""

import json

import pytest

import softsym as ss
from softsym.errors import InputError
from tests.inference.propose.target_functions import rows


@pytest.fixture(scope="module")
def found():
    X, Y, rep_in, rep_out, _ = rows("cross product", 150, 0.02)
    return ss.propose(X, Y, rep_in, rep_out)


def test_json(found):
    fields = json.loads(json.dumps(found.to_dict()))
    assert fields["algebra"] == "so(3)"
    assert [ss.group(group["text"]) for group in fields["groups"]] == list(found.groups)
    assert {row["verdict"] for row in fields["table"]} <= {"exact", "soft", "undecided"}


def test_words_and_tables(found):
    assert found.words().startswith("Exact continuous symmetry: so(3) (3 dimensions, compact).")
    assert "rotation about" in str(found)
    assert found.table.to_polars().height == len(found.table)
    assert found.exact_groups[0] == ss.SO(3)
    with pytest.raises(InputError, match="no symmetry 'x'"):
        found.table["x"]
