"""The numbers of one training run: frozen, checked, without unknown keys."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat, PositiveInt


class Settings(BaseModel):
    """How a model is trained; what is trained, and on which data, is not its business."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    epochs: PositiveInt
    batch: PositiveInt
    lr: PositiveFloat
    weight_decay: NonNegativeFloat = 0.0
    adam_eps: PositiveFloat = 1e-8
    patience: PositiveInt = 50
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
