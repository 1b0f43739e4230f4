import pytest
import torch

from softsym.regularize import SamplePenalty
from softsym.tasks import task
from tests.training.small import TASK, train
from tests.training.zoo.small import error_of, made


def test_the_penalty_of_its_group_times_its_strength():
    x = task(TASK).sample(6, 0)[0]
    built = made("sample", group="O(2)@z", sample_strength=2.5)
    found = built.on_loss(built.model, x, built.model(x), 3)
    expected = SamplePenalty("5S + 5V", "T(2)", "O(2)@z", seed=0)(built.model, x, step=3)
    assert found.item() == pytest.approx(2.5 * expected.item(), rel=1e-6)
    assert not torch.equal(found, built.on_loss(built.model, x, built.model(x), 4))


def test_it_makes_a_network_more_equivariant():
    with_penalty, without = (train(name, epochs=40, stop_after=40).model for name in ("sample", "mlp"))
    assert error_of(with_penalty, "O(3)") < 0.8 * error_of(without, "O(3)")
