"""Every number of a training, declared once with its meaning.

:class:`Numbers` are those of the steps, which the loop, a run's preset and an estimator's recipe share; :class:`SoftNumbers` adds those of
the network and of its strengths, which preset and recipe share; :class:`Settings` is what the loop is told. A number that is new in
``Numbers`` reaches all of them, can be set in a spec, and is not written where it has its default: files and the names of stored runs
stay what they were.
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


def _known_rule(name: str) -> str:
    if name not in CONTROLLERS:
        *most, last = map(repr, CONTROLLERS)
        raise ValueError(f"input should be {', '.join(most)} or {last}")
    return name


Batch = Annotated[PositiveInt, Field(description="Rows per step.")]
LearningRate = Annotated[PositiveFloat, Field(description="At the start; it decays along a cosine.")]
Width = Annotated[PositiveInt, Field(description="Size of the hidden layers.")]
Layers = Annotated[int, Field(ge=2, description="Number of linear layers.")]
Patience = Annotated[
    PositiveInt, Field(description="Epochs without a better model after which training stops.")
]


class Numbers(BaseModel):
    """The numbers of the steps: frozen, checked, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    FORMAT: ClassVar[tuple[str, ...]] = ()
    """The fields that files have had from the beginning, in their order; others are written only where they differ from their default."""

    lr: LearningRate
    weight_decay: NonNegativeFloat = Field(
        0.0,
        description="Times half the squared norm of weights and biases, in the loss; with penalties only.",
    )
    adam_eps: PositiveFloat = 1e-8
    optimizer: Literal["adam", "muon"] = Field(
        "adam", description="What moves the weights; `muon` moves matrices by Muon and the rest by Adam."
    )
    form: Literal["loss", "proximal"] = Field(
        "loss", description="Penalties as part of the loss, or as a step of their own after the optimizer's."
    )
    warm_up: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="Share of the steps in which the rate rises; it then changes at every step, without it at every epoch.",
    )
    shrink: NonNegativeFloat = Field(
        0.0,
        description="Decoupled decay: in every step all weights lose this share of themselves, times the rate.",
    )
    clip: NonNegativeFloat = Field(0.0, description="Largest norm of the whole gradient; 0 for no limit.")
    average: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="Weight of the past in an average of all weights, which is then what is validated and kept; 0 for none.",
    )

    @model_validator(mode="after")
    def _one_decay(self) -> Self:
        if self.weight_decay and (self.shrink or self.optimizer == "muon"):
            raise ValueError(
                "`weight_decay` is a part of the loss for Adam alone; with `shrink` or `muon` leave it at 0"
            )
        return self

    def of_steps(self) -> dict[str, Any]:
        """The numbers of the steps alone, for another vessel."""
        return {name: getattr(self, name) for name in Numbers.model_fields}

    @model_serializer(mode="wrap")
    def _written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        if not self.FORMAT:
            return values
        fields = type(self).model_fields
        first = {name: values[name] for name in self.FORMAT if name in values}
        later = {name: value for name, value in values.items() if name not in first}
        return first | {
            name: value for name, value in later.items() if getattr(self, name) != fields[name].default
        }


class SoftNumbers(Numbers):
    """Also the numbers of a network and of how the strengths of its penalties change."""

    width: Width
    layers: Layers = 4
    gamma: PositiveFloat = Field(
        2.0, description="How strongly differences of residuals count when strengths are adjusted."
    )
    strengths: Annotated[str, AfterValidator(_known_rule)] = Field(
        "one-shot", description="The rule by which strengths change, by name."
    )

    def rule(self, epochs: int, adjust_at: int, window: int) -> Controller:
        """The controller of the strengths."""
        return CONTROLLERS[self.strengths].from_schedule(Schedule(epochs, adjust_at, self.gamma, window))


FAST: dict[str, Any] = {
    "width": 216, "lr": 4e-2, "optimizer": "muon", "form": "proximal", "warm_up": 0.05, "shrink": 0.3, "average": 0.98,
    "strengths": "by-data", "gamma": 2.0,
}  # fmt: skip
"""How penalties are trained in a tenth of the published steps: numbers that presets and estimators share. Penalties begin at
:data:`FAST_STRENGTH`, from an equivariant start (:mod:`softsym.nn.linear`), with batches of about 250 rows. Found on the Inertia task with
O(2) about z, one seed; the width is the least that has two tensors of rank three, without which that task is not learned."""
FAST_STRENGTH = 10.0


class Settings(Numbers):
    """How a model is trained; what is trained, and on which data, is not its business."""

    epochs: PositiveInt
    batch: Batch
    patience: Patience = 50
    stop_after: int = Field(
        0, ge=0, description="Early stopping and the best model count only after this epoch."
    )
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
