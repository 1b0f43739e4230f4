"""Work that can be interrupted, and several trainings: the same to the bit however many processes there are, and stopped all together."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch

from softsym.discovery import parallel
from softsym.discovery.fit_data import Shape
from softsym.discovery.models.network import make_network, make_regularizer, predict_members
from softsym.discovery.parallel import Session, Start, TrainJob, Weighted, one_thread, train_all, train_member
from softsym.errors import TrainingError
from softsym.groups import group
from softsym.limits import run_interruptible
from softsym.native import torch_only
from softsym.nn import MLP, ScaleCanonical, SoftMLP
from softsym.reps import rep
from softsym.training.devices import Devices
from tests.discovery.training_data import FAST, PLAIN, training_data

SHORT = PLAIN.model_copy(update={"epochs": 6, "strength": 30.0})
WILD = SHORT.model_copy(update={"lr": 1e12})


def same(one, other):
    """Whether two members are the same to the bit, except for the time they took."""
    states = zip(one.model.state_dict().items(), other.model.state_dict().items(), strict=True)
    rows = [[{**row, "seconds": 0} for row in member.history] for member in (one, other)]
    return (
        all(name == again and torch.equal(a, b) and a.dtype == b.dtype for (name, a), (again, b) in states)
        and rows[0] == rows[1]
        and (one.seed, one.strengths, one.is_finished) == (other.seed, other.strengths, other.is_finished)
    )


def make_jobs(folder=None, **changes):
    places = [None if folder is None else folder / f"seed-{seed}" for seed in range(3)]
    recipe = SHORT.model_copy(update=changes)
    return [TrainJob(recipe, seed, place) for seed, place in enumerate(places)]


def test_side_by_side_is_the_same_to_the_bit(tmp_path):
    rows_by_jobs = {1: [], 2: []}
    members = {}
    shape = training_data("O(3)", "O(2)@z").shape
    start = Start(make_network(shape, SHORT, 8).state_dict(), {"O(3)": 3.0, "O(2)@z": 4.0})
    for n_jobs, rows in rows_by_jobs.items():
        members[n_jobs] = train_all(
            training_data("O(3)", "O(2)@z"),
            [
                *make_jobs(tmp_path / str(n_jobs), width=64, layers=3),
                TrainJob(WILD, 9, may_diverge=True),
                TrainJob(SHORT, 8, start=start),
            ],
            n_jobs=n_jobs,
            on_epoch=lambda place, row, rows=rows: rows.append((place, row["epoch"], row["loss"])),
        )
    assert members[1][3] is members[2][3] is None
    assert all(same(one, other) for one, other in zip(members[1][:3], members[2][:3], strict=True))
    assert same(members[1][4], members[2][4])
    assert not same(members[1][0], members[1][1])
    assert sorted(rows_by_jobs[1]) == sorted(rows_by_jobs[2])
    for seed in range(3):
        assert (tmp_path / "2" / f"seed-{seed}" / "checkpoints" / "epoch-0000006").is_dir()


def test_stopping_ends_all_and_both_go_on_where_they_were(tmp_path):
    long = {"epochs": 200}  # so that a process is not done before it is stopped
    whole = train_all(training_data(), make_jobs(**long))
    for n_jobs in (2, 1):
        jobs = make_jobs(tmp_path / str(n_jobs), **long)
        stopped = train_all(training_data(), jobs, n_jobs=n_jobs, on_epoch=lambda place, row: row["epoch"] >= 2)
        assert not any(member.is_finished for member in stopped)
        assert len(stopped) == (1 if n_jobs == 1 else 3)
        resumed = train_all(training_data(), jobs, n_jobs=3 - n_jobs)
        assert all(same(one, other) for one, other in zip(whole, resumed, strict=True))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_training_that_fails_ends_all(n_jobs):
    jobs = [TrainJob(WILD, 0), *make_jobs()]
    with pytest.raises(TrainingError, match="the loss became"):
        train_all(training_data(), jobs, n_jobs=n_jobs)


def test_who_was_done_before_counts_as_done(tmp_path):
    train_all(training_data(), make_jobs(tmp_path))
    rows = []
    members = train_all(
        training_data(), make_jobs(tmp_path), on_epoch=lambda place, row: rows.append((place, row["epoch"]))
    )
    assert rows == [(0, 6), (1, 6), (2, 6)]
    assert all(member.is_finished for member in members)


def test_progress_is_added_up_and_every_epoch_asks_whether_to_stop(monkeypatch):
    shown = []
    monkeypatch.setattr(parallel, "reporter", lambda *args, **options: nullcontext(shown.append))
    Session().train(training_data(), make_jobs()[:2])
    assert [row["epoch"] for row in shown] == list(range(1, 13))
    shown.clear()
    with pytest.raises(KeyboardInterrupt):
        Session(stop=lambda: len(shown) > 2).train(training_data(), make_jobs()[:2])
    assert [row["epoch"] for row in shown] == [1, 2, 3]


def test_processes_do_without_compiled_code_where_it_is_switched_off():
    jobs = make_jobs(width=64, layers=3)[:2]
    with torch_only():
        one_by_one, parallel = (train_all(training_data(), jobs, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert all(same(one, other) for one, other in zip(one_by_one, parallel, strict=True))


QUICK = FAST.for_rows(40)


def trained(data, hyperparameters, seed, *, start=None, folder=None, on_epoch=lambda row: False):
    return train_member(data, TrainJob(hyperparameters, seed, folder, start), on_epoch)


def test_without_candidates_a_member_is_an_ordinary_network():
    ordinary = Shape.of(rep("3S"), rep("S"), [])
    assert isinstance(make_network(ordinary, SHORT, 0), MLP)
    assert make_regularizer(make_network(ordinary, SHORT, 0), ordinary, 1.0) is None
    soft = training_data().shape
    model = make_network(soft, SHORT, 0)
    assert isinstance(model, SoftMLP)
    assert make_regularizer(model, soft, 2.0).strengths == {"O(3)": 2.0}
    assert isinstance(make_network(soft.without_groups(), SHORT, 0), MLP)
    assert soft.without_groups().sizes == soft.sizes


def test_where_a_candidate_scales_inputs_are_brought_to_one_size():
    scaling = training_data("O(3)", "Scaling(3)")
    assert isinstance(make_network(scaling.shape, FAST, 0), ScaleCanonical)
    assert isinstance(make_network(scaling.shape, SHORT, 0), SoftMLP)  # models of before
    model = trained(scaling, QUICK, 0).model
    sizes = torch.linalg.norm(scaling.data.train[0], dim=1)
    assert float(model.usual_size) == pytest.approx(float(sizes.median()))


def test_a_training_goes_on_from_a_start():
    data = training_data()
    before = trained(data, QUICK, 0)
    still = QUICK.model_copy(update={"epochs": 1, "lr": 1e-12, "strengths": "fixed"})
    start = Start(before.model.state_dict(), {"O(3)": 7.0})
    after = trained(data, still, 3, start=start)
    assert after.strengths == {"O(3)": 7.0}
    x = torch.randn(5, 3, dtype=torch.float64)
    assert torch.allclose(after.model(x), before.model(x), atol=1e-5)


def test_strengths_are_read_from_data():
    data = training_data("O(3)", "O(2)@z")
    rows = trained(data, QUICK, 0).history
    assert [row["epoch"] for row in rows if "violations" in row] == [2, 3, 4, 5, 6]
    assert set(rows[-1]["violations"]) == {"O(3)", "O(2)@z"}


def test_a_training_can_be_made_again_and_ends_in_double_precision():
    one, same, other = (trained(training_data(), SHORT, seed) for seed in (0, 0, 1))
    x = torch.randn(5, 3, dtype=torch.float64)
    assert torch.equal(one.model(x), same.model(x))
    assert not torch.equal(one.model(x), other.model(x))
    assert [row["epoch"] for row in one.history] == [1, 2, 3, 4, 5, 6]
    assert one.is_finished
    assert not one.model.training


def test_stopped_and_resumed_equals_uninterrupted(tmp_path):
    data = training_data()
    whole = trained(data, SHORT, 0)
    part = trained(data, SHORT, 0, folder=tmp_path, on_epoch=lambda row: row["epoch"] == 3)
    assert not part.is_finished
    rest = trained(data, SHORT, 0, folder=tmp_path)
    assert rest.is_finished
    x = torch.randn(5, 3, dtype=torch.float64)
    assert torch.equal(rest.model(x), whole.model(x))
    assert not torch.equal(part.model(x), whole.model(x))


def test_the_number_of_threads_changes_nothing_and_stays():
    wide = SHORT.model_copy(update={"width": 64, "layers": 3, "epochs": 2})  # narrow ones hardly use threads
    before = torch.get_num_threads()
    states = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            states.append(trained(training_data(), wide, 0).model.state_dict())
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(*(state.values() for state in states), strict=True))
    with one_thread():
        assert torch.get_num_threads() == 1


def test_predictions_in_parts_are_those_of_the_whole():
    member = trained(training_data(), SHORT, 0)
    x = torch.randn(50, 3, dtype=torch.float64)
    outputs = predict_members([member, member], x, chunk=7)
    assert outputs.shape == (2, 50, 1)
    assert torch.allclose(outputs[0], member.model(x), atol=1e-14)


def test_a_member_is_trained_on_its_device(monkeypatch):
    asked = []

    def make(settings):
        asked.append(settings.accelerator)
        return Devices()

    monkeypatch.setattr("softsym.training.loop.make_devices", make)
    elsewhere = replace(training_data(), device="cuda")
    (member,) = train_all(elsewhere, [TrainJob(SHORT, 0)])
    assert asked == ["cuda"]
    assert next(member.model.parameters()).device.type == "cpu"


def test_the_largest_group_is_the_candidates_joined_unless_given():
    x, z = group("O(2)@x"), group("O(2)@z")
    shape = Shape.of(rep("2V + S"), rep("T(2)"), [x, z])
    assert shape.largest == x | z
    assert shape.sizes == (7, 9)
    assert Shape.from_dict(shape.to_dict()) == shape
    assert Shape.of(rep("V"), rep("S"), [z], group("O(3)")).largest == group("O(3)")


def test_weights_are_the_last_column():
    prediction, truth, weights = torch.randn(3, 6, 2).unbind(0)
    both = torch.cat([truth, weights[:, :1].abs()], dim=1)
    expected = (weights[:, 0].abs() * (prediction - truth).square().mean(1)).mean()
    assert torch.allclose(Weighted(torch.nn.functional.mse_loss)(prediction, both), expected)


def interrupt_soon(seconds=0.3):
    threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]).start()


def sleepy(stop):
    while True:  # it does not ask whether to stop
        time.sleep(0.05)


def computing(stop):
    matrix = np.random.default_rng(0).standard_normal((1500, 1500))
    while True:
        np.linalg.svd(matrix)  # seconds, of which Python sees nothing


def asking(stop):
    while not stop():
        time.sleep(0.01)
    return "kept"


@pytest.mark.parametrize("work", [sleepy, computing, asking])
def test_interrupts_are_obeyed_within_two_seconds(work):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let background jobs ignore it
    began = time.monotonic()
    interrupt_soon()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_interruptible(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 2.3


def test_errors_and_results_of_work_come_back():
    with pytest.raises(ZeroDivisionError):
        run_interruptible(lambda stop: 1 / 0)
    assert run_interruptible(lambda stop: stop()) is False
    inner = threading.Thread(target=lambda: results.append(run_interruptible(lambda stop: 3)))
    results = []
    inner.start()
    inner.join()
    assert results == [3]


ORPHANS = """
import os, sys, time
from joblib.externals.loky import get_reusable_executor
from softsym.discovery.parallel import _obey, end_processes
executor = get_reusable_executor(1, timeout=60, initializer=_obey, initargs=(os.getpid(),))
print(executor.submit(os.getpid).result(), flush=True)
executor.submit(time.sleep, 60)
time.sleep(0.2)
if sys.argv[1:] == ["end"]:
    end_processes()
    os._exit(130)
time.sleep(60)
"""


@pytest.mark.parametrize("ending", ["end", "kill"])
def test_processes_end_with_the_one_that_started_them(ending):
    """Once killed it left them for a minute; once interrupted it printed a line for every semaphore that they had shared."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", ORPHANS, ending], **pipes)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    if ending == "kill":
        process.kill()
    assert process.wait(30) == (130 if ending == "end" else -signal.SIGKILL)
    for _ in range(100):
        time.sleep(0.1)
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            break
    else:
        os.kill(worker, signal.SIGKILL)
        pytest.fail("it is left")
    err = process.communicate(timeout=30)[1]
    assert ending == "kill" or err == ""
