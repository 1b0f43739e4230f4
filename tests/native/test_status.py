"""What runs and why, and how many threads a step gets."""

import importlib
import json
import warnings

import pytest
import torch

from softsym.errors import SlowTrainingWarning
from softsym.native import announce, available, build, cores, environment, free_cores, status, step_threads, torch_only
from softsym.native.build import Built
from softsym.native.runtime import WORTH_THREADS

MODULE = importlib.import_module("softsym.native.runtime")  # `softsym.native.status` is its function


IDLE = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 0 10 {0} 0 0 0 0 0 0\ncpu1 10 0 10 {1} 5 0 0 0 0 0\nintr 1\n"


@pytest.fixture
def unannounced(monkeypatch):
    monkeypatch.setattr(MODULE, "_announced", [])


@pytest.fixture
def broken_layers(monkeypatch):
    """Blocks run, hidden layers do not."""
    real = build.build

    def half(source, dtype):
        return Built(None, "hidden_layer.c: a reason") if source.path.stem == "hidden_layer" else real(source, dtype)

    monkeypatch.setattr(MODULE, "build", half)


def test_compiled_code_runs(compiled_code):
    now = status()
    assert (now.compiled, now.reason) == (True, "")
    assert [path.rsplit("/", 1)[1].split("-")[0] for path in now.libraries] == ["blocks", "hidden_layer"]
    assert "-O3" in now.flags
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


def test_the_slow_path_is_announced_once(compiled_code, unannounced, broken_layers):
    with pytest.warns(SlowTrainingWarning, match=r"half as fast: hidden_layer.c: a reason \(see `softsym doctor`\)"):
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


@pytest.fixture
def four(monkeypatch):
    """Torch may use four threads, and as many cores as a test says are free."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield lambda free: monkeypatch.setattr(MODULE, "free_cores", lambda: free)
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("work", "free", "expected"),
    [
        (WORTH_THREADS - 1, 8, 1),
        (WORTH_THREADS, 8, 4),
        (WORTH_THREADS, 3, 3),
        (WORTH_THREADS, 1, 1),
        (WORTH_THREADS, 0, 1),
    ],
)
def test_rule(four, work, free, expected):
    four(free)
    with step_threads(work) as threads:
        assert threads == torch.get_num_threads() == expected


def test_a_limit_set_by_the_user_is_kept(four):
    four(8)
    torch.set_num_threads(1)
    with step_threads(10 * WORTH_THREADS) as threads:
        assert threads == 1


def test_torch_gets_its_threads_back_even_after_an_error(four):
    four(2)

    def fails():
        with step_threads(WORTH_THREADS) as used:
            assert used == torch.get_num_threads() == 2
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert torch.get_num_threads() == 4


def test_training_runs_on_one_thread_and_leaves_torch_as_it_was(four):
    from softsym.nn import MLP
    from softsym.training import TrainingConfig
    from softsym.training.loop import fit
    from softsym.training.splits import Splits

    seen = []
    x, y = torch.zeros(8, 3), torch.zeros(8, 1)
    data = Splits((x, y), (x, y), (x, y), torch.nn.functional.mse_loss)
    net = MLP("V", "S", "O(3)", width=4)
    settings = TrainingConfig(epochs=2, batch=4, lr=1e-3)
    fit(net, data, settings, on_epoch=lambda _: seen.append(torch.get_num_threads()))
    assert seen == [1, 1]
    assert torch.get_num_threads() == 4


def test_watching_cores(tmp_path, monkeypatch):
    """Core 0 idles a tenth of the time between two looks, core 1 all of it."""
    looks = iter([IDLE.format(100, 100), IDLE.format(110, 200).replace("cpu0 10", "cpu0 100")])
    file = tmp_path / "stat"

    def look():
        file.write_text(next(looks))
        return idle_and_total(file)

    idle_and_total = MODULE._idle_and_total
    monkeypatch.setattr(MODULE, "_idle_and_total", look)
    monkeypatch.setattr(MODULE, "cores", lambda: {0, 1})
    monkeypatch.setattr(MODULE.time, "sleep", lambda _: None)
    assert free_cores() == 1


def test_other_systems_are_asked_for_their_load(monkeypatch):
    monkeypatch.setattr(MODULE, "_idle_and_total", dict)
    monkeypatch.setattr(MODULE, "cores", lambda: set(range(8)))
    monkeypatch.setattr(MODULE.os, "getloadavg", lambda: (2.9, 0, 0))
    assert free_cores() == 5


def test_this_machine():
    assert len(cores()) >= 1
    assert 0 <= free_cores() <= len(cores())
    assert MODULE._idle_and_total(MODULE.Path("/no/such/file")) == {}
