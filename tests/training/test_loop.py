"""The loop and its objective: deterministic and resumable."""

import itertools

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.datasets import task
from softsym.errors import CheckpointWarning, InputError, TrainingError
from softsym.regularize.strengths import ByData, Fixed
from softsym.training import TrainingConfig, fit
from softsym.training.history import read_history
from softsym.training.loop import Objective, evaluate
from tests.training.small import TASK, build, train, weights


class Killed(BaseException):
    """Like a signal: nobody catches it."""


@pytest.mark.parametrize("model", ["per", "mlp"])
def test_every_trained_model_learns_something(model):
    fitted = train(model, epochs=15)
    assert fitted.history[-1]["loss"] < fitted.history[0]["loss"]


def test_same_seed_same_bits_other_seed_other_weights():
    first, second, other = train(seed=1), train(seed=1), train(seed=2)
    assert torch.equal(weights(first.model), weights(second.model))
    assert not torch.equal(weights(first.model), weights(other.model))


@pytest.mark.parametrize(
    ("model", "stop"), [("per", 1), ("per", 4), ("per", 7), ("per", 11), ("augment", 5), ("sample", 8)]
)
def test_a_resumed_run_ends_in_exactly_the_same_weights(tmp_path, model, stop):
    whole = train(model, epochs=12)

    def kill(row):
        if row["epoch"] == stop:
            raise Killed

    with pytest.raises(Killed):
        train(model, epochs=12, folder=tmp_path, on_epoch=kill)
    resumed = train(model, epochs=12, folder=tmp_path, resume=True)
    assert torch.equal(weights(whole.model), weights(resumed.model))
    assert resumed.strengths == whole.strengths
    rows = read_history(tmp_path / "history.jsonl")
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
    def order(seed, epochs):
        (model, _), batches = build("mlp"), []
        config = TrainingConfig(epochs=epochs, batch=60, lr=1e-2, seed=seed)
        fit(model, data, config, on_batch=lambda x, y, step: batches.append(x) or (x, y))
        return batches[-1]

    data = task(TASK).splits(0, (60, 40, 40))
    orders = [order(seed, epochs) for seed, epochs in ((0, 1), (0, 1), (0, 2), (1, 1))]
    assert torch.equal(orders[0], orders[1])
    assert not torch.equal(orders[0], orders[2])
    assert not torch.equal(orders[0], orders[3])


FAST = {"optimizer": "muon", "form": "proximal", "warm_up": 0.1, "shrink": 0.3, "average": 0.9, "clip": 1.0}


def by_data(epochs):
    def violations(model, seed):
        return {group.name: 0.5 + 10 * k + 0.01 * seed for k, group in enumerate(task(TASK).groups)}

    return {"controller": ByData(epochs), "violations": violations, **FAST}


@pytest.mark.parametrize("stop", [2, 5, 10])
def test_a_resumed_fast_run_ends_in_exactly_the_same_weights(tmp_path, stop):
    whole = train(epochs=12, **by_data(12))

    def kill(row):
        if row["epoch"] == stop:
            raise Killed

    with pytest.raises(Killed):
        train(epochs=12, folder=tmp_path, on_epoch=kill, **by_data(12))
    resumed = train(epochs=12, folder=tmp_path, resume=True, **by_data(12))
    assert torch.equal(weights(whole.model), weights(resumed.model))
    assert resumed.strengths == whole.strengths
    assert whole.strengths["O(2)@x"] > whole.strengths["O(2)@y"] > whole.strengths["O(2)@z"]


def test_the_proximal_form_leaves_the_penalty_out_of_the_loss_and_pulls_all_the_same():
    free = train(epochs=6, form="proximal", average=0.0, optimizer="muon", controller=Fixed(), strength=0.0)
    held = train(epochs=6, form="proximal", average=0.0, optimizer="muon", controller=Fixed(), strength=1e6)
    last = [fitted.history[-1]["residuals"]["O(2)@x"] for fitted in (free, held)]
    assert last[1] < 1e-3 * last[0]


def test_who_looks_at_an_epoch_sees_the_weights_that_would_be_kept():
    (model, _), data = build("mlp"), task(TASK).splits(0, (60, 40, 40))
    seen = []
    settings = TrainingConfig(epochs=3, batch=20, lr=1e-2, average=0.9, validate_every=1)
    fitted = fit(model, data, settings, on_epoch=lambda _: seen.append(evaluate(model, *data.val)))
    assert seen == [row["validation"] for row in fitted.history]


def test_a_rule_that_reads_data_needs_violations():
    with pytest.raises(InputError, match="ByData reads what a model does on data; pass `violations`"):
        train(epochs=4, controller=ByData(4))


