"""The ``softsym`` command: one file per subcommand, errors in one line, exit codes 0 (ok), 1 (ran and failed), 2 (bad input)."""

from __future__ import annotations

import importlib.metadata
import signal
import sys
from contextlib import nullcontext
from functools import partial
from typing import NoReturn

import typer

from softsym import __version__
from softsym.cli import check, discover, doctor, inspect, predict, propose
from softsym.cli.common import Interrupted, one_line_warnings
from softsym.data.formats import PACKED, suffixes
from softsym.errors import InputError, TrainingError, printable
from softsym.limits import run_interruptible
from softsym.progress import silence

app = typer.Typer(
    name="softsym",
    help="Find which symmetries data have, how exactly, and fit models that use each as much as it holds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for module in (discover, propose, predict, inspect, check, doctor):
    app.command(name=module.__name__.rpartition(".")[2])(module.command)
LABORATORY = ("train", "reproduce", "bench")
"""Commands of softsym-lab, by name, so that a message can say where they come from."""

COMPUTING = {"check", "propose", "predict", "inspect"}
"""Commands that keep nothing when they are interrupted, and may be inside a library that does not hear of it for seconds."""

RENAMED_OPTIONS = {"--rows-together": "--row-groups"}
"""Options of 0.1 that have another name now; the old one is accepted for one release."""


def add_commands() -> None:
    """Adds the commands of installed distributions: entry points of the group ``softsym.commands``."""
    own = {command.name for command in app.registered_commands}
    for entry in importlib.metadata.entry_points(group="softsym.commands"):
        if entry.name not in own:
            app.command(name=entry.name)(entry.load())


def check_installed(arguments: list[str]) -> None:
    """Refuses a command of the laboratory where it is not installed."""
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    known = {command.name for command in app.registered_commands}
    if name in LABORATORY and name not in known:
        raise InputError(f"`softsym {name}` comes with the laboratory: pip install softsym-lab")


def show_version(wanted: bool) -> None:
    """Prints the version and exits."""
    if wanted:
        typer.echo(f"softsym {__version__}")
        raise typer.Exit


@app.callback()
def main(
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Show the version."),
) -> None:
    pass


def run() -> None:
    """The entry point: prints errors in one line and exits with their code."""
    debug = "--debug" in sys.argv
    arguments = rename_options([argument for argument in sys.argv[1:] if argument != "--debug"])
    before = signal.signal(signal.SIGINT, _interrupt)
    try:
        arguments = repeat_option(arguments)
        add_commands()
        check_installed(arguments)
        with one_line_warnings(), silence() if "--quiet" in arguments else nullcontext():
            work = partial(app, arguments or ["--help"], standalone_mode=False)
            sys.exit(run_interruptible(lambda stop: work(), grace=0.0) if COMPUTING & set(arguments[:1]) else work())
    except (InputError, TrainingError, OSError) as error:
        if debug:
            raise
        message, code = describe(error)
        typer.echo(f"softsym: {printable(message)}", err=True)
        sys.exit(code)
    except (KeyboardInterrupt, Interrupted):
        typer.echo("softsym: interrupted; nothing unfinished was kept, run the same command again", err=True)
        sys.exit(130)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's errors of usage are not public
            raise
        typer.echo(f"softsym: error: {printable(describe_usage(error.format_message()))}", err=True)
        sys.exit(2)
    finally:
        signal.signal(signal.SIGINT, before)


def describe_usage(message: str) -> str:
    """What typer says of a wrong command or option, in one line.

    Example:
        >>> describe_usage("No such command 'discver'. Did you mean 'discover'?")
        "no such command 'discver'; did you mean 'discover'? (see softsym --help)"
    """
    first, *rest = " ".join(message.split()).rstrip(".").split(". ")
    sentences = [text[:1].lower() + text[1:] for text in (first, *rest) if text]
    return f"{'; '.join(sentences)} (see softsym --help)"


def describe(error: InputError | TrainingError | OSError) -> tuple[str, int]:
    """An error in words, and its exit code."""
    if isinstance(error, InputError):
        return f"error: {error}", 2
    if isinstance(error, TrainingError):
        return f"training failed: {error}", 1
    place = f" ({error.filename})" if error.filename else ""
    return f"failed: {error.strerror or error}{place}", 1


def _interrupt(number: int, frame: object) -> NoReturn:
    raise Interrupted


def rename_options(arguments: list[str]) -> list[str]:
    """Replaces options by their present names."""
    renamed = []
    for argument in arguments:
        option, equals, value = argument.partition("=")
        renamed.append(RENAMED_OPTIONS.get(option, option) + equals + value)
    return renamed


def repeat_option(arguments: list[str]) -> list[str]:
    """Lets ``--groups A B C`` stand for ``--groups A --groups B --groups C``; refuses the option without a group."""
    repeated: list[str] = []
    groups: int | None = None  # how many have followed the option, while they do
    for argument in [*arguments, "--"]:  # the mark ends the last option
        is_option = argument.startswith("-") and argument != "-"
        if groups is not None and (is_option or argument.lower().endswith((*suffixes(), PACKED))):
            if not groups:
                raise InputError("--groups needs at least one group, such as --groups 'O(3)' 'O(2)@z'")
            groups = None
        if argument == "--groups":
            groups = 0
        elif groups is not None:
            groups += 1
            repeated += ["--groups", argument]
        else:
            repeated.append(argument)
    return repeated[:-1]


if __name__ == "__main__":
    run()
