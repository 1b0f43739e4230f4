import io
import time

import pytest

from softsym import progress as module
from softsym.progress import progress, reporter, silence, track


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """Puts a terminal in the place of standard error; to be called by the test, since fixtures have a standard error of their own."""

    def opened():
        stream = Terminal()
        monkeypatch.setattr("sys.stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "120")
        return stream

    return opened


@pytest.fixture
def clock(monkeypatch):
    """Time that passes when told to."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_a_bar_in_a_terminal(open_terminal):
    terminal = open_terminal()
    with progress("reading", 2_000_000, unit="bytes") as show:
        show(1_000_000, "[x] words")
    shown = terminal.getvalue()
    assert "reading" in shown
    assert "MB" in shown
    assert "[x] words" in shown
    with progress("checking", 3) as show:
        show(2)
    assert "2/3" in terminal.getvalue()


@pytest.mark.parametrize("hush", [False, True])
def test_nothing_when_quiet(open_terminal, hush):
    terminal = open_terminal()

    def work(quiet):
        with progress("checking", 3, quiet=quiet, patience=0.0) as show:
            show(3, "all")
        list(track([1, 2], "counting", quiet=quiet))
        with reporter(5, 0, quiet=quiet) as report:
            report({"epoch": 5, "loss": 1.0})

    if hush:
        with silence():
            work(quiet=False)
    else:
        work(quiet=True)
    assert terminal.getvalue() == ""


def test_lines_at_a_period_elsewhere(capsys):
    with progress("epoch", 100, patience=0.0) as show:
        for k in range(1, 101):
            show(k, "so far")
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["epoch 5/100  so far", "epoch 10/100  so far"]
    assert len(lines) == 20
    assert lines[-1] == "epoch 100/100  so far"


def test_steps_of_any_size(capsys):
    with progress("reading", 50_000_000, unit="bytes", patience=0.0) as show:
        for done in (1_000_000, 2_600_000, 2_700_000, 21_000_000, 49_000_000, 50_000_000):
            show(done)
    assert capsys.readouterr().err.splitlines() == [
        "reading 3/50 MB",
        "reading 21/50 MB",
        "reading 49/50 MB",
        "reading 50/50 MB",
    ]


def test_short_work_is_not_worth_a_line(capsys, clock):
    assert list(track("abcd", "spelling")) == list("abcd")
    assert capsys.readouterr().err == ""
    for item in track("abcd", "spelling"):
        clock[0] += 1.5
        assert item
    assert capsys.readouterr().err.splitlines() == ["spelling 2/4  b", "spelling 3/4  c", "spelling 4/4  d"]


def test_what_is_done_already_is_not_told_again(capsys):
    with progress("epoch", 40, done=20, patience=0.0) as show:
        for k in range(21, 25):
            show(k)
    assert capsys.readouterr().err.splitlines() == ["epoch 22/40", "epoch 24/40"]


def test_epochs(capsys):
    with reporter(2, 0, quiet=False, what="trying strengths: ") as report:
        report({"epoch": 1, "loss": 0.123456})
        report({"epoch": 2, "loss": 0.1, "validation": 0.5, "strengths": {"O(3)": 300.0}})
    assert capsys.readouterr().err.splitlines() == [
        "trying strengths: epoch 1/2  loss 0.1235",
        "trying strengths: epoch 2/2  loss 0.1  validation 0.5  O(3) 300",
    ]


def test_hushing_ends():
    with silence():
        pass
    assert module._silent.get() is False


def test_work_that_takes_long_says_what_it_is(capsys, monkeypatch):
    monkeypatch.setattr(module, "AT_WORK", 0.02)
    with progress("evidence: group", 50) as show:
        for _ in range(500):
            time.sleep(0.01)
            if shown := capsys.readouterr().err:
                break
        assert shown == "evidence: group 0/50\n"
        show(1)
    with progress("quick", 50):
        pass
    time.sleep(0.05)
    assert capsys.readouterr().err == ""
