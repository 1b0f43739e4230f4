"""Closed-form models and stacked ensemble of a fit as plain values and arrays, and back. Weights of networks are stored elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from softsym.discovery.fit.fitted import FittedEnsemble, Networks
from softsym.discovery.models.closed_form import ClosedFormModels
from softsym.discovery.models.ensemble import StackedEnsemble, WeightedModel
from softsym.discovery.models.model_state import pack_model, unpack_model
from softsym.discovery.models.protocol import NETWORK, Model
from softsym.typing import Arrays

NAMED = "networks"
MODELS_KEY, MODEL_PREFIX = "rungs", "rung"  # what model files have


def pack_models(fit: FittedEnsemble, arrays: Arrays) -> dict[str, Any]:
    """Descriptions of closed-form models and ensemble; their arrays are added to those given.

    Args:
        fit: The fit.
        arrays: Where arrays go, by name.
    """

    def put(model: Model, place: str) -> dict[str, Any]:
        if isinstance(model, Networks):
            return {"kind": NAMED, "name": model.name, "has": list(model.exact_groups)}
        about, own = pack_model(model)
        arrays.update({f"{place}/{name}": np.ascontiguousarray(array) for name, array in own.items()})
        return about

    judged = fit.closed_form.gp_model  # verdicts and projection need this one only
    models = [judged] if judged is not None else list(fit.closed_form.models[-1:])
    parts = () if fit.ensemble is None else fit.ensemble.parts
    return {
        MODELS_KEY: [put(model, f"{MODEL_PREFIX}/{k}") for k, model in enumerate(models)],
        "refused": fit.closed_form.refused,
        "blend": [
            {
                "weight": part.weight,
                "early": put(part.train_fit, f"early/{k}"),
                "final": put(part.full_fit, f"final/{k}"),
            }
            for k, part in enumerate(parts)
        ],
    }


def unpack_models(fit: FittedEnsemble, about: dict[str, Any], arrays: Arrays) -> FittedEnsemble:
    """The fit with the stored closed-form models and ensemble; older models have none."""

    def get(described: dict[str, Any], place: str) -> Model:
        if described["kind"] == NAMED:
            predictor = fit.predictor if described["name"] == NETWORK else fit.ordinary
            if predictor is None:
                raise ValueError(f"its {described['name']} is missing")
            return Networks(described["name"], predictor, tuple(described["has"]))
        own = {
            name.removeprefix(f"{place}/"): array
            for name, array in arrays.items()
            if name.startswith(f"{place}/")
        }
        return unpack_model(described, own)

    models = tuple(
        get(described, f"{MODEL_PREFIX}/{k}") for k, described in enumerate(about.get(MODELS_KEY, ()))
    )
    parts = tuple(
        WeightedModel(
            described["weight"], get(described["early"], f"early/{k}"), get(described["final"], f"final/{k}")
        )
        for k, described in enumerate(about.get("blend", ()))
    )
    return replace(
        fit,
        closed_form=ClosedFormModels(models, dict(about.get("refused", {}))),
        ensemble=StackedEnsemble(parts) if parts else None,
    )
