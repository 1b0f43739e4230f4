"""A discovery on one table: fit, verdicts, and the files of report, table and model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softsym.data.table import Table
from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.parallel import Executor, Stop
from softsym.discovery.judge.symmetries import Symmetries
from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.discovery.report.render import render
from softsym.discovery.workspace import Workspace
from softsym.inference import EvidenceTable
from softsym.io import digest, dump_with_checksum

SCHEMA = 2
REPORT = "report.html"
IRRELEVANT = ("verbose", "n_jobs")
"""Parameters that do not change a result: a stopped discovery may continue with others."""


class StoppedError(Exception):
    """The discovery was stopped before it was done; what was learned is in the folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"stopped; what has been learned is in {folder}")
        self.folder = folder


@dataclass(frozen=True, eq=False)
class Discovery:
    """The result of a discovery.

    Args:
        symmetries: The table.
        baselines: How well simpler models predict.
        why: Why a network was trained or not, and which model was taken.
        summary: The content of ``symmetries.json``.
    """

    symmetries: Symmetries
    baselines: Baselines
    why: tuple[str, ...]
    summary: dict[str, Any]


def discover(
    table: Table,
    parameters: dict[str, Any],
    workspace: Workspace,
    *,
    title: str,
    stop: Stop | None = None,
    device: str = "cpu",
    executor: Executor | None = None,
    evidence: EvidenceTable | None = None,
    on_evidence: Callable[[EvidenceTable], None] | None = None,
) -> Discovery:
    """Fits an estimator on a table and writes ``report.html``, ``symmetries.json`` and ``model/``.

    Args:
        table: Inputs and outputs.
        parameters: Of the estimator.
        workspace: Where to work and where results go.
        title: What the data are called.
        stop: Called after every epoch; True stops.
        device: Device of the networks.
        executor: Executor that trains networks, with the same result; processes of this machine by default.
        evidence: The evidence, if it is known already (:func:`softsym.discovery.evidence_on_split.evidence_on_split`).
        on_evidence: Called with the evidence as soon as it is computed.

    Raises:
        StoppedError: It was stopped; calling again with a resuming workspace continues it.
    """
    assert table.Y is not None
    est = SoftEquivariantRegressor.from_parameters(parameters)
    plan = est.plan(
        table.X,
        table.Y,
        groups=table.row_groups,
        x_names=table.x_names,
        y_names=table.y_names,
        duplicates=table.duplicates,
        device=device,
    )
    arguments = {**parameters, **dict.fromkeys(IRRELEVANT), "data": _digest(table)}
    arguments |= {} if device == "cpu" else {"device": device}
    with workspace.lock():
        folder = workspace.open(arguments)
        est.fit_plan(
            plan, folder / "members", stop=stop, on_evidence=on_evidence, executor=executor, evidence=evidence
        )
        if not est.fit_.is_finished:
            est.save(folder / "model", force=True)
            raise StoppedError(folder)
        summary = summarize(est)

        def write(target: Path) -> None:
            page = render(est.report_data(title, {"data": table.source})).encode()
            (target / REPORT).write_bytes(page)
            text = dump_with_checksum({**summary, "files": {REPORT: digest(page)}}, indent=2)
            (target / "symmetries.json").write_text(text + "\n", encoding="utf-8")
            est.save(target / "model")

        workspace.finish(write)
    return Discovery(est.symmetries_, est.baselines_, est.fit_.why, summary)


def summarize(est: SoftEquivariantRegressor) -> dict[str, Any]:
    """The content of ``symmetries.json``."""
    fit = est.fit_
    return {
        "schema": SCHEMA,
        "rep_in": str(fit.shape.rep_in),
        "rep_out": str(fit.shape.rep_out),
        "seeds": len(fit.members),
        "seconds": round(fit.seconds, 2),
        "model": fit.model,
        "blend": {} if fit.ensemble is None else fit.ensemble.weights,
        "why": list(fit.why),
        "compiled": fit.compiled,
        "rows": {"train": fit.n_train, "held_out": len(fit.held.X)},
        "test_mse": fit.test_error(),
        "explained": fit.explained(),
        "groups": est.symmetries_.to_dicts(),
        "evidence": {"seconds": round(est.evidence_.seconds, 2), "groups": est.evidence_.to_dicts()},
        "built_in": fit.selected_exact_groups,
        "baselines": fit.baselines.to_dicts(),
    }


def _digest(table: Table) -> str:
    checksum = hashlib.blake2b(table.X.tobytes(), digest_size=16)
    for values in (table.Y, table.row_groups):
        if values is not None:
            checksum.update(values.tobytes())
    return checksum.hexdigest()
