"""A discovery on one table: fit, verdicts, and the files of report, table and model; predictions of its model for other files.

While it runs, ``DIR.partial`` holds its arguments and checkpoints of every member, under a lock that names the process. When it is done the
results are written under a temporary name and renamed to ``DIR``: they are written completely or not at all, and a stopped discovery can be
continued.
"""

from __future__ import annotations

import hashlib
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym import io
from softsym.data.columns import quote
from softsym.data.formats import format_of, suffixes
from softsym.data.table import Table, open_file
from softsym.datasets.parse import is_task, read_data
from softsym.errors import InputError, in_one_line
from softsym.io import digest, dump_with_checksum

if TYPE_CHECKING:
    from softsym.discovery import SoftEquivariantRegressor
    from softsym.discovery.parallel import Executor
    from softsym.inference import EvidenceTable

SCHEMA = 2
REPORT = "report.html"
IRRELEVANT = ("verbose", "n_jobs")
"""Parameters that do not change a result: a stopped discovery may continue with others."""
ARGUMENTS, MOST_ARGUMENTS = "asked.json", 10**7


@dataclass(frozen=True)
class Workspace:
    """The folders of one discovery."""

    target: Path  # where results go
    force: bool = False  # replace what is there
    resume: bool = False  # go on with what was stopped

    @property
    def partial(self) -> Path:
        """The working folder of an unfinished discovery."""
        return self.target.with_name(self.target.name + ".partial")

    def check(self) -> None:
        """Refuses to overwrite anything, before any work is done."""
        if not self.target.name:
            raise InputError(f"--out-dir {self.target} is a folder that exists; pass the name of a new one")
        owner = io.lock_owner(self.partial)
        if owner is not None:
            raise InputError(
                f"{self.partial} is being written by {owner}; wait until it is done, or pass another --out-dir"
            )
        if self.resume and not self.partial.exists():
            raise InputError(f"there is no stopped discovery in {self.partial}; leave out --resume")
        if self.target.exists() and not self.force:
            raise InputError(f"{self.target} exists already; pass another --out-dir, or --force to replace it")
        io.check_replaceable(self.target)
        if self.partial.exists() and not (self.resume or self.force):
            raise InputError(
                f"{self.partial} holds a discovery that was stopped; pass --resume to go on with it, or --force to start again"
            )

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Makes and locks the working folder, and removes what killed processes left next to it."""
        try:
            self.partial.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            with io.lock_folder(self.partial):
                io.sweep(self.target.parent, self.target.name)
                yield
        finally:
            if self.partial.exists() and not any(self.partial.iterdir()):
                self.partial.rmdir()  # nothing was begun

    def open(self, arguments: dict[str, Any]) -> Path:
        """Empties the working folder, or checks that a stopped discovery had the same arguments; to be called while it is locked."""
        file = self.partial / ARGUMENTS
        if self.resume and file.exists():
            try:
                before = io.load_with_checksum(io.read_regular(file, MOST_ARGUMENTS).decode())
            except (OSError, ValueError) as error:
                raise InputError(
                    f"{self.partial} cannot be continued ({in_one_line(error)}); pass --force to start again"
                ) from error
            changed = sorted(key for key in {*before, *arguments} if before.get(key) != arguments.get(key))
            if changed:
                raise InputError(
                    f"{self.partial} was started with another {', '.join(changed)}; pass the same again, or --force to start anew"
                )
        try:
            for path in () if self.resume else list(self.partial.iterdir()):
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name not in (io.LOCK, io.OWNER):
                    path.unlink()
            io.put_text(file, dump_with_checksum(arguments, indent=1))
        except OSError as error:
            raise self._unwritable(error) from error
        return self.partial

    def finish(self, write: Callable[[Path], None]) -> Path:
        """Writes results under a temporary name, then puts them in place; the working folder goes."""
        io.put_folder(self.target, write)
        shutil.rmtree(self.partial, ignore_errors=True)
        return self.target

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cannot write to {self.partial}: {error.strerror}; pass another --out-dir")


def discover(
    table: Table,
    parameters: dict[str, Any],
    workspace: Workspace,
    *,
    title: str,
    device: str = "cpu",
    executor: Executor | None = None,
    on_evidence: Callable[[EvidenceTable], None] | None = None,
    on_note: Callable[[str], None] | None = None,
    command: str = "",
) -> SoftEquivariantRegressor:
    """Fits an estimator on a table and writes ``report.html``, ``symmetries.json`` and ``model/``; an interrupt can be resumed from."""
    from softsym.discovery import SoftEquivariantRegressor

    assert table.Y is not None
    est: SoftEquivariantRegressor = SoftEquivariantRegressor.from_parameters(parameters)
    known: dict[str, Any] = {"x_names": table.x_names, "y_names": table.y_names, "duplicates": table.duplicates}
    data = est.prepare(table.X, table.Y, groups=table.row_groups, device=device, **known)
    if on_note is not None and data.note:
        on_note(data.note)
    checksum = hashlib.blake2b(digest_size=16)
    for values in (table.X, table.Y, table.row_groups):
        checksum.update(b"" if values is None else values.tobytes())
    arguments = {**parameters, **dict.fromkeys(IRRELEVANT), "data": checksum.hexdigest()}
    arguments |= {} if device == "cpu" else {"device": device}
    with workspace.lock():
        folder = workspace.open(arguments)
        est.fit_data(data, folder / "members", on_evidence=on_evidence, executor=executor)
        summary = summarize(est, command)

        def write(target: Path) -> None:
            from softsym.discovery.report import render

            facts = {"data": table.source, **({"command": command} if command else {})}
            page = render(est.report_data(title, facts)).encode()
            (target / REPORT).write_bytes(page)
            text = dump_with_checksum({**summary, "files": {REPORT: digest(page)}}, indent=2)
            (target / "symmetries.json").write_text(text + "\n", encoding="utf-8")
            est.save(target / "model")

        workspace.finish(write)
    return est


def summarize(est: SoftEquivariantRegressor, command: str = "") -> dict[str, Any]:
    """The content of ``symmetries.json``."""
    import softsym

    fit = est.fit_
    inputs, outputs = est.column_names()
    return {
        "schema": SCHEMA,
        "version": softsym.__version__,
        "command": command,
        "columns": {"x": inputs, "y": outputs},
        "seed": fit.seed,
        "rep_in": str(est.rep_in or fit.shape.rep_in),
        "rep_out": str(est.rep_out or fit.shape.rep_out),
        "seeds": len(fit.members),
        "seconds": round(fit.seconds, 2),
        "model": fit.model,
        "blend": fit.full_model.shares,
        "why": list(fit.why),
        "compiled": fit.compiled,
        "rows": {"train": fit.n_train, "held_out": len(fit.test)},
        "test_mse": fit.test_error(),
        "explained": fit.explained(),
        "groups": est.symmetries_.to_dicts(),
        "evidence": {"seconds": round(est.evidence_.seconds, 2), "groups": est.evidence_.to_dicts()},
        "built_in": list(fit.exact_groups),
        "baselines": fit.baselines.to_dicts(),
    }


def predict_file(
    model: Path, data: str, output: Path, *, x_columns: str | None = None, seed: int = 0, force: bool = False
) -> int:
    """Predicts for every row of a file; returns their number."""
    if output.suffix.lower() not in suffixes():
        raise InputError(f"{output} must end in {', '.join(suffixes())}")
    if output.exists() and Path(data).exists() and output.samefile(data):
        raise InputError(f"{output} is what this command reads; pass another -o")
    if output.exists() and not force:
        raise InputError(f"{output} exists already; pass another -o, or --force to replace it")
    if not (model / "model.json").is_file():
        raise InputError(f"{model} holds no softsym model; pass a folder written by est.save or softsym discover")
    if not is_task(data):
        open_file(Path(data))
    from softsym.discovery.state import load  # not needed to refuse anything above

    est: Any = load(model)
    names = list(getattr(est, "feature_names_in_", []))
    if x_columns is None and names and not is_task(data) and not format_of(Path(data)).knows_inputs:
        x_columns = quote(names)
    table = read_data(data, x_columns, need_y=False, seed=seed)[0]
    if table.X.shape[1] != est.n_features_in_:
        raise InputError(
            f"{table.source} gives {table.X.shape[1]} columns, the model has {est.n_features_in_} inputs "
            f"({est.fit_.shape.rep_in}); pass them as --x-columns"
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # columns were chosen by them
        if hasattr(est, "predict_proba"):
            mean, std = est.predict_proba(table.X), est.fit_.std(table.X)
        else:
            mean, std = (part.reshape(len(table.X), -1) for part in est.predict(table.X, return_std=True))
    outputs, shown = est.column_names()[1], std if np.any(std) else None  # of a single network they are zero
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        io.put_file(output, lambda path: format_of(output).write(path, outputs, mean, shown))
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror}") from error
    return len(mean)
