"""The command as a whole: exit codes, one line for every error, lists, the version."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import typer

import softsym as ss
from softsym.cli import main
from softsym.errors import InputError, TrainingError


def run(monkeypatch, *arguments, raising=None):
    """The exit code of the command; with `raising` it has a command `fail`."""
    if raising is not None:
        app = typer.Typer(pretty_exceptions_enable=False)

        @app.command(name="fail")
        def fail():
            raise raising

        app.callback()(lambda: None)
        monkeypatch.setattr(main, "app", app)
    monkeypatch.setattr(sys, "argv", ["softsym", *arguments])
    with pytest.raises(SystemExit) as caught:
        main.run()
    return caught.value.code


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("pass another"), 2, "softsym: error: pass another"),
        (TrainingError("the loss became nan"), 1, "softsym: training failed: the loss became nan"),
        (FileNotFoundError(2, "No such file", "here.csv"), 1, "softsym: failed: No such file (here.csv)"),
        (OSError("disk full"), 1, "softsym: failed: disk full"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(monkeypatch, capsys, error, code, line):
    assert run(monkeypatch, "fail", raising=error) == code
    captured = capsys.readouterr()
    assert captured.err == line + "\n"
    assert captured.out == ""


def test_debug_shows_the_traceback(monkeypatch):
    with pytest.raises(InputError, match="pass another"):
        run(monkeypatch, "fail", "--debug", raising=InputError("pass another"))


def test_an_interrupt_is_not_an_error_of_ours(monkeypatch):
    """Click turns it into its own exit; what matters is that no traceback is shown and the code is not zero."""
    assert run(monkeypatch, "fail", raising=KeyboardInterrupt()) in (1, 130)


def test_a_library_that_computes_does_not_delay_an_interrupt(monkeypatch, capsys):
    def compute():
        matrix = np.random.default_rng(0).standard_normal((1500, 1500))
        while True:
            np.linalg.svd(matrix)  # seconds, of which Python sees nothing

    app = typer.Typer()
    app.command(name="check")(compute)
    app.callback()(lambda: None)
    monkeypatch.setattr(main, "app", app)
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    assert run(monkeypatch, "check") == 130
    assert time.monotonic() - began < 3.0
    assert capsys.readouterr().err.splitlines()[-1].startswith("softsym: interrupted; nothing unfinished was kept")


def test_the_version(monkeypatch, capsys):
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"softsym {ss.__version__}\n"


def test_without_a_command_help_is_shown(monkeypatch, capsys):
    assert run(monkeypatch) in (0, 2)
    assert "Usage" in capsys.readouterr().out


def test_every_command_has_help_with_an_example(monkeypatch, capsys):
    for command in main.app.registered_commands:
        assert run(monkeypatch, str(command.name), "--help") == 0
        assert "Example: softsym " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (["discver"], "no such command 'discver'; did you mean 'discover'?"),
        (["discover", "--gruops", "A"], "no such option: --gruops (Possible options: --groups, --row-groups)"),
        (["discover", "--seed", "x"], "invalid value for '--seed': "),
        (["predict", "model", "rows.csv"], "missing option '-o' / '--output'"),
        (["discover", "rows.csv", "more"], "got unexpected extra argument"),
    ],
)
def test_wrong_usage_is_one_line(monkeypatch, capsys, given, line):
    assert run(monkeypatch, *given) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"softsym: error: {line}")
    assert captured.err.endswith(" (see softsym --help)\n")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--groups", "A", "B", "--quiet"], ["--groups", "A", "--groups", "B", "--quiet"]),
        (["--groups", "A", "data.CSV"], ["--groups", "A", "data.CSV"]),
        (["--groups", "A", "data.parquet", "B"], ["--groups", "A", "data.parquet", "B"]),
        (["--groups", "A", "--groups", "B"], ["--groups", "A", "--groups", "B"]),
        (["--json", "-", "--groups", "A"], ["--json", "-", "--groups", "A"]),
        (["--in", "5S + 5V"], ["--in", "5S + 5V"]),
    ],
)
def test_lists_are_spread(given, expected):
    assert main.repeat_option(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        ["--groups"],
        ["--groups", "--quiet"],
        ["--groups", "data.csv"],
        ["--groups", "A", "--groups"],
        ["--groups", "d.csv.gz"],
    ],
)
def test_a_forgotten_value_of_groups_is_refused(given, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["softsym", "discover", *given])
    with pytest.raises(SystemExit) as caught:
        main.run()
    assert caught.value.code == 2
    assert (
        capsys.readouterr().err
        == "softsym: error: --groups needs at least one group, such as --groups 'O(3)' 'O(2)@z'\n"
    )


def test_a_terminal_obeys_no_name():
    """On a terminal nobody strips escapes: they are written out."""
    mine, theirs = pty.openpty()
    try:
        command = [
            sys.executable,
            "-m",
            "softsym",
            "discover",
            "\x1b[31mno.csv",
            "--in",
            "V",
            "--out",
            "V",
            "--groups",
            "O(3)",
        ]
        done = subprocess.run(command, stdout=theirs, stderr=theirs, timeout=60)
        output = os.read(mine, 10_000)
    finally:
        os.close(mine)
        os.close(theirs)
    assert done.returncode == 2
    assert b"\x1b" not in output
    assert rb"there is no file \x1b[31mno.csv" in output


WITHOUT_LABORATORY = """
import importlib.metadata, sys
everything = importlib.metadata.entry_points
def entry_points(**selection):
    return () if selection.get("group", "").startswith("softsym.") else everything(**selection)
importlib.metadata.entry_points = entry_points
from softsym.cli.main import run
sys.argv = ["softsym", *sys.argv[1:]]
run()
"""


@pytest.mark.parametrize("command", ["train", "reproduce", "bench"])
def test_commands_of_the_laboratory_say_what_to_install(command):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LABORATORY, command, "table1"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr == f"softsym: error: `softsym {command}` comes with the laboratory: pip install softsym-lab\n"


def test_help_without_the_laboratory():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LABORATORY, "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert "discover" in done.stdout
    assert "reproduce" not in done.stdout


def test_former_names_of_options_are_replaced():
    assert main.rename_options(["--rows-together", "day"]) == ["--row-groups", "day"]
    assert main.rename_options(["--rows-together=day"]) == ["--row-groups=day"]
