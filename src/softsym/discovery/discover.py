"""The whole job on one table: fit, judge, and write report, table and model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from softsym.data.table import Table
from softsym.discovery.fit.study import Stop
from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.discovery.report.render import render
from softsym.discovery.workspace import Workspace

SCHEMA = 1


class StoppedError(Exception):
    """The discovery was stopped before it was done; what was learned is in the folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"stopped; what has been learned is in {folder}")
        self.folder = folder


def discover(
    table: Table,
    parameters: dict[str, Any],
    workspace: Workspace,
    *,
    title: str,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Fits an estimator on a table and writes ``report.html``, ``symmetries.json`` and ``model/``.

    Args:
        table: Inputs and outputs.
        parameters: Of the estimator.
        workspace: Where to work and where results go.
        title: What the data are called.
        stop: Asked after every epoch; True stops.

    Returns:
        The content of ``symmetries.json``.

    Raises:
        StoppedError: It was stopped; calling again with a resuming workspace goes on.
    """
    import polars

    assert table.Y is not None
    est = SoftEquivariantRegressor(**parameters)
    est.plan(table.X, table.Y)
    folder = workspace.open({**parameters, "verbose": None, "data": _digest(table)})
    X = polars.DataFrame(table.X, schema=list(table.x_names))
    Y = polars.DataFrame(table.Y, schema=list(table.y_names))
    est.fit_in(folder / "members", X, Y, stop=stop)
    if not all(member.is_finished for member in est.fit_.members):
        est.save(folder / "model", force=True)
        raise StoppedError(folder)
    result = summary(est)

    def write(target: Path) -> None:
        page = render(est.story(title, {"data": table.source}))
        (target / "report.html").write_text(page, encoding="utf-8")
        (target / "symmetries.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        est.save(target / "model")

    workspace.finish(write)
    return result


def summary(est: SoftEquivariantRegressor) -> dict[str, Any]:
    """What was found, for programs."""
    fit = est.fit_
    return {
        "schema": SCHEMA,
        "rep_in": str(fit.shape.rep_in),
        "rep_out": str(fit.shape.rep_out),
        "seeds": len(fit.members),
        "seconds": round(fit.seconds, 2),
        "rows": {"train": fit.n_train, "held_out": len(fit.held.X)},
        "test_mse": fit.test_error(),
        "explained": fit.explained(),
        "groups": est.symmetries_.to_dicts(),
    }


def _digest(table: Table) -> str:
    found = hashlib.blake2b(table.X.tobytes(), digest_size=16)
    if table.Y is not None:
        found.update(table.Y.tobytes())
    return found.hexdigest()
