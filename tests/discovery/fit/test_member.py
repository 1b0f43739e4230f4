"""One member: what it is made of, how it is trained, that it stops and goes on."""

from dataclasses import replace

import pytest
import torch

from softsym.discovery.fit.member import (
    Shape,
    Start,
    make_network,
    make_regularizer,
    one_thread,
    predict_members,
    train_member,
)
from softsym.discovery.fit.parallel import TrainJob, train_all
from softsym.groups import group
from softsym.nn import MLP, ScaleCanonical, SoftMLP
from softsym.reps import rep
from softsym.training.devices import SingleProcess
from tests.discovery.fit.training_data import FAST, RECIPE, training_data

SHORT = RECIPE.model_copy(update={"epochs": 6, "strength": 30.0})
QUICK = FAST.for_rows(40)


def test_the_largest_group_is_the_candidates_joined_unless_given():
    x, z = group("O(2)@x"), group("O(2)@z")
    shape = Shape.of(rep("2V + S"), rep("T(2)"), [x, z])
    assert shape.largest == x | z
    assert shape.sizes == (7, 9)
    assert Shape.of(rep("V"), rep("S"), [z], group("O(3)")).largest == group("O(3)")
    assert Shape.of(rep("3S"), rep("S"), []).sizes == (3, 1)


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
    model = train_member(scaling.shape, QUICK, scaling.data, 0).model
    sizes = torch.linalg.norm(scaling.data.train[0], dim=1)
    assert float(model.usual_size) == pytest.approx(float(sizes.median()))


def test_a_training_goes_on_from_a_start():
    shape, data = training_data().shape, training_data().data
    before = train_member(shape, QUICK, data, 0)
    still = QUICK.model_copy(update={"epochs": 1, "lr": 1e-12, "strengths": "fixed"})
    start = Start(before.model.state_dict(), {"O(3)": 7.0})
    after = train_member(shape, still, data, 3, start=start)
    assert after.strengths == {"O(3)": 7.0}
    x = torch.randn(5, 3, dtype=torch.float64)
    assert torch.allclose(after.model(x), before.model(x), atol=1e-5)


def test_strengths_are_read_from_data():
    shape, data = training_data("O(3)", "O(2)@z").shape, training_data().data
    rows = train_member(shape, QUICK, data, 0).history
    assert [row["epoch"] for row in rows if "violations" in row] == [2, 3, 4, 5, 6]
    assert set(rows[-1]["violations"]) == {"O(3)", "O(2)@z"}


def test_a_training_can_be_made_again_and_ends_in_double_precision():
    one, same, other = (
        train_member(training_data().shape, SHORT, training_data().data, seed) for seed in (0, 0, 1)
    )
    x = torch.randn(5, 3, dtype=torch.float64)
    assert torch.equal(one.model(x), same.model(x))
    assert not torch.equal(one.model(x), other.model(x))
    assert [row["epoch"] for row in one.history] == [1, 2, 3, 4, 5, 6]
    assert one.is_finished
    assert not one.model.training


def test_stopped_and_resumed_equals_uninterrupted(tmp_path):
    shape, data = training_data().shape, training_data().data
    whole = train_member(shape, SHORT, data, 0)
    part = train_member(shape, SHORT, data, 0, folder=tmp_path, on_epoch=lambda row: row["epoch"] == 3)
    assert not part.is_finished
    rest = train_member(shape, SHORT, data, 0, folder=tmp_path)
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
            states.append(
                train_member(training_data().shape, wide, training_data().data, 0).model.state_dict()
            )
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(*(state.values() for state in states), strict=True))
    with one_thread():
        assert torch.get_num_threads() == 1


def test_predictions_in_parts_are_those_of_the_whole():
    member = train_member(training_data().shape, SHORT, training_data().data, 0)
    x = torch.randn(50, 3, dtype=torch.float64)
    outputs = predict_members([member, member], x, chunk=7)
    assert outputs.shape == (2, 50, 1)
    assert torch.allclose(outputs[0], member.model(x), atol=1e-14)


def test_a_member_is_trained_on_its_device(monkeypatch):
    asked = []

    def make(settings):
        asked.append(settings.accelerator)
        return SingleProcess()

    monkeypatch.setattr("softsym.training.loop.make_devices", make)
    elsewhere = replace(training_data(), device="cuda")
    (member,) = train_all(elsewhere, [TrainJob(SHORT, 0)])
    assert asked == ["cuda"]
    assert next(member.model.parameters()).device.type == "cpu"
