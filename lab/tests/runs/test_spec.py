"""What a run is, as a value and as the text that files and names of stored runs are made of."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from lab.tests.runs.small import spec
from pydantic import ValidationError

from softsym.errors import InputError
from softsym.regularize.strengths import Fixed, OneShot
from softsym_lab.experiments.presets import preset
from softsym_lab.experiments.store import key, name, read_ledger
from softsym_lab.runs.spec import Preset, RunSpec

RESULTS = Path(__file__).parents[3] / "paper" / "results"


def test_presets_are_checked_and_frozen():
    numbers = preset("inertia", "quick")
    fields = numbers.model_dump()
    assert Preset.model_validate(fields) == numbers
    for change in (
        {"epoch": 3},
        {"lr": 0},
        {"width": -1},
        {"init": "hard"},
        {"adjust_at": 200},
        {"lambda0": float("nan")},
        {"strengths": "two-shot"},
    ):
        with pytest.raises(ValidationError):
            Preset.model_validate(fields | change)
    with pytest.raises(ValidationError, match="frozen"):
        numbers.lr = 1.0


def test_stored_specs_are_read_and_written_as_the_same_text():
    rows = [row for path in sorted(RESULTS.glob("*.parquet")) for row in read_ledger(path)]
    assert rows
    for row in rows:
        read = RunSpec.from_dict(json.loads(row["spec"]))
        assert json.dumps(read.to_dict()) == row["spec"]
        assert key(read) == row["key"]
        assert name(read) == row["name"]


def test_what_came_later_is_written_only_where_it_was_chosen():
    usual = spec()
    assert "strengths" not in usual.to_dict()["preset"]
    assert "canonical_scale" not in usual.to_dict()["preset"]
    assert "sample_strength" not in usual.to_dict()["preset"]
    other = replace(usual, preset=usual.preset.model_copy(update={"strengths": "fixed"}))
    assert other.to_dict()["preset"]["strengths"] == "fixed"
    assert RunSpec.from_dict(json.loads(json.dumps(other.to_dict()))) == other
    assert key(other) != key(usual)
    text = json.dumps(usual.to_dict(), sort_keys=True).encode()
    assert key(usual) == hashlib.blake2b(text, digest_size=8).hexdigest()


def test_the_numbers_of_training():
    settings = spec(epochs=24).settings
    assert (settings.epochs, settings.batch, settings.lr, settings.stop_after) == (24, 20, 3e-3, 16)
    assert (settings.measure_every, settings.checkpoint_every, settings.validate_every) == (1, 10, 10)


def test_the_controller_is_the_one_that_is_named():
    once = spec(epochs=24).controller
    assert isinstance(once, OneShot)
    assert (once.at_epoch, once.gamma, once.window) == (8, 2.0, 4)
    chosen = spec()
    fixed = replace(chosen, preset=chosen.preset.model_copy(update={"strengths": "fixed"}))
    assert isinstance(fixed.controller, Fixed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "magic"}, "unknown model 'magic'; pass one of mlp, emlp, rpp, mixed, per, fa, augment, sample"),
        ({"group": "O(3)"}, "per takes no group, got 'O\\(3\\)'; leave it out"),
        ({"model": "emlp", "groups": ("O(3)", "SO(3)")}, "emlp takes no candidate groups, got O\\(3\\), SO\\(3\\)"),
        ({"model": "emlp", "group": "Q(3)"}, "unknown group"),
        ({"groups": ("O(3)", "Q(3)")}, "unknown group"),
    ],
)
def test_what_cannot_be_run_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(spec(), **changes).check()
