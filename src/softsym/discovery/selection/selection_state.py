"""A fit's ladder and blend as plain values and arrays, for files, and back. Networks are named; their weights are stored elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from softsym.discovery.fit.fitted import FittedEnsemble, Networks
from softsym.discovery.models.closed_form import Ladder
from softsym.discovery.models.ensemble import Blend, Part
from softsym.discovery.models.model_state import packed, unpacked
from softsym.discovery.models.protocol import NETWORK, Rung
from softsym.typing import Arrays

NAMED = "networks"


def pack_ladder(fit: FittedEnsemble, arrays: Arrays) -> dict[str, Any]:
    """What describes ladder and blend; their arrays are added to those given.

    Args:
        fit: The fit.
        arrays: Where arrays go, by name.
    """

    def put(rung: Rung, place: str) -> dict[str, Any]:
        if isinstance(rung, Networks):
            return {"kind": NAMED, "name": rung.name, "has": list(rung.has)}
        about, own = packed(rung)
        arrays.update({f"{place}/{name}": np.ascontiguousarray(array) for name, array in own.items()})
        return about

    judged = fit.ladder.process  # what verdicts and snapping need of the rungs that do not predict
    rungs = [judged] if judged is not None else list(fit.ladder.rungs[-1:])
    parts = () if fit.blend is None else fit.blend.parts
    return {
        "rungs": [put(rung, f"rung/{k}") for k, rung in enumerate(rungs)],
        "refused": fit.ladder.refused,
        "blend": [
            {
                "weight": part.weight,
                "early": put(part.early, f"early/{k}"),
                "final": put(part.final, f"final/{k}"),
            }
            for k, part in enumerate(parts)
        ],
    }


def unpack_ladder(fit: FittedEnsemble, about: dict[str, Any], arrays: Arrays) -> FittedEnsemble:
    """The fit with the ladder and the blend that were stored; models of before have none."""

    def get(described: dict[str, Any], place: str) -> Rung:
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
        return unpacked(described, own)

    rungs = tuple(get(described, f"rung/{k}") for k, described in enumerate(about.get("rungs", ())))
    parts = tuple(
        Part(
            described["weight"], get(described["early"], f"early/{k}"), get(described["final"], f"final/{k}")
        )
        for k, described in enumerate(about.get("blend", ()))
    )
    return replace(
        fit, ladder=Ladder(rungs, dict(about.get("refused", {}))), blend=Blend(parts) if parts else None
    )
