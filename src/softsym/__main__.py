"""``python -m softsym`` is the command ``softsym``."""

import os
import signal
import sys
from typing import NoReturn


def leave(number: int, frame: object) -> NoReturn:
    """Ends the process while it imports, when nothing has been done yet."""
    sys.stderr.write("softsym: interrupted; nothing was written\n")
    sys.stderr.flush()
    os._exit(130)


def run() -> None:
    """The entry point; an interrupted process ends at once, whatever its other threads and processes are computing."""
    signal.signal(signal.SIGINT, leave)
    from softsym.cli.main import run

    try:
        run()
    except SystemExit as leaving:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done; Python would still die of it while it ends
        if leaving.code != 130:
            raise
        if "softsym.discovery.parallel" in sys.modules:
            from softsym.discovery.parallel import end_processes

            end_processes()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)


if __name__ == "__main__":
    run()