def test_a_clipped_gradient_is_no_longer_than_allowed(monkeypatch):
    lengths = []
    clip = torch.nn.utils.clip_grad_norm_

    def spy(parameters, most):
        parameters = list(parameters)
        clip(parameters, most)
        lengths.append(float(torch.cat([p.grad.reshape(-1) for p in parameters if p.grad is not None]).norm()))

    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", spy)
    train(epochs=1, clip=1e-3)
    assert lengths
    assert max(lengths) < 1.01e-3


@pytest.mark.parametrize("damaged", ["history.jsonl", "checkpoints/epoch-0000006/state.json"])
def test_damage_means_the_checkpoint_before_and_the_same_weights(tmp_path, damaged):
    whole = train(epochs=12, checkpoint_every=3)

    def kill(row):
        if row["epoch"] == 8:
            raise Killed

    with pytest.raises(Killed):
        train(epochs=12, checkpoint_every=3, folder=tmp_path, on_epoch=kill)
    file = tmp_path / damaged
    lines = file.read_text().splitlines()
    lines[-4 if len(lines) > 4 else 0] = lines[-1].replace("1", "2")
    file.write_text("\n".join(lines))
    with pytest.warns(CheckpointWarning, match="epoch-0000006 is damaged .* using the one before"):
        resumed = train(epochs=12, checkpoint_every=3, folder=tmp_path, resume=True)
    assert torch.equal(weights(whole.model), weights(resumed.model))
    assert [row["epoch"] for row in read_history(tmp_path / "history.jsonl")] == list(range(1, resumed.epochs + 1))


def batch():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(5, 6, generator=generator), torch.randn(5, 3, generator=generator)


def test_the_task_alone():
    x, y = batch()
    net = nn.Linear(6, 3)
    whole, task = Objective(net)(net, x, y, 0)
    assert whole is task
    assert task.item() == pytest.approx(float((net(x) - y).square().mean().detach()))


def test_prior_regularizer_and_hook_add_to_the_whole_but_not_to_the_task():
    x, y = batch()
    net = ss.nn.RPP("2V", "V", "O(3)", width=12, layers=2)
    task = float((net(x) - y).square().mean().detach())
    assert Objective(net)(net, x, y, 0).whole.item() == pytest.approx(task + net.prior().item())
    soft = ss.nn.SoftMLP("2V", "V", ["O(3)"], width=12, layers=2)
    per = ss.EquivarianceRegularizer(soft, ["O(3)"], strength=3.0)
    seen = []

    def add(model, inputs, prediction, step):
        seen.append((model, inputs, prediction.shape, step))
        return prediction.new_tensor(7.0)

    losses = Objective(soft, per, on_loss=add)(soft, x, y, 11)
    assert losses.whole.item() == pytest.approx(losses.task.item() + 7.0 + soft.prior().item() + per().item(), rel=1e-6)
    assert seen == [(soft, x, (5, 3), 11)]


def test_a_batch_is_changed_before_the_model_sees_it():
    x, y = batch()
    net = nn.Linear(6, 3)
    whole, _ = Objective(net, on_batch=lambda x, y, step: (step * x, -y))(net, x, y, 2)
    assert whole.item() == pytest.approx(float((net(2 * x) + y).square().mean().detach()))


def test_a_module_whose_prior_is_something_else():
    x, y = batch()
    net = nn.Linear(6, 3)
    net.prior = torch.distributions.Normal(0.0, 1.0)
    assert Objective(net)(net, x, y, 0).whole.item() > 0


def test_another_criterion():
    x, y = batch()
    net = nn.Linear(6, 3)
    losses = Objective(net, criterion=nn.functional.l1_loss)(net, x, y, 0)
    assert losses.task.item() == pytest.approx(float((net(x) - y).abs().mean().detach()))


def test_what_is_balanced_is_as_large_as_the_task_and_pulls_its_own_way():
    x, y = batch()
    net = nn.Linear(6, 3)
    losses = Objective(net, on_loss=lambda model, x, prediction, step: 1e-3 * prediction.square().sum(), balanced=True)(
        net, x, y, 0
    )
    assert losses.whole.item() == pytest.approx(2 * losses.task.item(), rel=1e-6)
    (added,) = torch.autograd.grad(losses.whole - losses.task, net.bias)
    expected = 2 * net(x).sum(0) * losses.task / net(x).square().sum()
    torch.testing.assert_close(added, expected.detach())
    nothing = Objective(net, on_loss=lambda model, x, prediction, step: 0 * prediction.sum(), balanced=True)(
        net, x, y, 0
    )
    assert nothing.whole.item() == nothing.task.item()
