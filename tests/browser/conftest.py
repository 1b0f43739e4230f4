"""A browser, and the reports that it opens.

A report is a name and a function that writes it into a folder; add one here, and every test of the page runs on it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from softsym.discovery.report import ReportData, render
from tests.discovery import example_reports

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Software rendering: the 3D pictures need WebGL, and the machine need not have a graphics card.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def _made_up(report: Callable[[], ReportData]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / "report.html"
        path.write_text(render(report()), encoding="utf-8")
        return path

    return write


def _real(folder: Path) -> Path:
    """The report of a real run, with a hostile name among its columns."""
    import polars

    from tests.discovery.small import estimator, rows

    X, Y = rows()
    names = ["ax", "ay", "az", "bx", "by", example_reports.HOSTILE[0]]
    est = estimator(epochs=30).fit(polars.DataFrame(X, schema=names), Y)
    est.report(folder / "report.html", title=example_reports.HOSTILE[0])
    return folder / "report.html"


REPORTS: dict[str, Callable[[Path], Path]] = {
    "real": _real,
    "report": _made_up(example_reports.report),
    "ordinary": _made_up(example_reports.ordinary),
    "hostile": _made_up(example_reports.hostile),
    "many": _made_up(example_reports.many),
    **{f"{n} outputs": _made_up(partial(example_reports.outputs, n)) for n in (1, 3, 9)},
}


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Path of the report of a name, written when it is first asked for."""
    written: dict[str, Path] = {}

    def path(name: str) -> Path:
        if name not in written:
            written[name] = REPORTS[name](tmp_path_factory.mktemp(name))
        return written[name]

    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """An installed Chromium without a window."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((found for found in map(shutil.which, names) if found), None)
    if path is None:
        pytest.fail("no Chromium is installed; `make test-browser` installs one where it can")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield chromium
        chromium.close()
