"""A short seeded attack on everything that reads what others wrote; ``make fuzz`` makes a long one."""

from pathlib import Path

import pytest

from softsym.errors import InputError
from tests.fuzz.targets import TARGETS, attack, checkpoints, lines, spaces

CASES = 3
"""For each of a hundred shares."""
NEVER_REFUSED = (checkpoints, lines, spaces)
"""There is always an earlier checkpoint, commands print their refusals, and spaces are solved again."""


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.__name__)
def test_damaged_input_is_used_or_refused_in_one_line(target, tmp_path):
    ends = [attack(target, seed, tmp_path) for seed in range(CASES * TARGETS[target])]
    assert "refused" in ends or target in NEVER_REFUSED


def test_the_attack_sees_what_it_looks_for(tmp_path):
    def crashes(rng, folder):
        raise KeyError("x")

    class TwoLinesError(InputError):
        def __str__(self):
            return "one\ntwo"

    def two_lines(rng, folder):
        raise TwoLinesError

    for bad, error in ((crashes, KeyError), (two_lines, AssertionError)):
        TARGETS[bad] = 1
        try:
            with pytest.raises(error):
                attack(bad, 0, tmp_path)
        finally:
            del TARGETS[bad]


def test_command_lines_write_into_their_own_folder(tmp_path, monkeypatch):
    def write(*arguments):
        Path("left-behind").write_text("")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.fuzz.targets.main.run", write)
    (tmp_path / "folder").mkdir()
    attack(lines, 0, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "work" / "left-behind").exists()
