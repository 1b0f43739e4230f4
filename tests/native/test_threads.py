"""How many threads a step gets."""

import pytest
import torch

from softsym.native import step_threads, threads
from softsym.native.threads import WORTH_THREADS, cores, free_cores, threads_for_step

IDLE = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 0 10 {0} 0 0 0 0 0 0\ncpu1 10 0 10 {1} 5 0 0 0 0 0\nintr 1\n"


@pytest.fixture
def four(monkeypatch):
    """Torch may use four threads, and as many cores as a test says are free."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield lambda free: monkeypatch.setattr(threads, "free_cores", lambda: free)
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
    assert threads_for_step(work) == expected


def test_a_limit_set_by_the_user_is_kept(four):
    four(8)
    torch.set_num_threads(1)
    assert threads_for_step(10 * WORTH_THREADS) == 1


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
    from softsym.training import Settings
    from softsym.training.loop import fit
    from softsym.training.splits import Splits

    seen = []
    x, y = torch.zeros(8, 3), torch.zeros(8, 1)
    data = Splits((x, y), (x, y), (x, y), torch.nn.functional.mse_loss)
    net = MLP("V", "S", "O(3)", width=4)
    settings = Settings(epochs=2, batch=4, lr=1e-3)
    fit(net, data, settings, on_epoch=lambda _: seen.append(torch.get_num_threads()))
    assert seen == [1, 1]
    assert torch.get_num_threads() == 4


def test_watching_cores(tmp_path, monkeypatch):
    """Core 0 idles a tenth of the time between two looks, core 1 all of it."""
    looks = iter([IDLE.format(100, 100), IDLE.format(110, 200).replace("cpu0 10", "cpu0 100")])
    file = tmp_path / "stat"

    def look():
        file.write_text(next(looks))
        return threads_idle(file)

    threads_idle = threads._idle_and_total
    monkeypatch.setattr(threads, "_idle_and_total", look)
    monkeypatch.setattr(threads, "cores", lambda: {0, 1})
    monkeypatch.setattr(threads.time, "sleep", lambda _: None)
    assert free_cores() == 1


def test_other_systems_are_asked_for_their_load(monkeypatch):
    monkeypatch.setattr(threads, "_idle_and_total", lambda: None)
    monkeypatch.setattr(threads, "cores", lambda: set(range(8)))
    monkeypatch.setattr(threads.os, "getloadavg", lambda: (2.9, 0, 0))
    assert free_cores() == 5


def test_this_machine():
    assert len(cores()) >= 1
    assert 0 <= free_cores() <= len(cores())
    assert threads._idle_and_total(threads.Path("/no/such/file")) is None
