"""Where the specs, published numbers and results of the paper are: the ``paper`` folder of the repository."""

from __future__ import annotations

from pathlib import Path

from softsym.errors import InputError

MARK = "table1.toml"
"""A folder called ``paper`` is ours if this is in it."""


def paper_folder(start: Path | None = None) -> Path:
    """The ``paper`` folder of the checkout that softsym runs from, or of the one around the current folder.

    Args:
        start: Where to search instead.

    Raises:
        InputError: softsym was installed without its repository, and the current folder is not in it.
    """
    found = find_paper_folder(start)
    if found is None:
        raise InputError(
            "the specs of the paper's tables are in the repository, not in the installed package; "
            "clone it and run `softsym reproduce` inside"
        )
    return found


def find_paper_folder(start: Path | None = None) -> Path | None:
    """As :func:`paper_folder`, but None if there is none."""
    around = [Path.cwd(), *Path.cwd().parents]
    for folder in [Path(__file__).resolve().parents[4], *around] if start is None else [start]:
        if (folder / "paper" / MARK).is_file():
            return folder / "paper"
    return None


def default_results() -> Path:
    """``paper/results`` of a checkout, else ``softsym-results`` in the current folder."""
    paper = find_paper_folder()
    return Path("softsym-results") if paper is None else paper / "results"
