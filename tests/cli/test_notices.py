"""Warnings at the command line."""

import warnings

from softsym.cli.notices import one_line_warnings
from softsym.errors import CacheWarning


def test_one_line_each_without_the_place(capsys):
    with one_line_warnings():
        warnings.warn("cannot write the cache", CacheWarning, stacklevel=1)
    assert capsys.readouterr().err == "softsym: warning: cannot write the cache\n"


def test_what_was_set_before_comes_back():
    before, shown = list(warnings.filters), warnings.showwarning
    with one_line_warnings():
        assert warnings.showwarning is not shown
    assert warnings.filters == before
    assert warnings.showwarning is shown
