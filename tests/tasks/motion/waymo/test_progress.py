import io

import pytest

from softsym.tasks.motion.waymo.progress import byte_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "show", "expected"),
    [(Terminal(), True, True), (Terminal(), False, False), (io.StringIO(), True, False)],
)
def test_shown_only_on_a_terminal_and_if_asked_for(stream, show, expected, monkeypatch):
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with byte_progress("Reading", 2_000_000, show) as update:
        update(1_000_000)
    shown = stream.getvalue()
    assert ("Reading" in shown and "MB" in shown) if expected else shown == ""
