"""What runs and why, and saying so once."""

import importlib
import json
import warnings

import pytest
import torch

from softsym.errors import SlowTrainingWarning
from softsym.native import announce, available, build, environment, status, torch_only
from softsym.native.build import Built

ROOM = importlib.import_module("softsym.native.status")  # `softsym.native.status` is its function


@pytest.fixture
def unannounced(monkeypatch):
    monkeypatch.setattr(ROOM, "_announced", [])


@pytest.fixture
def broken_layers(monkeypatch):
    """Blocks run, hidden layers do not."""
    real = build.build

    def half(source, dtype):
        return (
            Built(None, "hidden_layer.c: a reason")
            if source.path.stem == "hidden_layer"
            else real(source, dtype)
        )

    monkeypatch.setattr(ROOM, "build", half)


def test_compiled_code_runs(compiled_code):
    now = status()
    assert (now.compiled, now.reason) == (True, "")
    assert [path.rsplit("/", 1)[1].split("-")[0] for path in now.libraries] == ["blocks", "hidden_layer"]
    assert "-O3" in now.flags
    assert now.matrix_product in ("torch", "scipy")
    assert now.threads == torch.get_num_threads()
    assert json.loads(json.dumps(now.to_dict()))["compiler"] == now.compiler


def test_switched_off():
    with torch_only():
        assert status().reason == "switched off by torch_only"
        assert not available()
        assert environment()["compiled"] is False


def test_available_only_if_all_of_it_runs(compiled_code, broken_layers):
    assert not available()
    assert status().reason == "hidden_layer.c: a reason"


def test_not_without_a_matrix_product(compiled_code, monkeypatch):
    monkeypatch.setattr(ROOM, "matrix_product", lambda _: None)
    assert not available()
    assert status().reason == "neither torch nor SciPy shows its matrix product (sgemm)"


def test_the_slow_path_is_announced_once(compiled_code, unannounced, broken_layers):
    with pytest.warns(
        SlowTrainingWarning, match=r"half as fast: hidden_layer.c: a reason \(see `softsym doctor`\)"
    ):
        announce()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        announce()


def test_nothing_is_announced_where_it_is_switched_off_or_runs(compiled_code, unannounced):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with torch_only():
            announce()
        announce()


def test_environment_records_whether_compiled_code_ran():
    assert environment()["compiled"] is available()
