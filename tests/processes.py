"""Starting the program as a person at a terminal would."""

import signal
import subprocess
from collections.abc import Sequence


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
