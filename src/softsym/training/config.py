"""Hyperparameters of training, each declared once with its meaning.

:class:`StepConfig` has those of a step, which all others share; :class:`NetworkHyperparameters` adds those of a network and of its
strengths, for the presets of experiments and for estimators; :class:`TrainingConfig` is what the loop takes. A new field of
``StepConfig`` reaches all of them and is not written to files where it has its default, so files and names of stored runs stay valid.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from softsym.regularize.strengths import CONTROLLERS, Controller, Schedule


def _check_controller(name: str) -> str:
    if name not in CONTROLLERS:
        *most, last = map(repr, CONTROLLERS)
        raise ValueError(f"input should be {', '.join(most)} or {last}")
    return name


Batch = Annotated[PositiveInt, Field(description="Rows per step.")]
LearningRate = Annotated[PositiveFloat, Field(description="At the start; it decays along a cosine.")]
Share = Annotated[float, Field(ge=0, lt=1)]
Width = Annotated[PositiveInt, Field(description="Size of the hidden layers.")]
Layers = Annotated[int, Field(ge=2, description="Number of linear layers.")]
Patience = Annotated[PositiveInt, Field(description="Epochs without a better model after which training stops.")]


class StepConfig(BaseModel):
    """Hyperparameters of a step: frozen, checked, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    FORMAT: ClassVar[tuple[str, ...]] = ()
    """Fields that are always written, in this order; others only where they differ from their default."""

    lr: LearningRate
    weight_decay: NonNegativeFloat = Field(
        0.0, description="Times half the squared norm of weights and biases, in the loss; with penalties only."
    )
    adam_eps: PositiveFloat = 1e-8
    optimizer: Literal["adam", "muon"] = Field("adam", description="`muon` is Muon for matrices, Adam for the rest.")
    form: Literal["loss", "proximal"] = Field(
        "loss", description="Penalties as part of the loss, or as a step of their own after the optimizer's."
    )
    warm_up: Share = Field(
        0.0,
        description="Share of the steps in which the learning rate rises; with it the rate changes every step, without it every epoch.",
    )
    shrink: NonNegativeFloat = Field(
        0.0,
        description="Decoupled weight decay: in every step all weights lose this share of themselves, times the learning rate.",
    )
    clip: NonNegativeFloat = Field(0.0, description="Largest norm of the whole gradient; 0 for no limit.")
    average: Share = Field(
        0.0, description="Decay of an exponential average of all weights, which is then validated and kept; 0 for none."
    )

    @model_validator(mode="after")
    def _one_decay(self) -> Self:
        if self.weight_decay and (self.shrink or self.optimizer == "muon"):
            raise ValueError(
                "`weight_decay` is a part of the loss for Adam alone; with `shrink` or `muon` leave it at 0"
            )
        return self

    def step_values(self) -> dict[str, Any]:
        """The fields of :class:`StepConfig` alone, for another configuration."""
        return {name: getattr(self, name) for name in StepConfig.model_fields}

    @model_serializer(mode="wrap")
    def _serialize(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        if not self.FORMAT:
            return values
        fields = type(self).model_fields
        first = {name: values[name] for name in self.FORMAT if name in values}
        later = {name: value for name, value in values.items() if name not in first}
        return first | {name: value for name, value in later.items() if getattr(self, name) != fields[name].default}


class NetworkHyperparameters(StepConfig):
    """Hyperparameters of a step, of a network, and of how the strengths of its penalties change."""

    width: Width
    layers: Layers = 4
    gamma: PositiveFloat = Field(2.0, description="How strongly ratios of residuals count when strengths are adjusted.")
    strengths: Annotated[str, AfterValidator(_check_controller)] = Field(
        "one-shot", description="Name of the controller of the strengths."
    )

    def make_controller(self, epochs: int, adjust_at: int, window: int) -> Controller:
        """The controller of the strengths."""
        return CONTROLLERS[self.strengths].from_schedule(Schedule(epochs, adjust_at, self.gamma, window))


FAST: dict[str, Any] = {
    "width": 216,
    "lr": 4e-2,
    "optimizer": "muon",
    "form": "proximal",
    "warm_up": 0.05,
    "shrink": 0.3,
    "average": 0.98,
    "strengths": "by-data",
    "gamma": 2.0,
}
"""Hyperparameters for a tenth of the published steps, shared by presets and estimators, with initial strengths of
:data:`FAST_STRENGTH`, equivariant initial weights and batches of about 250 rows. Found on the Inertia task with O(2) about z, one seed;
the width is the smallest whose hidden representation has two tensors of rank three, which that task needs."""
FAST_STRENGTH = 10.0


class TrainingConfig(StepConfig):
    """How a model is trained, apart from the model and the data."""

    epochs: PositiveInt
    batch: Batch
    patience: Patience = 50
    stop_after: int = Field(0, ge=0, description="Early stopping and the best model count only after this epoch.")
    early_stopping: bool = True
    seed: int = Field(0, ge=0)
    validate_every: PositiveInt = Field(10, description="Period of validation before early stopping counts.")
    measure_every: int = Field(0, ge=0, description="Period of model equivariance errors; 0 for never.")
    checkpoint_every: PositiveInt = Field(50, description="Epochs between checkpoints.")
    precision: Literal["32-true", "64-true", "bf16-mixed"] = "32-true"
    devices: PositiveInt = 1
    accelerator: str = "cpu"

    @property
    def can_stop_early(self) -> bool:
        """Whether patience could run out before the schedule does."""
        return self.stop_after + self.patience < self.epochs
