"""Models that learn from transformed samples."""

import pytest
import torch
from lab.tests.runs.small import TASK, train
from lab.tests.zoo.small import error_of, made

from softsym.datasets import task
from softsym.regularize import SamplePenalty


def test_batches_are_transformed_by_the_group_and_the_step_decides_how():
    inertia = task(TASK)
    x, y = (values.double() for values in inertia.sample(6, 0))
    hook = made("augment", group="O(2)@z").on_batch
    transformed, target = hook(x, y, 3)
    torch.testing.assert_close(inertia.target(transformed), target, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(transformed, x)
    assert torch.equal(transformed, hook(x, y, 3)[0])
    assert not torch.equal(transformed, hook(x, y, 4)[0])


def test_learning_from_transformed_samples_makes_a_network_more_equivariant():
    with_augmentation, without = (train(name, epochs=40, stop_after=40).model for name in ("augment", "mlp"))
    assert error_of(with_augmentation, "O(3)") < 0.8 * error_of(without, "O(3)")


def test_the_penalty_of_its_group_times_its_strength():
    x = task(TASK).sample(6, 0)[0]
    built = made("sample", group="O(2)@z", sample_strength=2.5)
    found = built.on_loss(built.model, x, built.model(x), 3)
    expected = SamplePenalty("5S + 5V", "T(2)", "O(2)@z", seed=0)(built.model, x, step=3)
    assert found.item() == pytest.approx(2.5 * expected.item(), rel=1e-6)
    assert not torch.equal(found, built.on_loss(built.model, x, built.model(x), 4))


def test_the_penalty_makes_a_network_more_equivariant():
    with_penalty, without = (train(name, epochs=40, stop_after=40).model for name in ("sample", "mlp"))
    assert error_of(with_penalty, "O(3)") < 0.8 * error_of(without, "O(3)")


def test_a_balanced_penalty_has_no_strength_of_its_own():
    built, x = made("balanced", group="O(2)@z", sample_strength=7.0), task(TASK).sample(6, 0)[0]
    expected = SamplePenalty("5S + 5V", "T(2)", "O(2)@z", seed=0)(built.model, x, step=2)
    assert built.balanced
    assert built.on_loss(built.model, x, built.model(x), 2).item() == pytest.approx(expected.item(), rel=1e-6)


@pytest.mark.parametrize("name", ["balanced", "jacobian"])
def test_these_make_a_network_more_equivariant_too(name):
    with_penalty, without = (train(each, epochs=40, stop_after=40).model for each in (name, "mlp"))
    assert error_of(with_penalty, "SO(3)") < 0.9 * error_of(without, "SO(3)")
