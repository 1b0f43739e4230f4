"""The process of the local engine: reads one job from its input, executes it and leaves the outcome in the job's folder.

Its input stays open as long as the engine lives. When it closes, the worker ends too, so that no process works for an engine that was
killed. Started as ``python -m softsym_lab.experiments.engines.worker``.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import IO

from softsym.io import dump_with_checksum, put_text
from softsym_lab.experiments.engines.engine import Job
from softsym_lab.experiments.engines.execute import execute

OUTCOME = "outcome.json"
"""Where the outcome is left; the engine takes it away."""


def main() -> None:
    """Executes the job in the first line of standard input."""
    job = Job.from_dict(json.loads(sys.stdin.buffer.readline()))
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    put_text(job.folder / OUTCOME, dump_with_checksum(execute(job).to_dict()))
    sys.stdout.flush()
    os._exit(0)  # the thread still holds standard input, which would trouble an orderly exit


def _end_with(source: IO[bytes]) -> None:
    source.read()
    os._exit(3)


if __name__ == "__main__":
    main()
