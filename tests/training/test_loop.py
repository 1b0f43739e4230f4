"""The loop: deterministic, resumable, and honest about what it does."""

import itertools
import math

import pytest
import torch

from softsym.errors import InputError, TrainingError
from softsym.tasks import task
from softsym.training.history import History, read
from softsym.training.loop import epoch_generator, evaluate
from softsym.training.spec import chosen_preset
from softsym.training.stopping import EarlyStopping
from tests.training.small import train, weights


class Killed(BaseException):
    """Like a signal: nobody catches it."""


@pytest.mark.parametrize("model", ["mlp", "emlp", "rpp", "mixed", "per", "fa"])
def test_every_model_learns_something(model):
    fitted = train(model, epochs=15)
    assert fitted.history[-1]["loss"] < fitted.history[0]["loss"]


def test_same_seed_same_bits_other_seed_other_weights():
    first, second, other = train(seed=1), train(seed=1), train(seed=2)
    assert torch.equal(weights(first.model), weights(second.model))
    assert not torch.equal(weights(first.model), weights(other.model))


@pytest.mark.parametrize("stop", [1, 4, 7, 11])
def test_a_resumed_run_ends_in_exactly_the_same_weights(tmp_path, stop):
    whole = train(epochs=12)

    def kill(row):
        if row["epoch"] == stop:
            raise Killed

    with pytest.raises(Killed):
        train(epochs=12, folder=tmp_path, on_epoch=kill)
    resumed = train(epochs=12, folder=tmp_path, resume=True)
    assert torch.equal(weights(whole.model), weights(resumed.model))
    assert resumed.strengths == whole.strengths
    rows = read(tmp_path / "history.jsonl")
    assert [row["epoch"] for row in rows] == list(range(1, resumed.epochs + 1))
    assert [row["loss"] for row in rows] == [row["loss"] for row in whole.history]


def test_strengths_change_once_and_are_in_the_history():
    rows = train(epochs=8).history
    assert len({tuple(row["strengths"].values()) for row in rows[:2]}) == 1
    assert rows[2]["strengths"] == rows[-1]["strengths"]
    assert rows[2]["strengths"] != rows[0]["strengths"]


def test_a_loss_that_is_not_finite_stops_with_a_clear_message(tmp_path):
    with pytest.raises(
        TrainingError, match=r"the loss became (nan|inf) in epoch \d+; the last good checkpoint is kept"
    ):
        train(epochs=50, lr=1e6, folder=tmp_path, checkpoint_every=1)


def test_learning_rate_follows_a_cosine_and_time_moves_on():
    rows = train(epochs=10).history
    assert rows[0]["lr"] == pytest.approx(1e-2)
    assert rows[5]["lr"] == pytest.approx(0.5e-2)
    assert all(a["seconds"] < b["seconds"] for a, b in itertools.pairwise(rows))


def test_evaluate_by_hand():
    model = torch.nn.Linear(2, 1, bias=False)
    model.weight.data = torch.tensor([[1.0, 2.0]])
    x, y = torch.tensor([[1.0, 1.0], [0.0, 1.0]]), torch.tensor([[1.0], [1.0]])
    assert evaluate(model, x, y, chunk=1) == pytest.approx(((3 - 1) ** 2 + (2 - 1) ** 2) / 2)


def test_epoch_orders_differ_and_repeat():
    orders = [
        torch.randperm(50, generator=epoch_generator(seed, epoch))
        for seed, epoch in ((0, 1), (0, 1), (0, 2), (1, 1))
    ]
    assert torch.equal(orders[0], orders[1])
    assert not torch.equal(orders[0], orders[2])
    assert not torch.equal(orders[0], orders[3])


def test_early_stopping_counts_only_after_its_epoch():
    stopping = EarlyStopping(patience=3, after=10)
    assert not stopping.improves(0.1, 10)
    assert not stopping.is_over(10)
    assert stopping.improves(1.0, 11)
    assert not stopping.improves(1.0, 12)
    assert not stopping.is_over(13)
    assert stopping.is_over(14)
    copy = EarlyStopping(patience=3, after=10)
    copy.load_state_dict(stopping.state_dict())
    assert (copy.best, copy.best_epoch) == (1.0, 11)
    assert not EarlyStopping(3, 10, enabled=False).is_over(100)
    assert EarlyStopping(3, 10).state_dict()["best"] is None
    assert math.isinf(EarlyStopping(3, 10).best)


def test_history_survives_a_cut_last_line(tmp_path):
    history = History(tmp_path / "h.jsonl")
    for epoch in (1, 2, 3):
        history.append({"epoch": epoch})
    with (tmp_path / "h.jsonl").open("a") as file:
        file.write('{"epoch": 4, "lo')
    fresh = History(tmp_path / "h.jsonl")
    fresh.restart(2)
    assert [row["epoch"] for row in read(tmp_path / "h.jsonl")] == [1, 2]
    assert fresh.rows == [{"epoch": 1}, {"epoch": 2}]


def test_presets_with_changes():
    numbers = chosen_preset("inertia:Oz(2)", "paper", epochs=80, width=96)
    assert (numbers.max_epochs, numbers.adjust_at, numbers.width, numbers.rpp_width) == (80, 20, 96, 68)
    with pytest.raises(InputError, match="early stopping counts from twice"):
        chosen_preset("inertia:Oz(2)", "paper", epochs=2)


def test_the_test_error_is_that_of_the_task():
    data = task("inertia:Oz(2)").splits(0, (5, 5, 5))
    x, y = data.test
    assert float(data.error(y + 1.0, y)) == pytest.approx(1.0, rel=1e-5)
    assert x.dtype == torch.float32
