"""What the commands share: options, texts and targets that are refused at once, warnings in one line, JSON output."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from softsym.data.formats import suffixes
from softsym.errors import InputError, printable
from softsym.io import put_text

if TYPE_CHECKING:
    from softsym.data.table import Table

MAX_ROWS = 250_000  # more rows hardly change a verdict and take memory and time

DATA_HELP = f"A file ({', '.join(suffixes())}) or a task such as 'golfball:wind=y'. An .npz holds X and Y."
DATA = typer.Argument(..., help=DATA_HELP)
# Options that several commands have; each is the default of a parameter, as typer reads it.
REP_IN = typer.Option(None, "--in", help="Representation of the inputs, such as '5S + 5V'. A task knows its own.")
REP_OUT = typer.Option(None, "--out", help="Representation of the outputs, such as 'T(2)'. A task knows its own.")
X_COLUMNS = typer.Option(None, "--x-columns", help="Columns of the inputs, such as 'm1..m5,pos_*'.")
Y_COLUMNS = typer.Option(None, "--y-columns", help="Columns of the outputs.")
ROW_GROUPS = typer.Option(
    None, "--row-groups", metavar="COLUMN", help="Column whose equal entries mark a row group; each stays in one part."
)
MAX_ROWS_OPTION = typer.Option(
    MAX_ROWS, "--max-rows", min=0, help="Rows that are used of a larger file, a random sample by --seed; 0 for all."
)
DROP_MISSING = typer.Option(False, "--drop-missing", help="Leave out rows with an empty cell, NaN or infinity.")
SEED = typer.Option(0, "--seed", min=0, help="Seed of everything that is drawn.")
JSON_FILE = typer.Option(None, "--json", help="Write the result as JSON to a file, or to - (stdout).")
QUIET = typer.Option(False, "--quiet", help="No progress.")


class Interrupted(BaseException):
    """Ctrl-C in a command; not a KeyboardInterrupt, which typer would catch."""


def check_texts(reps: Sequence[str | None] = (), groups: Sequence[str | None] = ()) -> None:
    """Refuses representations and groups that cannot be read, before torch is imported; None stands for one that was not given."""
    from softsym.groups import group as read_group
    from softsym.reps import rep as read_rep

    for rep in reps:
        if rep is not None:
            read_rep(rep)
    for group in groups:
        if group is not None:
            read_group(group)


def show_note(note: str) -> None:
    """Prints a note on the data or on what they propose."""
    typer.echo(f"softsym: note: {note}", err=True)


def note_sample(table: Table, data: str) -> None:
    """Says that only some rows of a file are used."""
    if table.total is not None and table.total > len(table.X):
        sample = f"a sample of {len(table.X):,} is used (--max-rows 0 for all)"
        show_note(f"{data} has {table.total:,} rows; {sample}")


def check_target(target: str | None, *inputs: str) -> None:
    """Refuses a place where no file can be written, and one of the command's own inputs, before any work is done."""
    if target is None or target == "-":
        return
    path = Path(target)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f"cannot write {target}: pass a file in a folder that exists, or -")
    if any(path.exists() and Path(each).exists() and path.samefile(each) for each in inputs):
        raise InputError(f"{target} is what this command reads; pass another file")


def write_json(result: Any, target: str) -> None:
    """Writes a result as JSON to a file, or to standard output if the target is ``-``."""
    text = json.dumps(result, indent=2)
    if target == "-":
        typer.echo(text)
        return
    path = Path(target)
    try:
        if path.exists() and not path.is_file():  # a device, such as /dev/stderr
            path.write_text(text + "\n", encoding="utf-8")
        else:
            put_text(path, text + "\n")
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror}") from error


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Shows every warning raised inside as one line on standard error, without its place in the code."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _show_warning
        yield


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
    typer.echo(f"softsym: warning: {printable(str(message))}", err=True)
