"""Where JSON goes."""

import json

import pytest

from softsym.cli.output import check_target, write_json
from softsym.errors import InputError


def test_to_a_file_or_to_standard_output(tmp_path, capsys):
    write_json({"a": [1, None]}, str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text()) == {"a": [1, None]}
    assert capsys.readouterr().out == ""
    write_json({"a": 1}, "-")
    assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_places_where_nothing_can_be_written_are_refused_early(tmp_path):
    check_target("-")
    check_target(str(tmp_path / "new.json"))
    for place in (tmp_path, tmp_path / "no" / "out.json"):
        with pytest.raises(InputError, match=r"cannot write .*: pass a file in a folder that exists, or -"):
            check_target(str(place))
        with pytest.raises(InputError, match="cannot write"):
            write_json({}, str(place))
