"""Several trainings: the same to the bit however many processes there are, and stopped all together."""

import pytest
import torch

from softsym.discovery.fit.member import Start, make_network
from softsym.discovery.fit.parallel import ProgressCallback, TrainJob, processes, train_all
from softsym.errors import InputError, TrainingError
from softsym.native import torch_only
from tests.discovery.fit.training_data import RECIPE, training_data

SHORT = RECIPE.model_copy(update={"epochs": 6, "strength": 30.0})
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
                TrainJob(WILD, 9),
                TrainJob(SHORT, 8, start=start),
            ],
            n_jobs=n_jobs,
            on_epoch=lambda place, row, rows=rows: rows.append((place, row["epoch"], row["loss"])),
            may_diverge=True,
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
        stopped = train_all(
            training_data(), jobs, n_jobs=n_jobs, on_epoch=lambda place, row: row["epoch"] >= 2
        )
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


def test_a_watch_adds_up_and_asks():
    shown = []
    watch = ProgressCallback(shown.append, 2, stop=lambda: len(shown) > 2)
    assert [watch(place, {"epoch": epoch, "loss": 0.1}) for place, epoch in ((0, 1), (1, 1), (0, 2))] == [
        False,
        False,
        True,
    ]
    assert [row["epoch"] for row in shown] == [1, 2, 3]
    assert ProgressCallback(shown.append, 1, stop=None)(0, {"epoch": 1}) is False


def test_jobs_are_counted_as_scikit_learn_counts_them():
    assert processes(None) == 1
    assert processes(5) == 5
    assert processes(-1) >= 1
    for wrong in (0, 1.5, "two", True):
        with pytest.raises(InputError, match="`n_jobs` must be a whole number other than 0"):
            processes(wrong)


def test_processes_do_without_compiled_code_where_it_is_switched_off():
    jobs = make_jobs(width=64, layers=3)[:2]
    with torch_only():
        one_by_one, parallel = (train_all(training_data(), jobs, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert all(same(one, other) for one, other in zip(one_by_one, parallel, strict=True))
