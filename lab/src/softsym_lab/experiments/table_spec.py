"""The spec of a table or figure of the paper: the claim it makes, and the grid of runs behind it.

One TOML file each, read into frozen values. An unknown key, a group that cannot be parsed or a model that cannot be built
for its task is refused in one line before anything runs.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError, model_validator

from softsym.errors import InputError, first_problem
from softsym_lab.runs.spec import PresetName

if TYPE_CHECKING:
    from softsym_lab.runs.record import RunResult


Kind = Literal[
    "table", "correlation", "progress", "parameters", "motion", "unknown-symmetry", "benchmark", "baselines", "ablation"
]
Number = bool | int | float | str
ORDER = (
    "table1",
    "correlation",
    "table2",
    "progress",
    "parameters",
    "frame-averaging",
    "robustness",
    "unknown-symmetry",
    "motion",
)
"""The paper's tables and figures, the most informative first."""
BENCHMARKS = ("ablation", "baselines", "centring", "flights", "mocap", "duct")
"""Comparisons that the paper does not have; those on files of others are named by ``--records``."""
ALL, CLAIMS = "all", "claims"
"""What else can be asked for: every table, and the test of the paper's claims."""


class Strict(BaseModel):
    """Frozen, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class GridRow(Strict):
    """A row: a task, perhaps with changed numbers."""

    label: str
    task: str
    section: str = Field("", description="Heading of the part of the table that the row is in.")
    exact: str | None = Field(None, description="The group that the row's data have exactly.")
    set: dict[str, Number] = Field({}, description="Numbers that replace the preset's.")
    scale: dict[str, PositiveFloat] = Field({}, description="Factors on the preset's numbers.")
    published: tuple[str, ...] | None = Field(None, description="Where its numbers are; under its label by default.")


class GridColumn(Strict):
    """A column: a model, perhaps with groups of its own."""

    label: str
    model: str
    group: str | None = Field(
        None,
        description="Group of the model; `exact` for that of the row, `exact or largest` for the task's largest where the row has none.",
    )
    groups: tuple[str, ...] | None = Field(None, description="Candidate groups, if not the task's.")
    early_stopping: bool = True
    preset: PresetName | None = Field(None, description="Its own preset, whatever that of the table is.")
    seeds: PositiveInt | dict[PresetName, PositiveInt] | None = Field(
        None, description="Its own number of seeds, of every preset or of some, if not the table's."
    )
    width: dict[PresetName, PositiveInt] = Field({}, description="Widths that replace the preset's.")
    set: dict[str, Number] = Field({}, description="Numbers that replace the preset's, after those of the row.")
    scale: dict[str, PositiveFloat] = Field({}, description="Factors on the preset's numbers.")
    presets: tuple[PresetName, ...] | None = Field(
        None, description="The presets that have the column; all by default."
    )
    sections: tuple[str, ...] | None = Field(None, description="Sections whose rows have the column; all by default.")
    published: tuple[str, ...] | None = Field(None, description="Where its numbers are; under its label by default.")


class TableSpec(Strict):
    """What a table or figure shows, and the runs that it needs."""

    name: str
    title: str
    kind: Kind
    claim: str
    command: str
    source: str
    notes: tuple[str, ...] = ()
    published: str | None = Field(None, description="Key of its numbers among the published ones.")
    metric: Literal["test_error", "test_mse"] = "test_error"
    score: str | None = Field(
        None, description="The task's own score that is shown instead of an error; more is better."
    )
    records: str | None = Field(None, description="What the file must be that its tasks read, for messages.")
    factor: PositiveFloat = Field(1.0, description="Times the metric, so as to be in the published unit.")
    unit: str = "test MSE"
    best: str | None = Field(None, description="Label of the column that is claimed to be best.")
    seeds: dict[PresetName, PositiveInt]
    minutes: dict[PresetName, dict[str, PositiveFloat]] = Field(
        description="CPU minutes to expect of one run, by preset and model."
    )
    order: tuple[str, ...] = Field((), description="Labels of columns in the order in which they are run.")
    rows: tuple[GridRow, ...] = Field(min_length=1)
    columns: tuple[GridColumn, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _labels_are_unique_and_known(self) -> TableSpec:
        rows = [f"{row.section} {row.label}".strip() for row in self.rows]
        columns = [column.label for column in self.columns]
        for what, labels in (("rows", rows), ("columns", columns)):
            twice = [label for label in labels if labels.count(label) > 1]
            if twice:
                raise ValueError(f"two {what} are called {twice[0]!r}")
        known = {column.label for column in self.columns}
        for label in (*self.order, *([self.best] if self.best else [])):
            if label not in known:
                raise ValueError(f"no column is called {label!r}; there are {', '.join(sorted(known))}")
        return self

    def wanted(self, column: GridColumn, preset: PresetName) -> int:
        """How many seeds a column has at a preset."""
        own = column.seeds.get(preset) if isinstance(column.seeds, dict) else column.seeds
        return own or self.seeds.get(preset, 1)

    def value(self, result: RunResult) -> float | None:
        """What stands in a cell, of one run; None if it does not have it."""
        if self.score is not None:
            return result.scores.get(self.score)
        measured = getattr(result, self.metric)
        return None if measured is None else self.factor * float(measured)

    @property
    def ordered_columns(self) -> tuple[GridColumn, ...]:
        """Columns in the order in which they are run; those that `order` does not name come last."""
        places = {label: place for place, label in enumerate(self.order)}
        return tuple(sorted(self.columns, key=lambda column: places.get(column.label, len(places))))


def read_spec(path: Path) -> TableSpec:
    """Reads a spec from its TOML file."""
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path.name} is not TOML: {error}") from error
    try:
        return TableSpec.model_validate(fields)
    except ValidationError as error:
        where, what = first_problem(error)
        raise InputError(f"{path.name}: {where or 'the file'}: {what}") from error


def load_spec(name: str, folder: Path | None = None) -> TableSpec:
    """The spec of a table or figure by name.

    Args:
        name: One of :data:`ORDER` or :data:`BENCHMARKS`.
        folder: Where its file is; the checkout's ``paper`` by default.
    """
    check_spec_name(name)
    return read_spec((folder or paper_folder()) / f"{name}.toml")


def check_spec_name(name: str) -> None:
    """Refuses a name that no table has."""
    if name not in (*ORDER, *BENCHMARKS):
        known = ", ".join((*ORDER, *BENCHMARKS))
        raise InputError(f"unknown table {name!r}; pass one of {known}, {ALL} or {CLAIMS}")


def check_preset_name(name: str) -> PresetName:
    """Refuses a name that no preset has."""
    if name not in get_args(PresetName):
        raise InputError(f"unknown preset {name!r}; pass one of {', '.join(get_args(PresetName))}")
    return cast(PresetName, name)


MARK = "table1.toml"
"""A folder called ``paper`` is ours if this is in it."""


def paper_folder(start: Path | None = None) -> Path:
    """The ``paper`` folder of the checkout that softsym runs from, or of the one around the current folder.

    Args:
        start: Where to search instead.

    Raises:
        InputError: softsym was installed without its repository, and the current folder is not in it.
    """
    found = find_paper_folder(start)
    if found is None:
        raise InputError(
            "the specs of the paper's tables are in the repository, not in the installed package; "
            "clone it and run `softsym reproduce` inside"
        )
    return found


def find_paper_folder(start: Path | None = None) -> Path | None:
    """As :func:`paper_folder`, but None if there is none."""
    around = [Path.cwd(), *Path.cwd().parents]
    for folder in [Path(__file__).resolve().parents[4], *around] if start is None else [start]:
        if (folder / "paper" / MARK).is_file():
            return folder / "paper"
    return None


def default_results() -> Path:
    """``paper/results`` of a checkout, else ``softsym-results`` in the current folder."""
    paper = find_paper_folder()
    return Path("softsym-results") if paper is None else paper / "results"
