"""Starting the program as a person at a terminal would."""

import contextlib
import io
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from unittest import mock


def invoke(*arguments: object, cwd: Path | str = ".") -> subprocess.CompletedProcess[str]:
    """What a command prints and how it ends, run in this process: nothing heavy is imported again."""
    from softsym.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    command = ["softsym", *map(str, arguments)]
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", command),
    ):
        try:
            main.run()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception:
            traceback.print_exc()
            code = 1
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


def started(command: Sequence[str], **options) -> subprocess.Popen[str]:
    """A process that Ctrl-C can stop, also where whoever runs the tests ignores it (as jobs in the background do)."""
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


def page_faults(action):
    """How many pages of memory the system hands out during one call."""
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    action()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
