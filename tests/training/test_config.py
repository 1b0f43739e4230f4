"""Numbers are declared once, checked, and written as they always were."""

from typing import ClassVar

import pytest
from pydantic import Field, ValidationError

from softsym.discovery.config import Hyperparameters as Recipe
from softsym.regularize.strengths import Continuous, OneShot
from softsym.training.config import NetworkHyperparameters, StepConfig, TrainingConfig


def test_settings_are_checked_and_frozen():
    settings = TrainingConfig(epochs=3, batch=2, lr=0.1)
    for change in ({"epoch": 3}, {"lr": 0}, {"batch": 0}, {"adam_eps": -1.0}, {"weight_decay": float("nan")}):
        with pytest.raises(ValidationError):
            TrainingConfig.model_validate({**dict(settings), **change})
    with pytest.raises(ValidationError, match="frozen"):
        settings.lr = 1.0


@pytest.mark.parametrize("config", [TrainingConfig, Recipe])
def test_a_number_of_the_steps_means_the_same_everywhere(config):
    for name, declared in StepConfig.model_fields.items():
        found = config.model_fields[name]
        assert (found.annotation, found.metadata) == (declared.annotation, declared.metadata)
        assert found.description == declared.description
    assert issubclass(config, StepConfig)


def test_the_numbers_of_the_steps_go_on_as_they_are():
    recipe = Recipe(lr=0.5, weight_decay=0.25, adam_eps=1e-4, epochs=9, batch=3)
    steps = recipe.step_values()
    assert (steps["lr"], steps["weight_decay"], steps["adam_eps"]) == (0.5, 0.25, 1e-4)
    assert (steps["optimizer"], steps["form"], steps["average"]) == ("adam", "loss", 0.0)
    settings = recipe.settings(0, has_groups=True)
    assert settings.step_values() == recipe.step_values()


class Later(NetworkHyperparameters):
    """A format that had two fields; `late` came later."""

    FORMAT: ClassVar[tuple[str, ...]] = ("width", "lr")
    late: float = Field(1.0)


def test_later_fields_are_written_only_where_they_differ():
    usual = Later(lr=0.1, width=8)
    assert list(usual.model_dump().items()) == [("width", 8), ("lr", 0.1)]
    assert usual.model_dump_json() == '{"width":8,"lr":0.1}'
    other = Later(lr=0.1, width=8, late=2.0, strengths="fixed")
    assert other.model_dump() == {"width": 8, "lr": 0.1, "strengths": "fixed", "late": 2.0}
    for numbers in (usual, other):
        assert Later.model_validate(numbers.model_dump()) == numbers


def test_a_recipe_is_written_as_before():
    assert Recipe().model_dump_json() == (
        '{"width":64,"layers":4,"epochs":null,"batch":null,"lr":0.003,"weight_decay":0.0,"strength":null,"gamma":2.0,'
        '"strengths":"one-shot"}'
    )


def test_the_rule_is_found_by_its_name():
    numbers = NetworkHyperparameters(lr=0.1, width=8, gamma=3.0)
    once = numbers.make_controller(epochs=90, adjust_at=30, window=5)
    assert isinstance(once, OneShot)
    assert (once.at_epoch, once.gamma, once.window) == (30, 3.0, 5)
    assert isinstance(numbers.model_copy(update={"strengths": "continuous"}).make_controller(90, 30, 5), Continuous)
    with pytest.raises(ValidationError, match="input should be 'one-shot', 'continuous', 'by-data' or 'fixed'"):
        NetworkHyperparameters(lr=0.1, width=8, strengths="two-shot")


@pytest.mark.parametrize("other", [{"shrink": 0.1}, {"optimizer": "muon"}])
def test_there_is_one_kind_of_decay(other):
    with pytest.raises(ValidationError, match="`weight_decay` is a part of the loss for Adam alone"):
        TrainingConfig(lr=0.1, epochs=1, batch=1, weight_decay=0.1, **other)


def test_whether_patience_could_run_out_before_the_schedule_does():
    numbers = {"lr": 0.1, "epochs": 150, "batch": 1, "stop_after": 100}
    assert TrainingConfig(**numbers, patience=49).can_stop_early
    assert not TrainingConfig(**numbers, patience=50).can_stop_early
