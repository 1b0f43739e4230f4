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
    """The entry point."""
    signal.signal(signal.SIGINT, leave)
    from softsym.cli.main import run

    run()


if __name__ == "__main__":
    run()
